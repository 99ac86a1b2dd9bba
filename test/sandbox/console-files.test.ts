/** The files of the console page, asked for by readers that break off, and on a disk that cannot be read. */
import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect } from 'node:net';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';

/** A disk that fails, in place of the one that does not. */
jest.mock('node:fs', () => {
	const real = jest.requireActual<typeof fs>('node:fs');
	return { ...real, createReadStream: jest.fn(real.createReadStream) };
});

let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox({ seed: 1 })));
afterAll(async () => await sandbox.close());

/** Descriptors of this process that are open on files of the console. */
const open = (): string[] =>
	fs.readdirSync('/proc/self/fd').flatMap((fd) => {
		try {
			return [fs.readlinkSync(`/proc/self/fd/${fd}`)].filter((path) => /console\/[\w.-]+$/.test(path));
		} catch {
			return [];
		}
	});

async function breakOff(path: string): Promise<void> {
	const { hostname, port } = new URL(sandbox.url);
	const socket = connect(Number(port), hostname).on('error', () => undefined);
	await once(socket, 'connect');
	socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
	socket.resetAndDestroy();
}

it.each(['/console.js', '/index.html', '/console.css'])(
	'the sandbox closes %s however often a reader breaks off',
	async (path) => {
		await Promise.all(Array.from({ length: 100 }, async () => await breakOff(path)));
		const { status } = await fetch(sandbox.url);
		expect(status).toBe(200);
		await until(() => open().length === 0, { what: 'closed files' });
	},
);

it('the sandbox says so, and goes on, where a file of the console cannot be read', async () => {
	const unreadable = jest.mocked(fs.createReadStream);
	unreadable.mockImplementationOnce(() => jest.requireActual<typeof fs>('node:fs').createReadStream('/nowhere/else'));
	const answer = await fetch(sandbox.url);
	expect(answer.status).toBe(500);
	expect(await answer.text()).toContain('cannot be read');
	expect((await fetch(sandbox.url)).status).toBe(200);
});
