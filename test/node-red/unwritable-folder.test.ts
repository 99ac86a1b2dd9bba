import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { account, call, CONNECTED, node, openBench, payloadOf, tab, type Bench } from './flows';

describe('a Node-RED whose folder cannot be written to', () => {
	let bench: Bench;
	const folder = (): string => join(bench.nodeRed.userDir, 'partner-exchange');
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', price: '1400.00', quantity: '10' };

	beforeAll(async () => {
		bench = await openBench({ marketMaker: false });
		await writeFile(folder(), 'a file in the way');
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('order-node', 'create-order', order),
			...node('listening', 'events', { topics: ['user.fills'] }),
		]);
	});
	afterAll(async () => await bench?.close());

	it('sends no order, and says what the disk answered and what to check', async () => {
		const { error } = await call(bench.nodeRed, 'order-node');
		expect(error?.message).toMatch(
			/^The journal of open orders cannot be read \(E[A-Z]+\)\. Check that .* the folder of the journal may be written to; this run sent nothing/,
		);
		expect([...bench.sandbox.engine.state.orders.values()]).toEqual([]);
	});

	it('listens to nothing rather than skip what happened since its position', async () => {
		await bench.nodeRed.waitForStatus('listening', /not available/);
		expect(bench.nodeRed.log()).toContain('The stored position cannot be read (ENOTDIR)');
	});

	it('goes on after a deploy once the folder may be written to', async () => {
		await rm(folder());
		await bench.nodeRed.deploy(await bench.nodeRed.api('/flows'));
		await bench.nodeRed.waitForStatus('listening', CONNECTED);
		expect(payloadOf(await call(bench.nodeRed, 'order-node'))).toMatchObject({ side: 'buy' });
	});
});
