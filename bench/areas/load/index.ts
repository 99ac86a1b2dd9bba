import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area, Contestant, Sample } from '../../area';

/** n8n makes one of each class that it loads, and reads what it tells of itself. */
const SCRIPT = String.raw`
	const cpu = process.cpuUsage();
	const at = performance.now();
	for (const name of process.argv.slice(1)) {
		const loaded = require(name);
		if (/\.(node|credentials)\.js$/.test(name)) new (Object.values(loaded)[0])();
	}
	const { user, system } = process.cpuUsage(cpu);
	const megabytes = process.resourceUsage().maxRSS / 1024;
	console.log(JSON.stringify({ items: 1, cpuMs: (user + system) / 1e3, ms: performance.now() - at, megabytes }));
`;

/** What a process that holds nothing yet pays to load something, once. The bench itself holds much. */
const loading = (title: string, ...modules: string[]): Contestant => ({
	title,
	run: async () =>
		JSON.parse(execFileSync(process.execPath, ['-e', SCRIPT, ...modules], { encoding: 'utf8' })) as Sample,
});

const ROOT = process.cwd();
const { n8n } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	n8n: Record<'nodes' | 'credentials', string[]>;
};
/** What n8n requires at its start, and what the first run of a node asks for. */
const N8N = [...n8n.credentials, ...n8n.nodes].map((file) => join(ROOT, file));
const N8N_BUNDLE = join(ROOT, 'dist', 'nodes', 'bundle.js');
const NODE_RED = join(ROOT, 'packages', 'node-red', 'dist', 'partner-exchange.js');

export const load: Area = {
	title: 'Load',
	about:
		'What a fresh process pays to load the packed nodes. n8n has n8n-workflow loaded before any community node, so ours count beyond that.',
	unit: 'loads',
	judged: 'cpu',
	size: 1,
	smoke: 1,
	baseline: 'n8nWorkflow',
	contestants: {
		n8nWorkflow: loading('n8n-workflow', 'n8n-workflow'),
		n8n: loading('ours for n8n, after n8n-workflow', 'n8n-workflow', ...N8N),
		n8nRun: loading('the same, and what the first run of a node loads', 'n8n-workflow', ...N8N, N8N_BUNDLE),
		nodeRed: loading('ours for Node-RED', NODE_RED),
		axios: loading('axios', 'axios'),
		ws: loading('ws', 'ws'),
	},
	limits: [{ of: 'n8n', beyond: 'n8nWorkflow', ms: 20 }],
};
