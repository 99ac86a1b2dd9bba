/** `npm start`: the sandbox exchange, and a Node-RED with our nodes and the demo flow, on loopback only. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildIfNeeded } from './hosts/build';
import { BUILD, DATA, INSPECT, readFlags, SANDBOX_PORT } from './hosts/flags';
import { startNodeRed, type FlowNode, type NodeRedHost } from './hosts/node-red';
import { pack } from './hosts/package';
import { requireFree } from './hosts/ports';
import { SANDBOX_KEY, startSandbox, type SandboxHost } from './hosts/sandbox';
import { runSession } from './hosts/session';
import { showPages, tell } from './hosts/story';

const root = join(__dirname, '..');
const ACCOUNT_TYPE = 'partner-exchange-account';
const DEMO_ACCOUNT = 'demo-account';

const PURPOSE = 'Starts the sandbox exchange and Node-RED with the nodes installed and a demo flow running.';
const FLAGS = {
	'sandbox-port': SANDBOX_PORT,
	'node-red-port': { type: 'string', default: '1880', value: 'PORT', about: 'where Node-RED listens' },
	data: DATA,
	inspect: INSPECT,
	build: BUILD,
} as const;

runSession(async ({ own }) => {
	const flags = readFlags('start', PURPOSE, FLAGS);
	if (!flags) return;
	const data = resolve(root, flags.data);
	await requireFree(Number(flags['sandbox-port']), 'the sandbox exchange', 'npm start -- --sandbox-port');
	await requireFree(Number(flags['node-red-port']), 'Node-RED', 'npm start -- --node-red-port');
	if (flags.build) await buildIfNeeded(root);
	tell('Starting the sandbox exchange and Node-RED.');
	const sandbox = await startSandbox({
		...{ root, port: Number(flags['sandbox-port']), dataFile: join(data, 'exchange.db') },
		own: (child) => own('The sandbox exchange', child),
	});
	const nodeRed = await startNodeRed({
		userDir: join(data, 'node-red'),
		port: Number(flags['node-red-port']),
		packages: [await pack(join(root, 'packages', 'node-red'), join(data, 'packed'))],
		...(flags.inspect ? { debug: { port: Number(flags.inspect), folder: join(root, 'packages', 'node-red') } } : {}),
		onLine: retell,
		own: (child) => own('Node-RED', child),
	});
	await deployDemo(nodeRed, sandbox);
	showPages([
		{ name: 'Node-RED', url: nodeRed.url, what: 'the demo flow, running' },
		{ name: 'Sandbox exchange', url: sandbox.url, what: 'order book, orders, balances' },
	]);
});

/** Prints the output of the demo's debug nodes, which arrives in Node-RED's log, and the warnings of all nodes. */
function retell(line: string): void {
	const [, level, node, text] = / - \[(info|warn|error)\] \[([^\]:]+:[^\]]+)\] (.*)$/.exec(line) ?? [];
	if (!text) return;
	if (node!.startsWith('debug:')) tell(text.trimEnd());
	else if (level !== 'info') tell(`Node-RED: ${text}`);
}

/** Deploys the demo on the first start. On later starts only the addresses of the sandbox are updated. */
async function deployDemo(nodeRed: NodeRedHost, { baseUrl, wsUrl }: SandboxHost): Promise<void> {
	const present = await nodeRed.api<FlowNode[]>('/flows');
	const account = present.find(({ id }) => id === DEMO_ACCOUNT);
	if (present.some(({ type }) => type === ACCOUNT_TYPE)) tell('Your flows of the last start are kept.');
	if (account && account['baseUrl'] !== baseUrl) {
		await nodeRed.deploy(present.map((node) => (node === account ? { ...node, baseUrl, wsUrl } : node)));
	} else if (!present.some(({ type }) => type === ACCOUNT_TYPE)) {
		const demo = JSON.parse(await readFile(join(root, 'examples', 'node-red', 'demo.json'), 'utf8')) as FlowNode[];
		const settings = { baseUrl, wsUrl, credentials: { apiKey: SANDBOX_KEY } };
		await nodeRed.deploy(demo.map((node) => (node.id === DEMO_ACCOUNT ? { ...node, ...settings } : node)));
	}
}
