import { noticeText } from '@partner-exchange/core/adapters';

describe('what is told beside the events, as a sentence', () => {
	it('a notice says how much may be missing, and why it cannot be read', () => {
		const data = { topic: 'trades.USD_NGN', may_be_missing: 'Trades 3 to 9', done: 'out_of_reach' };
		expect(noticeText({ kind: 'gap', data })).toBe(
			'Trades 3 to 9 may be missing. The REST list no longer goes back this far; events before and after the gap were delivered',
		);
	});

	it('a notice says which order does not add up, and what was done about it', () => {
		const data = { order_id: 'o1', counted: '10', expected: '30', done: 'reading_failed' };
		expect(noticeText({ kind: 'incomplete_fills', data })).toBe(
			"Order o1 has a filled quantity of 30, its fills add up to 10. The order's fills could not be read",
		);
	});

	it('a notice says nothing of an event of the service', () => {
		expect(noticeText({ data: { order_id: 'o1' } })).toBeUndefined();
	});
});
