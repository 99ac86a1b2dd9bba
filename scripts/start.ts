/** `npm start`: the sandbox exchange, and a Node-RED with our nodes and the demo flow, on loopback only. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareDemo, root } from './hosts/demo';
import { hasDemo, tellLastStart } from './hosts/demo-folder';
import { startNodeRed, type FlowNode, type NodeRedHost } from './hosts/node-red';
import { pack } from './hosts/package';
import { SANDBOX_KEY, type SandboxHost } from './hosts/sandbox';
import { runSession } from './hosts/session';
import { retellNodeRed, showPages } from './hosts/story';

const ACCOUNT_TYPE = 'partner-exchange-account';
const DEMO_ACCOUNT = 'demo-account';

const PURPOSE = 'Starts the sandbox exchange and Node-RED with the nodes installed and a demo flow running.';

runSession(async (session) => {
	const { own } = session;
	const demo = await prepareDemo({
		command: 'start',
		purpose: PURPOSE,
		canInspect: true,
		host: { name: 'Node-RED', portFlag: 'node-red-port', port: '1880' },
	});
	if (!demo) return;
	const { data, port, inspect } = demo;
	const sandbox = await demo.startSandbox(session);
	const folder = join(root, 'packages', 'node-red');
	const nodeRed = await startNodeRed({
		userDir: join(data, 'node-red'),
		port,
		packages: [await pack(folder, join(data, 'packed'))],
		...(inspect ? { debug: { port: inspect, folder } } : {}),
		onLine: (line) => retellNodeRed('Node-RED', line),
		own: (child) => own('Node-RED', child),
	});
	await deployDemo(nodeRed, sandbox);
	showPages([
		{ name: 'Node-RED', url: nodeRed.url, what: 'the demo flow, running' },
		{ name: 'Sandbox exchange', url: sandbox.url, what: 'order book, orders, balances' },
	]);
});

/** Deploys the demo on the first start. On later starts only the addresses of the sandbox are updated. */
async function deployDemo(nodeRed: NodeRedHost, { baseUrl, wsUrl }: SandboxHost): Promise<void> {
	const demo = JSON.parse(await readFile(join(root, 'examples', 'node-red', 'demo.json'), 'utf8')) as FlowNode[];
	const nodes = await nodeRed.api<FlowNode[]>('/flows');
	if (!nodes.some(({ type }) => type === ACCOUNT_TYPE)) {
		const settings = { baseUrl, wsUrl, credentials: { apiKey: SANDBOX_KEY } };
		await nodeRed.deploy(demo.map((node) => (node.id === DEMO_ACCOUNT ? { ...node, ...settings } : node)));
		return;
	}
	tellLastStart('flows', hasDemo(nodes, demo));
	const account = nodes.find(({ id }) => id === DEMO_ACCOUNT);
	if (account && account['baseUrl'] !== baseUrl) {
		await nodeRed.deploy(nodes.map((node) => (node === account ? { ...node, baseUrl, wsUrl } : node)));
	}
}
