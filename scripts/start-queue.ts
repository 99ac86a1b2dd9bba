/** `npm run start:queue`: the sandbox exchange, and an n8n in queue mode with two workers, on loopback only. */
import { join } from 'node:path';
import { prepareDemo, root } from './hosts/demo';
import { OWNER, startN8n } from './hosts/n8n';
import { publishDemos } from './hosts/n8n-demos';
import { installN8n } from './hosts/n8n-install';
import { retellExecutions } from './hosts/n8n-story';
import { startWorker } from './hosts/n8n-worker';
import { pack } from './hosts/package';
import { requireQueuePrograms, startQueue } from './hosts/queue';
import { runSession } from './hosts/session';
import { showPages, tell } from './hosts/story';

const WORKERS = 2;

const PURPOSE =
	'Starts the sandbox exchange and n8n in queue mode: main, two workers, Redis and PostgreSQL, two demo workflows.\nRedis and PostgreSQL are those of Debian; n8n is installed into your cache folder on the first start.';

runSession(async (session) => {
	const { own, atEnd } = session;
	const demo = await prepareDemo({
		command: 'run start:queue',
		purpose: PURPOSE,
		data: '.sandbox/queue',
		require: requireQueuePrograms,
		host: { name: 'n8n', portFlag: 'n8n-port', port: '5678' },
	});
	if (!demo) return;
	const { data, port } = demo;
	const { program } = await installN8n(tell);
	tell('Starting Redis and PostgreSQL.');
	const { env } = await startQueue({ folder: data, own });
	const sandbox = await demo.startSandbox(session);
	const common = { program, env, packages: [await pack(root, join(data, 'packed'))] };
	const warnings = (name: string) => (line: string) =>
		void (/\b(warn|error)\b/.test(line) && tell(`${name}: ${line.trim()}`));
	const n8n = await startN8n({
		...common,
		userFolder: join(data, 'main'),
		port,
		onLine: warnings('n8n'),
		own: (child) => own('n8n', child),
	});
	for (let number = 1; number <= WORKERS; number += 1) {
		const name = `worker ${number}`;
		await startWorker({
			...common,
			userFolder: join(data, `worker-${number}`),
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
