import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';

const cwd = join(__dirname, '../..');
/** Less than an unused connection stays open, so whoever waits for one is stopped. */
const TIMEOUT_MS = 25_000;

/** A script that closes nothing. */
const script = (baseUrl: string, text: string): string[] => {
	const account = JSON.stringify({ environment: 'sandbox', baseUrl, apiKey: 'sandbox-key' });
	const opened = `const { client, stream } = require('@partner-exchange/core/node').openAccount(${account});`;
	return ['--import', 'tsx', '-e', `${opened}\n(async () => {${text}})();`];
};

describe('a script that closes nothing', () => {
	let sandbox: Sandbox;
	afterEach(async () => await sandbox.close());

	it('ends by itself when it is done, though a cancel opened the stream', async () => {
		sandbox = await startSandbox({ marketMaker: false });
		const text = `
			const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1000' };
			const { order_id } = await client.order.create(order, { options: { wait: 'accepted' } });
			const { status } = await client.order.cancel({ pair_id: 'USD/NGN', order_id }, { options: { wait: 'final' } });
			console.log(status, stream.status().connections.length);`;
		const options = { cwd, timeout: TIMEOUT_MS };
		const { stdout } = await promisify(execFile)(process.execPath, script(sandbox.baseUrl, text), options);
		expect(stdout).toBe('cancelled 1\n');
	});

	it('stays while it listens, though the service goes away meanwhile, and ends when it listens no more', async () => {
		sandbox = await startSandbox({ marketMaker: true });
		const { baseUrl } = sandbox;
		const text = `
			const fills = stream.subscribe({
				topics: ['user.fills'],
				deliver: async (events) => {
					if (events.some(({ kind }) => kind === undefined)) void fills.close();
				},
				onNotice: ({ kind, state }) => kind === 'state' && console.log(state),
			});
			await fills.ready;
			console.log('ready');`;
		const child = spawn(process.execPath, script(baseUrl, text), { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
		const heard: string[] = [];
		child.stdout.setEncoding('utf8').on('data', (line: string) => void heard.push(...line.split('\n')));
		const hears = (state: string): Promise<unknown> =>
			until(() => heard.includes(state) || child.exitCode !== null, { what: state, seen: () => heard });
		await hears('ready');
		await sandbox.close();
		await hears('waiting');
		heard.length = 0;
		sandbox = await startSandbox({ marketMaker: true, port: Number(new URL(baseUrl).port) });
		await hears('live');
		expect(child.exitCode).toBe(null);
		const account = { environment: 'sandbox', baseUrl, apiKey: 'sandbox-key' } as const;
		const client = createClient(account, nodePorts());
		await client.order.create({ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' });
		expect(await until(() => child.exitCode !== null && [child.exitCode], { what: 'its end' })).toEqual([0]);
	});
});
