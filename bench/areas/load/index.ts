import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Area, Contestant, Sample } from '../../area';

const SCRIPT = `
	const cpu = process.cpuUsage();
	const at = performance.now();
	for (const name of process.argv.slice(1)) require(name);
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
const N8N = join(ROOT, 'dist', 'nodes', 'bundle.js');
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
		n8n: loading('ours for n8n, after n8n-workflow', 'n8n-workflow', N8N),
		nodeRed: loading('ours for Node-RED', NODE_RED),
		axios: loading('axios', 'axios'),
		ws: loading('ws', 'ws'),
	},
	limits: [{ of: 'n8n', beyond: 'n8nWorkflow', ms: 20 }],
};
