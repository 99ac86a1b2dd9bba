import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { limitOrder, run } from './exchange';

let one: Sandbox;
let other: Sandbox;
beforeAll(async () => {
	[one, other] = await Promise.all([startSandbox(), startSandbox()]);
});
afterEach(() => [one, other].forEach((sandbox) => sandbox.reset()));
afterAll(async () => void (await Promise.all([one.close(), other.close()])));

const addresses = ({ baseUrl, wsUrl }: Sandbox) => ({ baseUrl, wsUrl });
const itemsFor = (sandboxes: Sandbox[]) =>
	sandboxes.map((sandbox, at) => ({ ...addresses(sandbox), apiKey: 'sandbox-key', quantity: `${at + 1}.00` }));
const quantitiesAt = ({ engine }: Sandbox) =>
	[...engine.state.orders.values()].map(({ quantity }) => Number(quantity) / 100);
const byItem = { baseUrl: '={{ $json.baseUrl }}', wsUrl: '={{ $json.wsUrl }}', apiKey: '={{ $json.apiKey }}' };
const perItem = { ...limitOrder, quantity: '={{ $json.quantity }}' };

describe('a credential whose fields are expressions of the item', () => {
	it('places the order of each item in the account of that item', async () => {
		const made = await run(one, perItem, { items: itemsFor([one, other, one, other]), credential: byItem });
		expect(made.error).toBeUndefined();
		expect([quantitiesAt(one), quantitiesAt(other)]).toEqual([
			[1, 3],
			[2, 4],
		]);
	});

	it('reads and cancels in the account of each item', async () => {
		const placed = await run(one, perItem, { items: itemsFor([one, other]), credential: byItem });
		const rows = itemsFor([one, other]).map((row, at) => ({ ...row, ...placed.items[at]!.json }));
		const read = { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' };
		const seen = await run(one, read, { items: rows, credential: byItem });
		expect(seen.items.map(({ json }) => json['quantity'])).toEqual(['1.00', '2.00']);
		const cancel = { resource: 'order', operation: 'cancel', pair_id: 'USD/NGN', order_id: '={{ $json.order_id }}' };
		const made = await run(one, cancel, { items: rows, credential: byItem });
		expect(made.items.map(({ json }) => json['order_id'])).toEqual(rows.map((row) => (row as IDataObject)['order_id']));
	});

	it('places one order in each account for one business key, and none twice in one', async () => {
		const keyed = { ...limitOrder, options: { business_key: 'signal-17' } };
		const items = itemsFor([one, other, one]);
		const made = await run(one, keyed, { items, credential: byItem });
		expect(made.error).toBeUndefined();
		expect([quantitiesAt(one), quantitiesAt(other)]).toEqual([[10], [10]]);
	});

	it('holds each item to the limits its own credential says', async () => {
		const credential = { ...byItem, valuePerDay: '={{ $json.most }}' };
		const items = itemsFor([one, other]).map((row, at) => ({ ...row, most: at === 0 ? '1000000' : '500' }));
		const made = await run(one, perItem, { items, credential, settings: { onError: 'continueRegularOutput' } });
		expect(made.items.map(({ json }) => json)).toMatchObject([
			{ order_id: expect.any(String) },
			{ details: { code: 'limit_reached' } },
		]);
		expect(quantitiesAt(other)).toEqual([]);
	});

	it('goes on with the other items where the account of one cannot be right', async () => {
		const items = itemsFor([one, other, one]).map((row, at) => (at === 1 ? { ...row, apiKey: '' } : row));
		const settings = { onError: 'continueRegularOutput' };
		const made = await run(one, perItem, { items, credential: byItem, settings });
		expect(made.items.map(({ json }) => 'order_id' in json)).toEqual([true, false, true]);
		expect(quantitiesAt(other)).toEqual([]);
	});
});

describe('orders of one run', () => {
	it('arrive in the order of the items', async () => {
		one.faults.arm({ kind: 'delay', operation: 'order.create', delayMs: 150 });
		const items = ['1.00', '2.00', '3.00', '4.00', '5.00', '6.00'].map((quantity) => ({ quantity }));
		await run(one, perItem, { items });
		expect(quantitiesAt(one)).toEqual([1, 2, 3, 4, 5, 6]);
	});
});
