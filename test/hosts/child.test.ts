import { spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { openPort } from '../support/loopback';
import { until } from '../support/condition';

const root = join(__dirname, '..', '..');

/** Starts a host that never ends by itself and holds a connection for as long as it runs. */
const program = `
	const { startChild } = require('./scripts/hosts/child.ts');
	const host = 'require("node:net").connect(Number(process.argv[1]), "127.0.0.1")';
	startChild({ args: ['-e', host, process.argv[1]], cwd: '/', env: process.env });
	setInterval(() => {}, 1000);
`;

describe('startChild', () => {
	it('startChild leaves no host behind when the process that started it is killed', async () => {
		const server = createServer();
		const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
		const args = ['--import', 'tsx', '-e', program, String(await openPort(server))];
		const parent = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
		const connection = await connected;
		let isOpen = true;
		connection.on('error', () => undefined).on('close', () => (isOpen = false));
		connection.resume();
		expect(isOpen).toBe(true);
		parent.kill('SIGKILL');
		await until(() => !isOpen, { what: 'the host to end' });
		server.close();
	});
});
