/** `npm run start:n8n`: the sandbox exchange and a real n8n with our nodes and two published demo workflows, on this machine only. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildIfNeeded } from './hosts/build';
import { readFlags } from './hosts/flags';
import { OWNER, startN8n, type N8nHost, type WorkflowText } from './hosts/n8n';
import { installN8n } from './hosts/n8n-install';
import { retellExecutions } from './hosts/n8n-story';
import { pack } from './hosts/package';
import { requireFree } from './hosts/ports';
import { SANDBOX_KEY, startSandbox, type SandboxHost } from './hosts/sandbox';
import { runSession } from './hosts/session';
import { showPages, tell } from './hosts/story';

const root = join(__dirname, '..');
const CREDENTIAL_TYPE = 'partnerExchangeApi';
const CREDENTIAL = 'Sandbox';
const DEMOS = ['demo-fills.json', 'demo-balance.json'];

const PURPOSE =
	'Starts the sandbox exchange and n8n with the nodes installed and two demo workflows running.\nThe first start installs n8n into your cache folder, which takes about five minutes.';
const FLAGS = {
	'sandbox-port': { type: 'string', default: '4010', value: 'PORT', about: 'where the sandbox exchange listens' },
	'n8n-port': { type: 'string', default: '5678', value: 'PORT', about: 'where n8n listens' },
	data: {
		type: 'string',
		default: '.sandbox',
		value: 'FOLDER',
		about: 'where everything is kept; remove it to start anew',
	},
	inspect: { type: 'string', default: '', value: 'PORT', about: 'let a debugger attach to the host on this port' },
	build: { type: 'boolean', default: true, about: 'do not build first, even if something changed' },
} as const;

runSession(async ({ own, atEnd }) => {
	const flags = readFlags('run start:n8n', PURPOSE, FLAGS);
	if (!flags) return;
	const data = resolve(root, flags.data);
	await requireFree(Number(flags['sandbox-port']), 'the sandbox exchange', 'npm run start:n8n -- --sandbox-port');
	await requireFree(Number(flags['n8n-port']), 'n8n', 'npm run start:n8n -- --n8n-port');
	if (flags.build) await buildIfNeeded(root);
	const { program } = await installN8n(tell);
	tell('Starting the sandbox exchange and n8n.');
	const sandbox = await startSandbox({
		...{ root, port: Number(flags['sandbox-port']), dataFile: join(data, 'exchange.db') },
		own: (child) => own('The sandbox exchange', child),
	});
	const n8n = await startN8n({
		...{ program, userFolder: join(data, 'n8n'), port: Number(flags['n8n-port']) },
		packages: [await pack(root, join(data, 'packed'))],
		...(flags.inspect ? { debug: { port: Number(flags.inspect), folder: root } } : {}),
		onLine: (line) => void (/\b(warn|error)\b/.test(line) && tell(`n8n: ${line.trim()}`)),
		own: (child) => own('n8n', child),
	});
	const workflowIds = await publishDemos(n8n, sandbox);
	showPages([
		{ name: 'n8n', url: n8n.url, what: `sign in as ${OWNER.email}, password ${OWNER.password}` },
		{ name: 'Sandbox exchange', url: sandbox.url, what: 'order book, orders, balances' },
	]);
	atEnd(retellExecutions(n8n.api, workflowIds));
});

/** Publishes the demos on the first start. Workflows of an earlier start stay as they were left, but for the sandbox's addresses. */
async function publishDemos(n8n: N8nHost, { baseUrl, wsUrl }: SandboxHost): Promise<string[]> {
	const credential = {
		name: CREDENTIAL,
		type: CREDENTIAL_TYPE,
		data: { environment: 'sandbox', apiKey: SANDBOX_KEY, baseUrl, wsUrl },
	};
	const present = await n8n.api<Array<{ id: string }>>('GET', '/rest/workflows');
	if (present.length === 0) return await saveDemos(n8n, await n8n.saveCredential(credential));
	tell('Your workflows of the last start are kept.');
	const credentials = await n8n.api<Array<{ id: string; name: string }>>('GET', '/rest/credentials');
	const saved = credentials.find(({ name }) => name === CREDENTIAL);
	if (saved) await n8n.api('PATCH', `/rest/credentials/${saved.id}`, credential);
	return present.map(({ id }) => id);
}

async function saveDemos(n8n: N8nHost, { id, name }: { id: string; name: string }): Promise<string[]> {
	const credentials = { [CREDENTIAL_TYPE]: { id, name } };
	const workflowIds: string[] = [];
	for (const file of DEMOS) {
		const demo = JSON.parse(await readFile(join(root, 'examples', 'n8n', file), 'utf8')) as WorkflowText;
		const nodes = demo.nodes.map((node) => (node['credentials'] ? { ...node, credentials } : node));
		const workflow = await n8n.saveWorkflow({ ...demo, nodes });
		await n8n.publish(workflow.id);
		workflowIds.push(workflow.id);
	}
	return workflowIds;
}
