import { createAccountLimits, type Item, type LimitSettings, type AccountLimits } from '@partner-exchange/core';
import { createOrderList, createOrderLogs } from '../../../packages/core/src/orders/log/order-list';

export const HOUR_MS = 3_600_000;

export const PAGE = 100;

export const BEGAN = Date.UTC(2026, 0, 5, 9);

export const timeOf = (ms: number): string => new Date(ms).toISOString();

/** An order of the list that was placed so long before. */
export const row = (number: number, agoMs: number, more: Item = {}): Item => ({
	id: `order-${number}`,
	client_order_id: `name-${number}`,
	pair_id: 'USD/NGN',
	order_type: 'limit',
	quantity: '1',
	price: '10',
	filled_quantity: '1',
	avg_fill_price: '10',
	status: 'filled',
	created_at: timeOf(BEGAN - agoMs),
	...more,
});

/** A number of rows, the newest first, one every ten seconds or as given. */
export const rows = (count: number, apartMs = 10_000, first = 0): Item[] =>
	Array.from({ length: count }, (_, number) => row(number + first, (number + 1) * apartMs));

/** What becomes of the next order of an account that has this list. */
export function account(settings: LimitSettings, list: () => Item[]) {
	let now = BEGAN;
	const clock = { elapsed: () => now };
	const limits = createAccountLimits(clock, settings);
	const { source, reads } = countSource(clock, list);
	let number = 0;
	const place = (more: Item = {}): Promise<string> =>
		limits
			.admit(
				{
					...{ key: `key-${(number += 1)}`, kind: 'create', label: 'Create Order', client_order_id: `mine-${number}` },
					...{ pair_id: 'USD/NGN', quantity: '1', price: '10', ...more },
				},
				source,
			)
			.then(
				() => 'placed',
				(error: Error) => error.message,
			);
	return { limits, source, reads, place, pass: (ms: number) => void (now += ms) };
}

export const lists: [string, (newestFirst: Item[]) => Item[]][] = [
	['newest first', (all) => all],
	['oldest first', (all) => all.toReversed()],
	['in no order', (all) => all.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))],
];

/** Where limits count, on a clock that a test sets: a list of these orders, and a ticker at 10. */
export function countSource(clock: { elapsed: () => number }, rows: () => Item[] = () => []) {
	const reads: Item[] = [];
	const source: Omit<Parameters<AccountLimits['admit']>[1], 'list'> = {
		owner: { address: 'http://127.0.0.1', key: 'digest' },
		read: (id, input) => {
			reads.push({ id, ...input });
			if (id === 'market.ticker') return Promise.resolve({ best_ask: '10' });
			const offset = Number(input.offset);
			const wanted = input.status;
			const listed = wanted === undefined ? rows() : rows().filter(({ status }) => status === wanted);
			return Promise.resolve({ orders: listed.slice(offset, offset + Number(input.limit)) });
		},
		clock: { ...clock, now: clock.elapsed, after: (_, action) => (queueMicrotask(action), () => undefined) },
		service: { at: (elapsed) => elapsed },
	};
	const list = createOrderList({
		read: (...page) => counted.read(...page),
		clock: source.clock,
		service: { at: (elapsed) => source.service.at(elapsed) },
		name: 'account',
		logs: createOrderLogs(),
	});
	const counted: Parameters<AccountLimits['admit']>[1] = Object.assign(source, { list });
	return { source: counted, reads };
}
