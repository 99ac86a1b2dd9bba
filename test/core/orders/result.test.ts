import type { CallContext, Item, OrderPorts, Warning } from '@partner-exchange/core';
import type { OperationId } from '@partner-exchange/core/catalogue';
import { planOf } from '../../../packages/core/src/orders/plan';
import { resultOf } from '../../../packages/core/src/orders/outcome';
import { quickClock } from '../../support/wire';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };
const target = { pair_id: 'USD/NGN', order_id: 'o0' };

interface Options {
	id?: OperationId;
	options?: CallContext['options'];
	by?: 'answer' | 'lookup';
	repeated?: boolean;
	/** The states of the order, one per read. */
	rows?: Item[];
	host?: OrderPorts;
}

/** The item of an intent with this outcome, the warnings reported meanwhile, and the reads made. */
async function itemOf(result: Item, { id = 'order.create', by = 'answer', repeated = false, ...input }: Options = {}) {
	const { options = {}, rows = [], host = {} } = input;
	const said: string[] = [];
	const context: CallContext = {
		...{ intent: 'a', options },
		warn: ({ kind }: Warning) => said.push(kind),
		progress: ({ doing, attempts }) => said.push(`${doing} ${attempts}`),
	};
	const plan = planOf(id, id === 'order.create' ? order : target, context, { ports: { newId: () => 'run' } });
	const reads: unknown[] = [];
	const clock = quickClock();
	const read = (_: string, { order_id }: { order_id: string }) => {
		reads.push(order_id);
		return Promise.resolve(rows[Math.min(reads.length, rows.length) - 1] ?? []);
	};
	const item = await resultOf(plan, { is: 'accepted', result, by }, repeated, {
		read,
		ports: { clock },
		host,
	} as never);
	return { item, said, reads, waited: clock.waited, key: plan.key };
}

describe('the item of an accepted order write', () => {
	const answered = { created_at: 'now', order_id: 'o1', status: 'pending', extra: 1 };

	it("gives an accepted order's answer, request and identity, the main fields first", async () => {
		const { item, said, reads, key } = await itemOf(answered, { options: { business_key: 'invoice 7' } });
		expect(item).toEqual({
			...{ ...order, ...answered, business_key: 'invoice 7' },
			...{ client_order_id: key, idempotency_key: key },
		});
		expect(Object.keys(item).slice(0, 2)).toEqual(['order_id', 'status']);
		expect({ said, reads }).toEqual({ said: [], reads: [] });
		expect((await itemOf(answered)).item).not.toHaveProperty('business_key');
	});

	it('says that an order was found by lookup, or placed before, with its time', async () => {
		const match = await itemOf(answered, { by: 'lookup', repeated: true });
		expect(match).toMatchObject({ said: ['recovered'], item: { repeated: true, original_created_at: 'now' } });
		const marked = await itemOf({ ...answered, created_at: 7, repeated: true });
		expect(marked.item).toMatchObject({ repeated: true });
		expect(marked.item).not.toHaveProperty('original_created_at');
		expect((await itemOf(answered)).item).not.toHaveProperty('repeated');
	});

	it('gives the latest state of an order and the rest of the answer unchanged', async () => {
		const rows = [{ id: 'o1', status: 'accepted', filled_quantity: '1', replace: null, extra: 2, more: 3 }];
		const { item, said, reads } = await itemOf(answered, { options: { wait: 'accepted' }, rows });
		expect(item).toMatchObject({ status: 'accepted', filled_quantity: '1', replace: null, extra: 1, more: 3 });
		expect(item).toMatchObject({ wait: { until: 'accepted', reached: true } });
		expect(item).not.toHaveProperty('avg_fill_price');
		expect({ said, reads }).toEqual({ said: ['waiting 0'], reads: ['o1'] });
	});

	it("keeps an order's own names beside the progress of the order that replaced it", async () => {
		const replaced = { id: 'o1', status: 'cancelled', replace: { replaced_by_order_id: 'o2' } };
		const successor = { id: 'o2', created_at: 'later', status: 'filled', filled_quantity: '30.00', quantity: '30.00' };
		const { item } = await itemOf(
			{ ...answered, quantity: '10.00' },
			{ options: { wait: 'final' }, rows: [replaced, { ...successor, price: '1400.00', client_order_id: 'theirs' }] },
		);
		expect(item).toMatchObject({ order_id: 'o1', created_at: 'now', replaced_by_order_id: 'o2', status: 'filled' });
		expect(item).toMatchObject({ quantity: '30.00', filled_quantity: '30.00', price: '1400.00' });
		expect([item.id, item.client_order_id]).not.toContain('theirs');
		expect(item).not.toHaveProperty('id');
	});

	it('waits for the end of an accepted order no longer than asked', async () => {
		const { item, waited } = await itemOf(answered, {
			options: { wait: 'final', wait_seconds: 2 },
			rows: [{ id: 'o1', status: 'accepted' }],
		});
		expect(item).toMatchObject({ wait: { until: 'final', reached: false, ended: 'time_limit' } });
		expect(waited.reduce((sum, pause) => sum + pause, 0)).toBe(2_000);
	});

	it('hears from the stream of an accepted order it waits for', async () => {
		let listened = 0;
		const orderEvents = (): (() => void) => ((listened += 1), () => void (listened += 10));
		const rows = [{ id: 'o1', status: 'filled' }];
		await itemOf(answered, { options: { wait: 'final' }, rows, host: { orderEvents } });
		expect(listened).toBe(11);
		await itemOf(answered, { rows, host: { orderEvents } });
		expect(listened).toBe(11);
	});

	it('ends with an error where an accepted order is rejected, or shows the reason where asked', async () => {
		const rejected = { ...answered, status: 'rejected', reason: 'Too late' };
		await expect(itemOf(rejected)).rejects.toMatchObject({ code: 'rejected', details: { rejection: 'Too late' } });
		expect((await itemOf(rejected, { options: { fail_when: 'never' } })).item).toMatchObject({
			rejection: 'Too late',
		});
	});

	it('says what to do where an order was cancelled before anything, or all of it, was filled', async () => {
		const rows = [{ id: 'o1', status: 'cancelled', quantity: '10.00', filled_quantity: '0.00' }];
		const { item } = await itemOf(answered, { options: { wait: 'final' }, rows });
		expect(item).toMatchObject({ status: 'cancelled', advice: expect.stringContaining('place it again') as string });
		const filled = [{ ...rows[0]!, filled_quantity: '4.00' }];
		expect((await itemOf(answered, { options: { wait: 'final' }, rows: filled })).item).toMatchObject({
			advice: expect.stringContaining('at most the remaining 6.00') as string,
		});
	});
});

