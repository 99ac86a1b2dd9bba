import { type CallContext, type Item } from '@partner-exchange/core';
import { outcomeError as errorOf, unwantedEnd } from '../../../packages/core/src/orders/outcome';
import { planOf, type Plan } from '../../../packages/core/src/orders/plan';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };
const target = { pair_id: 'USD/NGN', order_id: 'o1' };
const ids = { ports: { newId: () => 'run' } };
const planned = (
	id: 'order.create' | 'order.cancel' | 'order.replace' = 'order.create',
	context: CallContext = {},
): Plan => planOf(id, id === 'order.create' ? order : target, context, ids);

const NOT_BEFORE = '2026-01-31T14:32:00.000Z';
type ReportedOutcome = Parameters<typeof errorOf>;
const outcomeError = (outcome: ReportedOutcome[0], plan: ReportedOutcome[1], state: ReportedOutcome[2]) =>
	errorOf(outcome, plan, state, NOT_BEFORE);

describe('an order write that was not accepted', () => {
	it('names the full request and the business key in an unknown outcome', () => {
		const named = planned('order.create', { options: { business_key: 'invoice 7' } });
		const { details } = outcomeError({ is: 'unknown' }, named, { sent: 1 });
		expect(details).toEqual({
			...{ intent_operation: 'order.create', ...order, business_key: 'invoice 7', attempts: 1 },
			...{ client_order_id: named.key, idempotency_key: named.key, not_before: NOT_BEFORE },
		});
		expect(outcomeError({ is: 'unknown' }, planned('order.cancel'), { sent: 1 }).details).not.toHaveProperty(
			'not_before',
		);
		expect(outcomeError({ is: 'unknown' }, planned(), { sent: 1 }).details).not.toHaveProperty('business_key');
	});
});

describe('an end that a caller may want told as an error', () => {
	const rejected: Item = { order_id: 'o1', status: 'rejected', rejection: 'Too late', price: '1500.00', extra: 1 };
	const cancelled: Item = { order_id: 'o1', status: 'cancelled', filled_quantity: '0.00' };
	const late: Item = { id: 'o1', status: 'accepted', wait: { ended: 'time_limit' } };
	const endOf = (
		item: Item,
		options: CallContext['options'] = {},
		id: 'order.create' | 'order.cancel' = 'order.create',
	) => unwantedEnd(item, planned(id, { options }));

	it.each(['expired', 'unreadable', 'stopped', 'time_limit'] as const)(
		'lets no order whose wait ended as %s out as a success under the strictest Fail When',
		(ended) => {
			for (const status of ['expired', 'accepted', undefined])
				expect(endOf({ order_id: 'o1', status, wait: { ended } }, { fail_when: 'time_limit' })).toMatchObject({
					...{ code: 'time_limit', details: { order_id: 'o1' } },
					advice: expect.stringContaining('do not place it again') as string,
				});
			expect(endOf({ order_id: 'o1', wait: { ended } }, { fail_when: 'unfilled' })).toBeUndefined();
		},
	);

	it.each([
		['never', []],
		['rejected', ['rejected']],
		['unfilled', ['rejected', 'unfilled']],
		['time_limit', ['rejected', 'unfilled', 'time_limit']],
	] as const)('reports as errors, with Fail When %s, one of %j', (fail_when, codes) => {
		const ends = [rejected, cancelled, late].map((item) => endOf(item, { fail_when })?.code);
		expect(ends.filter(Boolean)).toEqual(codes);
	});

	it('reports no ended order as an error for a cancel, which wanted it ended', () => {
		expect(endOf(rejected, { fail_when: 'unfilled' }, 'order.cancel')).toBeUndefined();
		expect(endOf(cancelled, { fail_when: 'unfilled' }, 'order.cancel')).toBeUndefined();
		expect(endOf(late, { fail_when: 'time_limit' }, 'order.cancel')).toMatchObject({ code: 'time_limit' });
	});

	it.each<[string, Item]>([
		['was replaced', { ...cancelled, replace: { replaced_by_order_id: 'o2', replaces_order_id: null } }],
		['was followed into its successor', { ...cancelled, replaced_by_order_id: 'o2' }],
		['is a replacement', { ...cancelled, original_order_id: 'o2' }],
	])('calls no order unfilled that %s, and advises to place nothing while the other may live', (_, item) => {
		expect(endOf(item, { fail_when: 'unfilled' })).toBeUndefined();
		const error = endOf({ ...item, status: 'rejected' });
		expect(error?.code).toBe('rejected');
		expect(error?.advice).toBe('Read the order o2 too, which may be open or filled, before you do anything else');
	});
});
