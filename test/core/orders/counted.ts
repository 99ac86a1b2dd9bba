import type { AccountLimits, Item } from '@partner-exchange/core';

/** Where limits count, on a clock that a test sets: a list of these orders, and a ticker at 10. */
export function countSource(clock: { elapsed: () => number }, rows: () => Item[] = () => []) {
	const reads: Item[] = [];
	const source: Parameters<AccountLimits['admit']>[1] = {
		owner: { address: 'http://127.0.0.1', key: 'digest' },
		read: (id, input) => {
			reads.push({ id, ...input });
			if (id === 'market.ticker') return Promise.resolve({ best_ask: '10' });
			const offset = Number(input.offset);
			const listed = rows().filter(({ status }) => input.status === undefined || status === input.status);
			return Promise.resolve({ orders: listed.slice(offset, offset + Number(input.limit)) });
		},
		clock: { ...clock, now: clock.elapsed, after: (_, action) => (queueMicrotask(action), () => undefined) },
		service: { at: (elapsed) => elapsed },
	};
	return { source, reads };
}
