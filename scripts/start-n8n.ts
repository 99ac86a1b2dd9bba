/**
 * `npm run start:n8n`: the sandbox exchange, and an n8n with our nodes and two published demo workflows, on loopback
 * only.
 */
import { join } from 'node:path';
import { prepareDemo, root } from './hosts/demo';
import { OWNER, startN8n } from './hosts/n8n';
import { publishDemos } from './hosts/n8n-demos';
import { installN8n } from './hosts/n8n-install';
import { retellExecutions } from './hosts/n8n-story';
import { pack } from './hosts/package';
import { runSession } from './hosts/session';
import { showPages, tell } from './hosts/story';

const PURPOSE =
	'Starts the sandbox exchange and n8n with the nodes installed and two demo workflows running.\nThe first start installs n8n into your cache folder, which takes about five minutes.';

runSession(async (session) => {
	const { own, atEnd } = session;
	const demo = await prepareDemo({
		command: 'run start:n8n',
		purpose: PURPOSE,
		canInspect: true,
		host: { name: 'n8n', portFlag: 'n8n-port', port: '5678' },
	});
	if (!demo) return;
	const { data, port, inspect } = demo;
	const { program } = await installN8n(tell);
	const sandbox = await demo.startSandbox(session);
	const n8n = await startN8n({
		program,
		userFolder: join(data, 'n8n'),
		port,
		packages: [await pack(root, join(data, 'packed'))],
		...(inspect ? { debug: { port: inspect, folder: root } } : {}),
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
