/**
 * `npm run start:n8n`: the sandbox exchange, and an n8n with our nodes and two published demo workflows, on loopback
 * only.
 */
import { join, resolve } from 'node:path';
import { buildIfNeeded } from './hosts/build';
import { BUILD, DATA, INSPECT, readFlags, SANDBOX_PORT } from './hosts/flags';
import { OWNER, startN8n } from './hosts/n8n';
import { publishDemos } from './hosts/n8n-demos';
import { installN8n } from './hosts/n8n-install';
import { retellExecutions } from './hosts/n8n-story';
import { pack } from './hosts/package';
import { requireFree } from './hosts/ports';
import { startSandbox } from './hosts/sandbox';
import { runSession } from './hosts/session';
import { showPages, tell } from './hosts/story';

const root = join(__dirname, '..');

const PURPOSE =
	'Starts the sandbox exchange and n8n with the nodes installed and two demo workflows running.\nThe first start installs n8n into your cache folder, which takes about five minutes.';
const FLAGS = {
	'sandbox-port': SANDBOX_PORT,
	'n8n-port': { type: 'string', default: '5678', value: 'PORT', about: 'where n8n listens' },
	data: DATA,
	inspect: INSPECT,
	build: BUILD,
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
