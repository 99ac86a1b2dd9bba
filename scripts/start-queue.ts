/** `npm run start:queue`: the sandbox exchange, and an n8n in queue mode with two workers, on loopback only. */
import { join, resolve } from 'node:path';
import { buildIfNeeded } from './hosts/build';
import { BUILD, DATA, readFlags, SANDBOX_PORT } from './hosts/flags';
import { OWNER, startN8n } from './hosts/n8n';
import { publishDemos } from './hosts/n8n-demos';
import { installN8n } from './hosts/n8n-install';
import { retellExecutions } from './hosts/n8n-story';
import { startWorker } from './hosts/n8n-worker';
import { pack } from './hosts/package';
import { requireFree } from './hosts/ports';
import { requireQueuePrograms, startQueue } from './hosts/queue';
import { startSandbox } from './hosts/sandbox';
import { runSession } from './hosts/session';
import { showPages, tell } from './hosts/story';

const root = join(__dirname, '..');
const WORKERS = 2;

const PURPOSE =
	'Starts the sandbox exchange and n8n in queue mode: main, two workers, Redis and PostgreSQL, two demo workflows.\nRedis and PostgreSQL are those of Debian; n8n is installed into your cache folder on the first start.';
const FLAGS = {
	'sandbox-port': SANDBOX_PORT,
	'n8n-port': { type: 'string', default: '5678', value: 'PORT', about: 'where n8n listens' },
	data: { ...DATA, default: '.sandbox/queue' },
	build: BUILD,
} as const;

runSession(async ({ own, atEnd }) => {
	const flags = readFlags('run start:queue', PURPOSE, FLAGS);
	if (!flags) return;
	const data = resolve(root, flags.data);
	await requireFree(Number(flags['sandbox-port']), 'the sandbox exchange', 'npm run start:queue -- --sandbox-port');
	await requireFree(Number(flags['n8n-port']), 'n8n', 'npm run start:queue -- --n8n-port');
	await requireQueuePrograms();
	if (flags.build) await buildIfNeeded(root);
	const { program } = await installN8n(tell);
	tell('Starting the sandbox exchange, Redis, PostgreSQL and n8n.');
	const { env } = await startQueue({ folder: data, own });
	const sandbox = await startSandbox({
		...{ root, port: Number(flags['sandbox-port']), dataFile: join(data, 'exchange.db') },
		own: (child) => own('The sandbox exchange', child),
	});
	const common = { program, env, packages: [await pack(root, join(data, 'packed'))] };
	const warnings = (name: string) => (line: string) =>
		void (/\b(warn|error)\b/.test(line) && tell(`${name}: ${line.trim()}`));
	const n8n = await startN8n({
		...{ ...common, userFolder: join(data, 'main'), port: Number(flags['n8n-port']) },
		onLine: warnings('n8n'),
		own: (child) => own('n8n', child),
	});
	for (let number = 1; number <= WORKERS; number += 1) {
		const name = `worker ${number}`;
		await startWorker({
			...{ ...common, userFolder: join(data, `worker-${number}`) },
			onLine: (line) => {
				const [, execution] = /Worker finished execution (\d+)/.exec(line) ?? [];
				if (execution) tell(`${name.padEnd(15)}ran execution ${execution}`);
				else warnings(name)(line);
			},
			own: (child) => own(name, child),
		});
	}
	const workflowIds = await publishDemos(n8n, sandbox);
	showPages([
		{ name: 'n8n', url: n8n.url, what: `sign in as ${OWNER.email}, password ${OWNER.password}` },
		{ name: 'Sandbox exchange', url: sandbox.url, what: 'order book, orders, balances' },
	]);
	atEnd(retellExecutions(n8n.api, workflowIds));
});
