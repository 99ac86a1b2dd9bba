import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../support/condition';

const root = join(__dirname, '..', '..');

/** Starts a host that would run for ever, and tells its process id. */
const program = `
	const { startChild } = require('./scripts/hosts/child.ts');
	const child = startChild({ args: ['-e', 'setInterval(() => {}, 1000)'], cwd: '/', env: process.env });
	console.log(child.process.pid);
	setInterval(() => {}, 1000);
`;

const isRunning = (processId: number): boolean => {
	try {
		return process.kill(processId, 0);
	} catch {
		return false;
	}
};

describe('startChild', () => {
	it('leaves no host behind when the process that started it is killed', async () => {
		const parent = spawn(process.execPath, ['--import', 'tsx', '-e', program], {
			cwd: root,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		let output = '';
		parent.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
		await until(() => output.includes('\n'), { timeoutMs: 10_000, what: 'the host to run' });
		const host = Number(output);
		expect(isRunning(host)).toBe(true);
		parent.kill('SIGKILL');
		await until(() => !isRunning(host), { timeoutMs: 10_000, what: 'the host to end' });
	});
});