describe('the item of an acknowledged command', () => {
	it('a cancelled order that another one replaced is said with that one, which may be open', async () => {
		const replace = { replaced_by_order_id: 'o1', replaces_order_id: null };
		const rows = [{ id: 'o0', status: 'cancelled', filled_quantity: '0.00', replace }];
		const { item } = await itemOf({ order_id: 'o0', status: 'cancelling' }, { id: 'order.cancel', rows });
		expect(item).toMatchObject({
			status: 'cancelled',
			advice: expect.stringContaining('replaced by order o1') as string,
		});
		const alone = [{ id: 'o0', status: 'cancelled', filled_quantity: '0.00' }];
		const cancelled = await itemOf({ order_id: 'o0', status: 'cancelling' }, { id: 'order.cancel', rows: alone });
		expect(cancelled.item).not.toHaveProperty('advice');
	});

	it.each(['cancelling', 'replacing', null, undefined])(
		'reads a command acknowledged as %j once and does not wait for it',
		async (status) => {
			const rows = [{ id: 'o0', status: 'cancelled' }];
			const { item, reads, waited, said } = await itemOf({ order_id: 'o0', status }, { id: 'order.cancel', rows });
			expect(item).toMatchObject({ order_id: 'o0', status: 'cancelled' });
			expect(item).not.toHaveProperty('wait');
			expect({ reads, waited, said }).toEqual({ reads: ['o0'], waited: [], said: [] });
			const isInterim = status === 'cancelling' || status === 'replacing';
			expect(item.acknowledgement).toBe(isInterim ? status : undefined);
		},
	);

	it('answers a replace with the new order and none of the old one', async () => {
		const acknowledged = { original_order_id: 'o0', new_order_id: 'o2', status: 'replacing' };
		const { item, reads } = await itemOf(acknowledged, {
			id: 'order.replace',
			rows: [{ id: 'o2', status: 'accepted' }],
		});
		expect(item).toMatchObject({
			new_order_id: 'o2',
			order_id: 'o2',
			status: 'accepted',
			acknowledgement: 'replacing',
		});
		expect(Object.keys(item).slice(0, 3)).toEqual(['new_order_id', 'order_id', 'status']);
		expect(reads).toEqual(['o2']);
	});

	it('answers a command unchanged where the acknowledgement names no order', async () => {
		const { item, reads } = await itemOf({ done: true }, { id: 'order.cancel' });
		expect(item).toMatchObject({ done: true, pair_id: 'USD/NGN' });
		expect(item).not.toHaveProperty('order_id');
		expect(reads).toEqual([]);
	});
});
