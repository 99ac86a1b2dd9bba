/** The dry run of an order that may stay open, where the stream that would cancel it does not open. */
import { createServer, type AddressInfo } from 'node:net';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { limitOrder, NODE, run } from './exchange';

describe('a dry run of n8n whose stream does not open', () => {
	let sandbox: Sandbox;
	let knocks = 0;
	const closedDoor = createServer((socket) => {
		knocks += 1;
		socket.destroy();
	});
	beforeAll(async () => {
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
		await new Promise<void>((resolve) => closedDoor.listen(0, '127.0.0.1', resolve));
	});
	afterAll(async () => {
		closedDoor.close();
		await sandbox.close();
	});

	const hintsOf = async (parameters: object, isOpen = false) => {
		const wsUrl = `ws://127.0.0.1:${(closedDoor.address() as AddressInfo).port}/v1/ws`;
		const rehearsed = { ...limitOrder, options: { dry_run: true }, ...parameters };
		const made = await run(sandbox, rehearsed, { credential: isOpen ? {} : { wsUrl, allowDifferentHosts: true } });
		expect(made.error).toBeUndefined();
		return made
			.runsOf(NODE)[0]!
			.hints!.map(({ message }) => message)
			.filter((text) => /Stream Address/.test(text));
	};

	it('says that the order could not be cancelled, and the setting that helps', async () => {
		expect(await hintsOf({})).toEqual([
			expect.stringMatching(/The Stream Address does not answer.*not be cancelled.*NODE_USE_ENV_PROXY=1/),
		]);
		expect(sandbox.engine.state.orders.size).toBe(0);
	});

	it.each([
		['a market order', { order_type: 'market', price: '' }],
		['an order that is filled or ends at once', { options: { dry_run: true, time_in_force: 'IOC' } }],
		['an order that is sent, which does not wait for it', { options: { wait: 'none' } }],
	])('does not look for %s', async (_, parameters) => {
		const before = knocks;
		expect(await hintsOf(parameters)).toEqual([]);
		expect(knocks).toBe(before);
	});

	it('says nothing where the stream opens', async () => {
		expect(await hintsOf({}, true)).toEqual([]);
	});
});
