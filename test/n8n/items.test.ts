import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { makeFill } from '../support/fills';
import { limitOrder, NODE, pick, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

const orders = () => [...sandbox.engine.state.orders.values()];
const perItem = { ...limitOrder, quantity: '={{ $json.quantity }}' };
const three = [{ quantity: '1.00' }, { quantity: '0' }, { quantity: '3.00' }];

describe('items of the action node', () => {
	it('keeps the order of items while it works on several at once', async () => {
		sandbox.faults.arm({ kind: 'delay', operation: 'order.create', delayMs: 150 });
		const items = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ quantity: `${number}.00` }));
		const made = await run(sandbox, perItem, { items });
		const quantities = made.items.map(({ json }) => orders().find(({ id }) => id === json['order_id'])?.quantity);
		expect(quantities.map(Number)).toEqual([...quantities.map(Number)].sort((a, b) => a - b));
		expect(made.items.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	});

	it('cancels, reads and resolves an order as it comes out of a list, by whichever name its identifier has', async () => {
		const placed = await run(sandbox, { ...limitOrder, price: '1000.00' }, { items: [{}, {}] });
		const listed = await run(sandbox, { resource: 'order', operation: 'getAll', returnAll: true });
		const items = [
			listed.items[0]!.json,
			placed.items.find(({ json }) => json['order_id'] !== listed.items[0]!.json['id'])!.json,
		];
		const target = { resource: 'order', pair_id: 'USD/NGN', order_id: '={{ $json.order_id }}' };
		for (const operation of ['get', 'cancel']) {
			const made = await run(sandbox, { ...target, operation }, { items });
			expect(made.error).toBeUndefined();
			expect(made.items.map(({ json }) => json['order_id'] ?? json['id'])).toEqual(
				items.map(({ id, order_id }) => order_id ?? id),
			);
		}
		const foreign = await run(sandbox, { ...target, operation: 'get' }, { items: [{ id: 17, customer: 'Ada' }] });
		expect(foreign.error?.message).toContain('Order ID is missing');
	});

	it('cancels no order in place of one that an expression names and does not find', async () => {
		const { items } = await run(sandbox, { ...limitOrder, price: '1000.00' });
		const order_id = '={{ $json.replace.replaces_order_id }}';
		const cancel = { resource: 'order', operation: 'cancel', pair_id: 'USD/NGN', order_id };
		const made = await run(sandbox, cancel, { items: items.map(({ json }) => json) });
		expect(made.error?.message).toContain('Order ID is missing');
		expect(orders()).toMatchObject([{ status: 'accepted' }]);
	});

	it('says above the output that a transaction was not over when the time to wait was', async () => {
		const email = 'second@sandbox.test';
		const options = { wait_settled: true, wait_seconds: 1 };
		const deposit = {
			resource: 'simulation',
			operation: 'fiatDeposit',
			email,
			amount: '5.00',
			currency: 'NGN',
			options,
		};
		const { items, runsOf } = await run(sandbox, deposit);
		expect(items[0]!.json).toMatchObject({ status: 'pending', wait: { reached: false, ended: 'time_limit' } });
		expect(runsOf(NODE)[0]!.hints!.map(({ message }) => message)).toContainEqual(
			expect.stringContaining('the transaction is not'),
		);
	});

	it('lists every fill behind an order where no filter was added', async () => {
		await makeFill(sandbox);
		const resting = await run(sandbox, { ...limitOrder, price: '1000.00' });
		const items = resting.items.map(({ json }) => json);
		const fills = await run(sandbox, { resource: 'fill', operation: 'getAll', returnAll: true }, { items });
		expect(fills.items).not.toEqual([]);
	});

	it.each([
		['50,000', 'Enter 50000; no order was placed.'],
		["1'500'000.50", 'Enter 1500000.50; no order was placed.'],
	])('says how to write the amount %s of a sheet, and places nothing', async (quantity, said) => {
		const made = await run(sandbox, perItem, { items: [{ quantity }] });
		expect(made.error).toMatchObject({ message: expect.stringMatching(/without separators$/) });
		expect(made.error!['description']).toMatch(new RegExp(`^${said.replaceAll('.', '\\.')}`));
		expect(orders()).toEqual([]);
	});

	it('lists the orders that are open under one filter, and says where a limit cut the list', async () => {
		await run(sandbox, { ...limitOrder, price: '1000.00' }, { items: [{}, {}, {}] });
		const filters = { status: ['open'] };
		const open = await run(sandbox, { resource: 'order', operation: 'getAll', returnAll: true, filters });
		const placed = orders().filter(({ status }) => ['pending', 'accepted', 'partially_filled'].includes(status));
		expect(open.items.map(({ json }) => json['id']).sort()).toEqual(placed.map(({ id }) => id).sort());
		expect(open.runsOf(NODE)[0]!.hints).toEqual([]);
		const cut = await run(sandbox, { resource: 'order', operation: 'getAll', limit: 2, filters });
		expect(cut.items).toHaveLength(2);
		expect(cut.runsOf(NODE)[0]!.hints!.map(({ message }) => message)).toEqual([
			expect.stringContaining('The list ends at the limit of 2, and there may be more'),
		]);
		const offered = JSON.stringify(new PartnerExchange().description.properties);
		expect(offered.match(/"Statuse?s?"/g)).toEqual(expect.not.arrayContaining(['"Statuses"']));
	});

	it('names the item at fault and leaves the others alone on "continue on fail" (checklist 157)', async () => {
		const made = await run(sandbox, perItem, { items: three, settings: { onError: 'continueRegularOutput' } });
		expect(made.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(made.items.map(({ json }) => typeof json['order_id'])).toEqual(['string', 'undefined', 'string']);
		expect(made.items[1]!.json).toMatchObject({
			error: expect.stringContaining('Quantity must be greater than zero'),
			details: { code: 'invalid_input', field: 'quantity', retryable: false },
		});
		expect(JSON.stringify(made.items)).not.toContain('sandbox-key');
	});

	it('sends a failed item to the error output with its own data', async () => {
		const made = await run(sandbox, perItem, { items: three, settings: { onError: 'continueErrorOutput' } });
		const [done, failed] = made.runsOf(NODE)[0]!.data!['main']!;
		expect(done).toHaveLength(2);
		expect(failed!.map(({ json }) => json)).toEqual([
			expect.objectContaining({ quantity: '0', details: expect.anything() }),
		]);
	});

	/** n8n 1 recognises a failed item by this mark only; n8n 2 also by its message. */
	it('marks a failed item on its way to the error output, where no copy takes the mark along (n8n 1)', async () => {
		const args: INodeExecutionData[] = [];
		const { execute } = PartnerExchange.prototype;
		const spy = jest.spyOn(PartnerExchange.prototype, 'execute').mockImplementation(async function (
			this: IExecuteFunctions,
		) {
			const outputs = await execute.call(this);
			args.push(...outputs.flat());
			return outputs;
		});
		await run(sandbox, perItem, { items: three, settings: { onError: 'continueErrorOutput' } });
		await run(sandbox, perItem, { items: three, settings: { onError: 'continueRegularOutput' } });
		spy.mockRestore();
		expect(args.map((item) => item.error !== undefined)).toEqual([false, true, false, false, false, false]);
		expect(Object.keys(args[1]!)).toEqual(['json', 'pairedItem']);
	});

	it('stops the node at the first error, which carries the index of its item (checklist 156)', async () => {
		const made = await run(sandbox, perItem, { items: three });
		expect(made.status).toBe('error');
		expect(made.error).toMatchObject({ context: { itemIndex: 1 }, message: expect.stringContaining('Create Order') });
	});

	it('reads the form anew for each item, and drops fields that do not apply (checklist 18)', async () => {
		const made = await run(
			sandbox,
			{
				...limitOrder,
				order_type: '={{ $json.type }}',
				price: '={{ $json.price }}',
				options: { time_in_force: 'FOK' },
			},
			{
				items: [
					{ type: 'limit', price: '1000.00' },
					{ type: 'market', price: 'garbage' },
				],
			},
		);
		expect(made.error).toBeUndefined();
		expect(orders().map(({ type }) => type)).toEqual(['limit', 'market']);
	});

	it('refuses a limit order without a price before anything is sent (checklist 17)', async () => {
		const made = await run(sandbox, { ...limitOrder, price: '={{ $json.price }}' }, { items: [{ price: '' }] });
		expect(made.error?.message).toContain('Price is missing: it is required when Order Type is limit');
		expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([]);
	});

	it.each([0.1 + 0.2, 1e-7, 9007199254740993, '1e-7', '-1', '1,000', 'abc'])(
		'refuses the quantity %p (checklist 8)',
		async (quantity) => {
			const made = await run(sandbox, perItem, { items: [{ quantity }] });
			expect(made.error).toMatchObject({ message: expect.stringContaining('Quantity'), name: 'NodeOperationError' });
			expect(orders()).toEqual([]);
		},
	);

	it('takes a row of a sheet as it is, and gives it back beside the answer', async () => {
		const row = { side: 'Buy', order_type: 'LIMIT', pair_id: 'usd/ngn', quantity: 10.5, price: 1400.25 };
		const made = await run(
			sandbox,
			{
				...{ resource: 'order', operation: 'create' },
				...Object.fromEntries(Object.keys(row).map((name) => [name, `={{ $json.${name} }}`])),
				options: { business_key: 'row 7' },
			},
			{ items: [row] },
		);
		expect(made.error).toBeUndefined();
		expect(made.items[0]!.json).toMatchObject({
			...{ side: 'buy', order_type: 'limit', pair_id: 'USD/NGN', quantity: '10.50', price: '1400.25' },
			business_key: 'row 7',
		});
	});

	it('takes a typed value and a picked one alike', async () => {
		for (const pair_id of ['USD/NGN', pick('USD/NGN', 'name')]) {
			const made = await run(sandbox, { ...limitOrder, pair_id });
			expect(made.error).toBeUndefined();
		}
	});

	it('gives a list up to the limit, or all of it (checklist 79)', async () => {
		await run(sandbox, perItem, { items: [1, 2, 3, 4].map((number) => ({ quantity: `${number}.00` })) });
		const two = await run(sandbox, { resource: 'order', operation: 'getAll', limit: 2 });
		const all = await run(sandbox, { resource: 'order', operation: 'getAll', returnAll: true });
		expect([two.items.length, all.items.length]).toEqual([2, 4]);
		const simple = await run(sandbox, {
			resource: 'order',
			operation: 'getAll',
			limit: 1,
			options: { output_mode: 'simplified' },
		});
		expect(Object.keys(simple.items[0]!.json)).not.toContain('replace');
	});

	it('gives one item per balance, or the requested one, and refuses a currency there is none of', async () => {
		const balances = (options: object) => run(sandbox, { resource: 'wallet', operation: 'getBalances', options });
		const all = await balances({});
		expect(all.items.map(({ json }) => json['currency'])).toEqual(['NGN', 'USD']);
		expect(all.items[0]!.json).toMatchObject({ available: '50000000.00', credit: expect.anything() });
		const entry = await balances({ currency: 'usd', output_mode: 'simplified' });
		expect(entry.items.map(({ json }) => json['currency'])).toEqual(['USD']);
		expect(entry.items[0]!.json).not.toHaveProperty('credit');
		const none = await balances({ currency: 'NGM' });
		expect(none.error?.message).toContain('There is no wallet currency NGM');
		expect(none.error?.description).toContain('The service offers NGN, USD');
	});

	it('refuses a limit of items that is no count', async () => {
		const made = await run(sandbox, { resource: 'order', operation: 'getAll', limit: 0 });
		expect(made.error?.message).toContain('Limit must be a whole number');
	});
});
