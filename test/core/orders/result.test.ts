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
});
