import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import { everyFile } from '../support/files';
import { openCommonBench } from './common-bench';
import { account, call, node, payloadOf, tab } from './flows';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' };

describe('an order write in trouble', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0, keyRetentionMs: 1 } }));
	const orders = () => [...bench.sandbox.engine.state.orders.values()];
	const flow = () => [
		tab,
		account(bench.sandbox),
		...node('create', 'create-order', order),
		...node('cancel', 'cancel-order', { pair_id: 'USD/NGN', wait: 'final' }),
		...node('resolve', 'resolve-order', {}, 1),
		...node('deposit', 'simulate-deposit', {
			...{ operation: 'fiatDeposit', email: 'trader@sandbox.test', amount: '5.00', currency: 'NGN' },
		}),
		...node('impatient', 'create-order', {
			...{ ...order, price: '1300.00', wait: 'final', wait_seconds: '1' },
			fail_when: 'time_limit',
		}),
		{ id: 'caught', type: 'catch', z: tab.id, scope: ['impatient'], wires: [['resolve']] },
	];

	beforeAll(async () => {
		// The service forgets idempotency keys at once, so only the client keeps a second request from placing a second
		// order.
		await bench.nodeRed.deploy(flow());
	});
	beforeEach(() => {
		bench.sandbox.faults.disarm();
		bench.nodeRed.forget();
	});

	it('places an order once per intent key, whatever else is in the payload', async () => {
		const before = orders().length;
		const intentKey = 'invoice of many runs';
		const first = payloadOf(await call(bench.nodeRed, 'create', { intentKey, payload: { client_order_id: 'run 1' } }));
		const again = payloadOf(await call(bench.nodeRed, 'create', { intentKey, payload: { client_order_id: 'run 2' } }));
		expect(again).toMatchObject({ order_id: (first as { order_id: string }).order_id, repeated: true });
		expect(orders().length).toBe(before + 1);
		const refused = await call(bench.nodeRed, 'create', { intentKey, payload: { idempotency_key: 'run 3' } });
		expect(JSON.stringify(refused)).toContain('not both');
	});

	it('does not send a simulated deposit in doubt again for the same message', async () => {
		const sent = () => bench.sandbox.requests.filter(({ path }) => path.includes('/simulate/')).length;
		bench.sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'simulation.fiatDeposit' });
		for (const said of ['not known whether', 'this try sent nothing']) {
			const { error } = await call(bench.nodeRed, 'deposit', { intentKey: 'deposit-1' });
			expect(JSON.stringify(error)).toContain(said);
		}
		expect(sent()).toBe(1);
		payloadOf(await call(bench.nodeRed, 'deposit', { intentKey: 'deposit-2' }));
		expect(sent()).toBe(2);
	});

	it('sends an unknown order through the second output, never as a failure, and resumes it from there', async () => {
		const before = orders().length;
		bench.sandbox.faults.arm({ kind: 'commit-then-hang', operation: 'order.create', times: 1_000 });
		const calling = call(bench.nodeRed, 'create', { kept: 'yes', intentKey: 'unknown-one' });
		await until(() => orders().length > before, { what: 'the order to be placed' });
		// A deploy ends the lookups; requests that were sent stay sent.
		bench.sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		await bench.nodeRed.deploy(flow(), 'full');
		const { error, wires } = await calling;
		expect(error).toBeUndefined();
		expect(wires.map(({ port }) => port)).toEqual([1]);
		const { payload, kept: stored } = wires[0]!.message;
		// What to do comes first, because the sidebar cuts the sentence.
		expect(bench.nodeRed.log()).toContain(
			'[partner-exchange-create-order:create] Do not place it as a new order: give the',
		);
		expect({ payload, kept: stored }).toMatchObject({
			kept: 'yes',
			payload: { outcome: 'unknown', client_order_id: expect.any(String), not_before: expect.any(String) },
		});
		bench.sandbox.faults.disarm();
		const match = payloadOf(await call(bench.nodeRed, 'resolve', { payload }));
		expect(match).toMatchObject({
			outcome: 'accepted',
			order: { client_order_id: (payload as Record<string, unknown>).client_order_id },
		});
		const again = payloadOf(await call(bench.nodeRed, 'create', { intentKey: 'unknown-one' }));
		expect(again.order_id).toBe(orders().at(-1)!.id);
		expect(orders().length).toBe(before + 1);
	});

	it('resolves an unknown order where a Catch node is wired straight to Resolve Order', async () => {
		const { error } = await call(bench.nodeRed, 'impatient', { payload: {} });
		expect(error).toMatchObject({ code: 'time_limit' });
		const { message } = await bench.nodeRed.waitForMessage(({ from }) => from === 'resolve');
		expect(message.payload).toMatchObject({ outcome: 'accepted', order: { id: orders().at(-1)!.id } });
	});

	it('looks an order up and does not send it again after a kill right after sending', async () => {
		const before = orders().length;
		bench.sandbox.faults.arm({ kind: 'commit-then-hang', operation: 'order.create' });
		await bench.nodeRed.send('create', { intentKey: 'killed-one', payload: { price: '1392.00' } });
		await until(() => orders().length > before, { what: 'the order to be placed' });
		await bench.nodeRed.restart('SIGKILL');
		await until(() => /Done: an order write of an earlier run/.test(bench.nodeRed.log()), {
			what: 'the order to be looked up',
			seen: () => bench.nodeRed.log(),
		});
		const again = payloadOf(
			await call(bench.nodeRed, 'create', { intentKey: 'killed-one', payload: { price: '1392.00' } }),
		);
		expect(orders().length).toBe(before + 1);
		expect(again.order_id).toBe(orders().at(-1)!.id);
		expect(await everyFile(join(bench.nodeRed.userDir, 'partner-exchange'))).not.toContain('sandbox-key');
	});

	it('looks an order up after a kill as soon as another process gives the journal back', async () => {
		const before = orders().length;
		bench.sandbox.faults.arm({ kind: 'commit-then-hang', operation: 'order.create' });
		await bench.nodeRed.send('create', { intentKey: 'locked-one', payload: { price: '1393.00' } });
		await until(() => orders().length > before, { what: 'the order to be placed' });
		const folder = join(bench.nodeRed.userDir, 'partner-exchange');
		const own = (await readdir(folder)).find((name) => /\.lock\.\d+$/.test(name))!;
		const others = join(
			folder,
			own.replace(/\d+$/, (number) => String(Number(number) + 1)),
		);
		await writeFile(others, 'another-machine 1');
		await bench.nodeRed.restart('SIGKILL');
		const says = (words: RegExp): Promise<unknown> =>
			until(() => words.test(bench.nodeRed.log()), { what: String(words), seen: () => bench.nodeRed.log() });
		await says(/Started flows/);
		expect(bench.nodeRed.log()).not.toMatch(/Done: an order write/);
		await rm(others);
		await says(/Done: an order write of an earlier run/);
		expect(orders().length).toBe(before + 1);
	});

	it('fails a message that a flow kept and sends again after a restart, as it does before one', async () => {
		const before = orders().length;
		const message = { _msgid: 'kept-by-a-flow', payload: { price: '1390.00' } };
		payloadOf(await call(bench.nodeRed, 'create', message));
		await bench.nodeRed.restart();
		const { error } = await call(bench.nodeRed, 'create', message);
		expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('was placed already') });
		expect(orders().length).toBe(before + 1);
	});

	it('looks an order up under its intent key before it is sent by a process that never heard of it', async () => {
		const before = orders().length;
		const message = { intentKey: 'kept-one', payload: { price: '1391.00' } };
		const first = payloadOf(await call(bench.nodeRed, 'create', message));
		await bench.nodeRed.restart();
		const again = payloadOf(await call(bench.nodeRed, 'create', message));
		expect(again).toMatchObject({ order_id: first.order_id, repeated: true, created_at: expect.any(String) });
		expect(orders().length).toBe(before + 1);
	});
});

