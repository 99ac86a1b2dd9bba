import { until } from '../support/condition';
import { makeFill } from '../support/fills';
import { openCommonBench } from './common-bench';
import { account, call, node, payloadOf, tab } from './flows';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' };

const saved = {
	...{ operation: 'create', recipient_type: 'fiat', currency: 'NGN' },
	...{ bank_code: '058', account_number: '0123456789' },
};
const deposited = {
	...{ account: 'account-production', operation: 'fiatDeposit' },
	...{ email: 'a@b.test', amount: '1.00', currency: 'NGN' },
};

describe('an action node', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const run = async (id: string, message: Record<string, unknown> = {}) => await call(bench.nodeRed, id, message);
	const orders = () => [...bench.sandbox.engine.state.orders.values()];
	const warned = async (text: RegExp | string) =>
		await until(() => bench.nodeRed.log().search(text) >= 0, { what: 'the warning' });

	beforeAll(async () => {
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			account(bench.sandbox, {
				...{ id: 'account-production', environment: 'production' },
				...{ baseUrl: 'https://exchange.invalid/v1', wsUrl: 'wss://exchange.invalid/v1/ws' },
			}),
			...node('create', 'create-order', order),
			{
				...{ id: 'loop', type: 'function', z: tab.id, wires: [['create']] },
				func: 'for (let times = 0; times < 3; times += 1) node.send({ ...msg });',
			},
			...node('at-price', 'create-order', { ...order, price: '' }),
			...node('at-quantity', 'create-order', { ...order, quantity: '' }),
			...node('open', 'create-order', {
				...{ ...order, price: '', quantity: '' },
				...{ side: 'payload.side', sideType: 'msg' },
			}),
			...node('create-typed', 'create-order', {
				...{ ...order, price: 'wish.price', priceType: 'msg' },
				...{ quantity: 'ORDER_QUANTITY', quantityType: 'env', side: 'side', sideType: 'flow' },
			}),
			...node('create-unset', 'create-order', { ...order, quantity: 'NOT_SET', quantityType: 'env' }),
			...node('create-unset-text', 'create-order', { ...order, quantity: '${NOT_SET}' }),
			...node('create-dry', 'create-order', { ...order, dry_run: 'true', dry_runType: 'bool' }),
			...node('create-plain', 'create-order', { ...order, dry_run: 'false', dry_runType: 'bool', wait: 'accepted' }),
			...node('cancel-plain', 'cancel-order', { dry_run: 'false', dry_runType: 'bool' }),
			...node('create-by-row', 'create-order', { ...order, dry_run: 'payload.dry_run', dry_runType: 'msg' }),
			...node('keeps', 'create-order', { ...order, quantity: '', price: '', keep: 'row' }),
			...node('computed', 'create-order', { ...order, quantity: '$sum(amounts)', quantityType: 'jsonata' }),
			...node('get', 'get-order', {}, 1),
			...node('cancel', 'cancel-order', { wait: 'final' }),
			...node('rows', 'create-order', { pair_id: 'USD/NGN', order_type: 'limit' }),
			{ ...node('latest', 'orders', { limit: '1', output: 'each' }, 1)[0]!, wires: [['changed', 'rows']] },
			{
				...{ id: 'changed', type: 'function', z: tab.id, wires: [['rows']] },
				func: 'return { ...msg, payload: { ...msg.payload, price: "1301.00" } };',
			},
			...node('orders', 'orders', { limit: '2' }, 1),
			{
				...node('later', 'create-order', { ...order, wait: 'accepted' })[0]!,
				wires: [['all-orders', 'all-fills'], []],
			},
			...node('all-orders', 'orders', {}, 1),
			...node('all-fills', 'fills', {}, 1),
			...node('orders-any', 'orders', { limit: '' }, 1),
			...node('orders-each', 'orders', { limit: '3', output: 'each' }, 1),
			...node('balances', 'balances', {}, 1),
			...node('market', 'market', {}, 1),
			...node('save', 'recipients', saved, 1),
			...node('no-account', 'balances', { account: '' }, 1),
			...node('account-gone', 'balances', { account: 'account-deleted' }, 1),
			...node('simulate-for-real', 'simulate-deposit', deposited, 1),
			{
				...{ id: 'set-side', type: 'change', z: tab.id, wires: [[]] },
				rules: [{ t: 'set', p: 'side', pt: 'flow', to: 'sell', tot: 'str' }],
			},
			{ id: 'catch-one', type: 'catch', z: tab.id, scope: ['at-quantity', 'no-account'], wires: [['catch-end']] },
			{ id: 'catch-end', type: 'junction', z: tab.id, wires: [[]] },
			{
				...{ id: 'complete-one', type: 'complete', z: tab.id, wires: [['complete-end']] },
				scope: ['at-price', 'at-quantity'],
			},
			{ id: 'complete-end', type: 'junction', z: tab.id, wires: [[]] },
		]);
	});
	beforeEach(() => bench.nodeRed.forget());

	it('takes an order as it comes out of a list, a create or a fill, by whichever name its identifier has', async () => {
		const made = payloadOf<{ order_id: string }>(await run('create'));
		const { id, ...listed } = payloadOf<{ id: string }[]>(await run('orders'))[0]!;
		for (const payload of [{ id, ...listed }, made, { id: 'fill-1', order_id: made.order_id, price: '1400.00' }])
			expect(payloadOf(await run('get', { payload }))).toMatchObject({ id: made.order_id });
		expect(payloadOf(await run('cancel', { payload: { id, ...listed } }))).toMatchObject({
			order_id: id,
			status: 'cancelled',
		});
		expect((await run('get', { payload: { id: 17, customer: 'Ada' } })).error?.message).toContain(
			'Order ID is missing',
		);
	});

	it('an action node does what its form says and keeps the rest of the message', async () => {
		const result = await run('create', { kept: { deep: 'yes' } });
		expect(payloadOf(result)).toMatchObject({ status: 'accepted', order_id: expect.any(String) });
		expect(result.wires[0]!.message).toMatchObject({ kept: { deep: 'yes' } });
		expect(payloadOf(await run('get', { payload: payloadOf(result) }))).toMatchObject({
			quantity: '10.00',
			price: '1400.00',
		});
	});

	it('a message that says sell does not turn a node around that buys, and whoever wired it is told', async () => {
		const payload = { side: 'sell', order_type: 'market', quantity: '3.00', price: '1399.00', unrelated: true };
		const created = payloadOf(await run('create', { payload }));
		expect(payloadOf(await run('get', { payload: created }))).toMatchObject(order);
		await warned('Side in msg.payload was not read, because the form fixes it');
	});

	it('free fields of a message do not name another bank account than the form does', async () => {
		const body = { account_number: '9999999999', label: 'Rent', nickname: 'home' };
		const saved = payloadOf(await run('save', { payload: { label: 'Office', body } }));
		expect(saved).toMatchObject({ account_number: '0123456789', label: 'Rent' });
		await warned('Account Number in msg.payload was not read');
	});

	it('a list is not narrowed by a time in a message, and whoever wired it is told where to choose it', async () => {
		await run('create', {});
		expect(payloadOf(await run('orders', { payload: { created_after: '2099-01-01T00:00:00Z' } }))).not.toEqual([]);
		await warned(/Created After in msg\.payload was not read.*Choose msg\. payload\.created_after/);
	});

	it('an order that comes in narrows no list whose form leaves the filters empty', async () => {
		await makeFill(bench.sandbox);
		await bench.nodeRed.send('later', {});
		const listed = async (id: string): Promise<Record<string, unknown>[]> =>
			(await bench.nodeRed.waitForMessage(({ from }) => from === id)).message.payload as Record<string, unknown>[];
		expect((await listed('all-orders')).map(({ status }) => status)).toEqual(
			expect.arrayContaining(['accepted', 'filled']),
		);
		// The order that came in has none.
		expect(await listed('all-fills')).not.toEqual([]);
	});

	it('a message fills what the form leaves empty, and what a field of the form points at', async () => {
		const payload = { side: 'sell', quantity: '3.00', price: '1999.00' };
		const created = payloadOf(await run('open', { payload }));
		expect(payloadOf(await run('get', { payload: created }))).toMatchObject({ ...payload, pair_id: 'USD/NGN' });
		const { error } = await run('open', { payload: { quantity: '3.00', price: '1999.00' } });
		expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('payload.side') });
	});

	it.each([
		['Time in Force', { price: '1300.00', 'Time in Force': 'FOK' }],
		['clientOrderId', { price: '1300.00', clientOrderId: 'row-7' }],
		['price ', { 'price ': '1300.00' }],
	])(
		'a column that is called nearly as a field is named, and nothing is ordered without it: %j',
		async (name, payload) => {
			const before = orders().length;
			const { error } = await run('at-price', { payload });
			expect(error).toMatchObject({
				code: 'invalid_input',
				message: expect.stringContaining(`has it as ${JSON.stringify(name)}`),
			});
			expect(orders()).toHaveLength(before);
		},
	);

	it.each([
		['Dry Run', { payload: { dry_run: true } }],
		['Dry Run', { payload: { 'Dry Run': 'TRUE', status: 'new', order_id: '' } }],
		['Maximum Quantity', { payload: { 'Maximum Quantity': '5.00' } }],
		['Business Key', { payload: { business_key: 'row-7' } }],
		['"intentKey"', { payload: { intentKey: 'row-7' } }],
		['"intentkey"', { intentkey: 'row-7', payload: {} }],
		['Business Key', { business_key: 'row-7' }],
	])('an order is not placed where its message names %s at a place that is not read: %j', async (name, message) => {
		const before = orders().length;
		const { error } = await run('create-plain', message);
		expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(name) });
		expect(error?.message).toContain('no order was placed');
		expect(orders()).toHaveLength(before);
	});

	it('an option that the form takes from the message may be off there, and an order stored as text tells its own', async () => {
		const row = { ...order, dry_run: 'false' };
		expect(payloadOf(await run('create-by-row', { payload: row }))).toMatchObject({ order_id: expect.any(String) });
		const made = payloadOf(await run('create-plain', { intentKey: 'row-8' }));
		const stored = JSON.parse(JSON.stringify(made)) as Record<string, unknown>;
		expect(stored).toMatchObject({ business_key: 'row-8', wait: expect.anything() });
		expect(payloadOf(await run('cancel-plain', { payload: stored }))).toMatchObject({ order_id: made.order_id });
	});

	it('a column without a value, or of a field that the form fixes, disturbs nothing', async () => {
		const payload = { price: '1301.00', Quantity: '99.00', 'Client Order ID': '' };
		expect(payloadOf(await run('at-price', { payload }))).toMatchObject({ order_id: expect.any(String) });
	});

	it('an action node reads values from the message, the flow context and the environment where its form says so', async () => {
		await run('set-side');
		const created = payloadOf(await run('create-typed', { wish: { price: '1600.00' } }));
		expect(payloadOf(await run('get', { payload: created }))).toMatchObject({
			quantity: '7.00',
			price: '1600.00',
			side: 'sell',
		});
	});

	it('a row that holds the time it was made, as rows of a database do, keeps its own name and values', async () => {
		const before = orders().length;
		const row = { id: 17, created_at: '2026-11-28T00:00:00Z', client_order_id: 'shop-17', status: 'new' };
		const terms = { side: 'buy', quantity: '5.00', price: '1300.00' };
		const [first, again] = [
			await run('rows', { payload: { ...row, ...terms } }),
			await run('rows', { payload: { ...row, ...terms } }),
		];
		expect(payloadOf(again)).toMatchObject({ order_id: payloadOf(first).order_id, repeated: true });
		expect(
			orders()
				.slice(before)
				.map(({ clientOrderId }) => clientOrderId),
		).toEqual(['shop-17']);
		await run('create', { payload: { ...row, side: 'sell', quantity: '6.00' } });
		await warned('Quantity in msg.payload was not read, because the form fixes it');
	});

	it('an order that our nodes read gives no name to another order, copied by Node-RED or changed in a function', async () => {
		await run('rows', { payload: { client_order_id: 'shop-18', side: 'buy', quantity: '5.00', price: '1302.00' } });
		const before = orders().length;
		await bench.nodeRed.send('latest', {});
		await until(() => orders().length === before + 2, { what: 'two orders' });
		expect(
			new Set(
				orders()
					.slice(before - 1)
					.map(({ clientOrderId }) => clientOrderId),
			).size,
		).toBe(3);
	});

	it('tells each equal order that a loop sends with one _msgid and that is not placed, and a Catch node gets it', async () => {
		const before = orders().length;
		await bench.nodeRed.send('loop', { payload: {} });
		const ended = await until(
			() => [bench.nodeRed.completions.filter(({ node: id }) => id === 'create')].find(({ length }) => length === 3),
			{ what: 'three messages to end' },
		);
		expect(orders().length).toBe(before + 1);
		expect(ended.flatMap(({ error }) => error?.code ?? [])).toEqual(['conflict', 'conflict']);
		expect(bench.nodeRed.messages.filter(({ from }) => from === 'create')).toHaveLength(1);
	});

	it('an action node places one order for a message that arrives twice, and another for the next message', async () => {
		const before = orders().length;
		const first = payloadOf(await run('at-price', { _msgid: 'the-same-message', payload: { price: '1390.00' } }));
		const message = { _msgid: 'the-same-message', payload: { price: '1390.00' } };
		expect((await run('at-price', message)).error).toMatchObject({
			code: 'conflict',
			message: expect.stringMatching(/msg\.intentKey of its own .* the order was placed\. .* same _msgid/),
		});
		const again = payloadOf(await run('at-price', { ...message, error: { message: 'from a Catch node' } }));
		expect(again).toMatchObject({ order_id: first.order_id, repeated: true });
		await run('at-price', { payload: { price: '1390.00' } });
		expect(orders().length).toBe(before + 2);
	});

	it('an action node collects a list up to the limit, or sends one message per item', async () => {
		for (const price of ['1381.00', '1382.00', '1383.00']) await run('at-price', { payload: { price } });
		expect(payloadOf<unknown[]>(await run('orders'))).toHaveLength(2);
		expect(payloadOf<unknown[]>(await run('orders', { payload: { limit: 1 } }))).toHaveLength(2);
		expect(payloadOf<unknown[]>(await run('orders-any', { payload: { limit: 1 } }))).toHaveLength(1);
		const { wires } = await run('orders-each', { kept: 1 });
		expect(wires).toHaveLength(3);
		expect(wires[1]!.message).toMatchObject({
			kept: 1,
			payload: { pair_id: 'USD/NGN' },
			parts: { index: 1, count: 3 },
		});
	});

	it('an action node gives Catch nodes the code and safe facts of an error, and Complete nodes nothing', async () => {
		const { error, wires } = await run('at-quantity', { name: 'failed', payload: { quantity: 0.1 + 0.2 } });
		expect(error).toMatchObject({ code: 'invalid_input' });
		expect(wires).toEqual([]);
		const caught = await bench.nodeRed.waitForMessage(
			({ from, message }) => from === 'catch-one' && message.name === 'failed',
		);
		expect(caught.message.error).toMatchObject({
			code: 'invalid_input',
			message: expect.stringMatching(/; no order was placed\. Create Order: Quantity/),
			cause: { field: 'quantity', retryable: false },
		});
		const report = (name: string) =>
			bench.nodeRed.messages.some(({ from, message }) => from === 'complete-one' && message.name === name);
		await run('at-price', { name: 'done', payload: { price: '1388.00' } });
		await until(() => report('done'), { what: 'the Complete node to be told' });
		expect(report('failed')).toBe(false);
	});

	it.each([
		['an array: put a split node before this one', [{ quantity: '2.00' }]],
		['text: put a json node before this one', '{"quantity":"2.00"}'],
	])('an action node warns that it read nothing of %s', async (what, payload) => {
		expect((await run('create-dry', { payload })).error).toBeUndefined();
		await warned(`No field of msg.payload was read, because it is ${what}`);
	});

	it('an action node says what is missing when no account or no operation is chosen', async () => {
		expect((await run('no-account')).error).toMatchObject({
			code: 'invalid_account',
			message: expect.stringContaining('No account'),
		});
		expect((await run('account-gone')).error?.message).toContain('The chosen account is disabled or does not exist');
		expect((await run('market')).error).toMatchObject({
			code: 'invalid_input',
			message: expect.stringContaining('orderBook'),
		});
	});

	it('an action node refuses a simulation for a production account before any packet', async () => {
		const { error } = await run('simulate-for-real');
		expect(error).toMatchObject({ code: 'not_available', message: expect.stringContaining('production') });
	});

	it('an action node marks a production account in its status', async () => {
		await bench.nodeRed.deploy(await bench.nodeRed.api('/flows'));
		await bench.nodeRed.waitForStatus('simulate-for-real', /^PRODUCTION$/);
		await run('simulate-for-real');
		await bench.nodeRed.waitForStatus('simulate-for-real', /^PRODUCTION · not available$/);
	});

	it('an action node keeps what came beside the answer, under the name the form says', async () => {
		const row = { quantity: '3.00', price: '1399.00', reference: 'row 3' };
		const { wires } = await call(bench.nodeRed, 'keeps', { payload: row });
		expect(wires[0]!.message).toMatchObject({ row, payload: { quantity: '3.00', order_id: expect.any(String) } });
	});

	it('an action node reads a field from a JSONata expression', async () => {
		const { wires } = await call(bench.nodeRed, 'computed', { amounts: [1.5, 2] });
		expect(wires[0]!.message.payload).toMatchObject({ quantity: '3.50' });
	});
});
