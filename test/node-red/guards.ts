import { account, call, node, payloadOf, tab } from './flows';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' };
/** A form option that refers to a message property. */
const fromMessage = (option: string) => ({ [option]: option, [`${option}Type`]: 'msg' });

describe('a guard of an action node', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const run = async (id: string, message: Record<string, unknown> = {}) => await call(bench.nodeRed, id, message);
	const orders = () => [...bench.sandbox.engine.state.orders.values()];
	const guards = ['dry_run', 'max_quantity', 'max_notional', 'allowed_pairs', 'allowed_sides', 'business_key'];
	/** Requests to a host that does not exist are retried, but not for long. */
	const brief = { unknown_after_seconds: '1', check_market: false };
	/** Which of them depends on how long the resolver of the machine takes for a name that does not exist. */
	const notReached = /^(unreachable|timeout|outcome_unknown)$/;
	const elsewhere = { baseUrl: 'https://exchange.invalid/v1', wsUrl: 'wss://exchange.invalid/v1/ws' };

	beforeAll(async () => {
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			account(bench.sandbox, { id: 'labelled', environment: 'sandbox', ...elsewhere }),
			account(bench.sandbox, { id: 'confirmed', environment: 'staging', ...elsewhere, testHosts: 'exchange.invalid' }),
			account(bench.sandbox, { id: 'real', environment: 'production', ...elsewhere }),
			...guards.flatMap((guard) => node(`by-${guard}`, 'create-order', { ...order, ...fromMessage(guard) })),
			...node('by-check_balance', 'create-order', { ...order, ...fromMessage('check_balance') }),
			...node('dry-by-env', 'create-order', { ...order, dry_run: 'DRY_RUN', dry_runType: 'env' }),
			...node('key-by-env', 'create-order', { ...order, business_key: 'EMPTY_KEY', business_keyType: 'env' }),
			...node('plain', 'create-order', order),
			...node('all', 'cancel-open-orders', {}, 1),
			...['plain', 'all'].map((id) => ({
				...{ id: `bytes-to-${id}`, type: 'function', z: tab.id, wires: [[id]] },
				func: 'msg.payload = Buffer.from(msg.payload); return msg;',
			})),
			...node('at-market', 'create-order', { ...order, order_type: 'market', price: '' }),
			...node('unproved', 'create-order', { ...order, account: 'labelled' }),
			...node('proved', 'create-order', { ...order, ...brief, account: 'confirmed' }),
			...node('unproved-deposit', 'simulate-deposit', { account: 'labelled', operation: 'fiatDeposit' }, 1),
			...node('forbidden', 'create-order', { ...order, account: 'real' }),
			...node('allowed', 'create-order', { ...order, ...brief, account: 'real', production: true }),
			...node('muddled', 'create-order', { ...order, account: 'real', production: 'yes' }),
			...node('unset', 'create-order', { ...order, account: 'real', production: '${ALLOW_REAL}' }),
		]);
	});
	beforeEach(() => {
		bench.nodeRed.forget();
		bench.sandbox.requests.splice(0);
	});

	const refused = async (id: string, field: string, message: Record<string, unknown> = {}): Promise<void> => {
		const before = orders().length;
		const { error, wires } = await run(id, message);
		expect(error).toMatchObject({ code: 'invalid_input' });
		expect(wires).toEqual([]);
		const caught = bench.nodeRed.completions.at(-1);
		expect(caught?.error?.message).toMatch(
			new RegExp(field.replace('max_', 'maximum ').replace('notional', 'value').replace('_', '.'), 'i'),
		);
		expect(orders()).toHaveLength(before);
		expect(bench.sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	};

	it.each(guards)('refuses a guard by name when what it points at is empty: %s', async (guard) => {
		for (const value of [undefined, '', null, '  ']) await refused(`by-${guard}`, guard, { [guard]: value });
	});

	it.each<[string, string, object]>([
		['msg', 'dry_run', { dry_run: true }],
		['msg.options', 'dry_run', { options: { dry_run: true } }],
		['msg.payload.options', 'dry_run', { payload: { options: { dry_run: true } } }],
		['msg.payload.order.guards', 'max_quantity', { payload: { order: { guards: { 'Max Quantity': '1' } } } }],
		['msg.payload.0', 'dry_run', { payload: [{ dry_run: true }] }],
		['msg.payload.orders.0', 'dry_run', { payload: { orders: [{ dry_run: true }] } }],
		['msg.payload', 'dry_run', { payload: '{"dry_run":true}' }],
		['msg.payload', 'dry_run', { payload: '[{"options":{"dryRun" : true}}]' }],
		['msg.payload', 'intentKey', { payload: '{"intentKey":"invoice-1"}' }],
		['msg.payload', 'client_order_id', { payload: '{"client_order_id":"order-1"}' }],
		['msg', 'time_in_force', { time_in_force: 'FOK' }],
		['msg', 'client_order_id', { clientOrderId: 'order-1' }],
		['msg.payload.options', 'business_key', { payload: { options: { business_key: 'invoice-1' } } }],
		['msg.payload.options', 'intentKey', { payload: { options: { intentKey: 'invoice-1' } } }],
		['msg.payload.options', 'time_in_force', { payload: { options: { time_in_force: 'IOC' } } }],
		['msg.payload.order', 'client_order_id', { payload: { order: { clientOrderId: 'order-1' } } }],
	])('refuses a write that has at %s what the form leaves out: %s', async (place, _, message) => {
		const before = orders().length;
		const { error } = await run('plain', message as Record<string, unknown>);
		expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(place) });
		expect(orders()).toHaveLength(before);
	});

	const reasonOf = async (node: string, message: Record<string, unknown>): Promise<string | undefined> => {
		await bench.nodeRed.send(`bytes-to-${node}`, message);
		return (await bench.nodeRed.waitForCompletion(node)).error?.message;
	};

	it('refuses a write whose message is bytes, as a broker or a file brings them, that name what is not read', async () => {
		const before = orders().length;
		expect(await reasonOf('plain', { payload: '{"dry_run":true}' })).toContain('put a json node before this one');
		expect(orders()).toHaveLength(before);
	});

	it.each<[string, Record<string, unknown>]>([
		['its label', { payload: { Pair: 'USD/NGN' } }],
		['the plural', { payload: { sides: 'sell' } }],
		['an object', { payload: { filters: { pair_id: 'USD/NGN' } } }],
		['a list', { payload: [{ pair_id: 'USD/NGN' }] }],
		['text', { payload: '{"pair_id":"USD/NGN"}' }],
		['the message', { pair_id: 'USD/NGN' }],
		['a rehearsal', { payload: { dry_run: true } }],
	])(
		'cancels no order of every pair where the message names some in a way that is not read: %s',
		async (_, message) => {
			await run('plain');
			const { error } = await run('all', message);
			expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('msg') });
			expect(orders().at(-1)).toMatchObject({ status: 'accepted' });
			bench.nodeRed.forget();
			const row = JSON.stringify(message['payload'] ?? message);
			expect(await reasonOf('all', { payload: row })).toContain('put a json node before this one');
		},
	);

	it.each([
		...[{ side: '' }, { side: null }, { side: '  ' }, { pair_id: '' }, { pair_id: '', side: 'buy' }],
		...[{ created_before: '' }, { side: '', pair_id: 'USD/NGN' }],
	])('cancels no order where a cell of its row is empty: %j', async (payload) => {
		await run('plain');
		const { error } = await run('all', { payload });
		expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('is set and empty') });
		expect(orders().at(-1)).toMatchObject({ status: 'accepted' });
	});

	it('cancels the orders of the side that the message has as every order has it', async () => {
		await run('plain');
		expect(payloadOf(await run('all', { payload: { side: 'sell' } }))).toMatchObject({ orders: [], still_open: 0 });
		expect(orders().at(-1)).toMatchObject({ side: 'buy', status: 'accepted' });
	});

	it('takes an order whose message tells of another one, or has an empty option', async () => {
		const made = payloadOf(await run('plain'));
		const payload = { previous: made, options: { dry_run: '', note: 'x' }, customer: { label: 'Ada' } };
		expect(payloadOf(await run('plain', { payload }))).toMatchObject({ order_id: expect.any(String) });
	});

	it('reads true and false of a guard as values and as words', async () => {
		const before = orders().length;
		for (const value of [true, 'true'])
			expect(payloadOf(await run('by-dry_run', { dry_run: value }))).toMatchObject({ dry_run: true });
		expect(orders()).toHaveLength(before);
		await run('by-dry_run', { dry_run: 'false' });
		expect(orders()).toHaveLength(before + 1);
	});

	it('refuses a price in the message for a market order that only the form asks for', async () => {
		await refused('at-market', 'price', { payload: { price: '1300.00' } });
		expect(payloadOf(await run('at-market', { payload: { order_type: 'market', price: '1300.00' } }))).toMatchObject({
			order_id: expect.any(String),
		});
	});

	it('trades real money only where the node allows it', async () => {
		expect((await run('forbidden')).error).toMatchObject({
			code: 'not_available',
			message: expect.stringMatching(/^Turn on Allow production.*; no order was placed\..*not allowed to act there/is),
		});
		expect((await run('allowed')).error).toMatchObject({ code: expect.stringMatching(notReached) });
		await expect(run('muddled')).resolves.toMatchObject({
			error: { code: 'invalid_input', message: expect.stringMatching(/no order was placed/) },
		});
		await expect(run('unset')).resolves.toMatchObject({ error: { code: 'invalid_input' } });
	});

	it('treats a host as production if only its label says sandbox, until the account confirms it', async () => {
		for (const id of ['unproved', 'unproved-deposit']) {
			expect((await run(id)).error).toMatchObject({
				code: 'not_available',
				message: expect.stringMatching(/Test Hosts.*exchange\.invalid.*confirm/s),
			});
		}
		expect((await run('proved')).error).toMatchObject({ code: expect.stringMatching(notReached) });
	});
});