/** Outcomes remembered in the process and in its journal do not outlive the sandbox that has the orders. */
describe('a business key in Node-RED', () => {
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' };

	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const orders = () => [...bench.sandbox.engine.state.orders.keys()];
	const place = async (message: Record<string, unknown>) => payloadOf(await call(bench.nodeRed, 'create', message));

	beforeAll(async () => {
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...node('create', 'create-order', order)], 'full');
	});

	it('places a new order under a business key after a reset of the sandbox, and so does a message', async () => {
		for (const message of [{ intentKey: 'invoice-7' }, { _msgid: 'the-same-message', error: {} }]) {
			const before = await place(message);
			expect(await place(message)).toMatchObject({ order_id: before.order_id, repeated: true });
			bench.sandbox.reset();
			const after = await place(message);
			expect(after).not.toHaveProperty('repeated');
			expect(orders()).toEqual([after.order_id]);
		}
	});

	it('fails a message that a flow kept and sends again after a restart, in place of a success without an order', async () => {
		const message = { _msgid: 'kept-in-a-context', payload: {} };
		await place(message);
		// As long ago as no difference between two clocks is.
		const created_at = new Date(Date.now() - 3_600_000).toISOString();
		for (const { idempotency } of bench.sandbox.engine.state.accounts.values())
			for (const { answer } of idempotency.values()) Object.assign(answer, { created_at });
		await bench.nodeRed.restart();
		const before = orders().length;
		const { error } = await call(bench.nodeRed, 'create', message);
		expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('the order was placed') });
		expect(orders().length).toBe(before);
	});
});
