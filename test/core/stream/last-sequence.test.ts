import { lastSequenceAt } from '../../../packages/core/src/stream/backfill/last-sequence';
import { topicOf } from '../../../packages/core/src/stream/topics';

const MOMENT = Date.UTC(2026, 0, 5, 9);
const PAGE = 10;

interface Shape {
	count: number;
	young: number;
	stride?: number;
}

/** Trades whose numbers grow by a stride, of which so many are younger than the moment. */
function list({ count, young, stride = 1 }: Shape) {
	const events = Array.from({ length: count }, (_, index) => {
		const at = MOMENT + (index < count - young ? index - count : index + 1) * 1_000;
		const row = { id: `t${index}`, sequence: (index + 1) * stride, created_at: new Date(at).toISOString() };
		return topicOf('trades.USD_NGN')!.identify(row)!;
	});
	let pages = 0;
	const read = async (after: number) => {
		pages += 1;
		return { events: events.filter(({ sequence }) => sequence! > after).slice(0, PAGE), isBackwards: false };
	};
	return { newest: events.slice(-PAGE), read, pages: () => pages, last: (count - young) * stride };
}

describe('the last number that was there at a moment', () => {
	it.each<[string, Shape]>([
		['is on the newest page', { count: 50, young: 4 }],
		['is the newest of all', { count: 50, young: 0 }],
		['lies just before the newest page', { count: 50, young: 10 }],
		['lies far back', { count: 100_000, young: 30_000 }],
		['lies far back among numbers that jump', { count: 10_000, young: 3_333, stride: 7 }],
		['is none, where everything came since', { count: 300, young: 300 }],
		['is none in an empty list', { count: 0, young: 0 }],
	])('%s', async (_, shape) => {
		const { newest, read, pages, last } = list(shape);
		expect(await lastSequenceAt(MOMENT, newest, read)).toMatchObject({ isOutOfReach: false });
		const { old } = await lastSequenceAt(MOMENT, newest, read);
		expect(newest.length === 0 || (old >= last && old < last + (shape.stride ?? 1))).toBe(true);
		expect(pages()).toBeLessThan(60);
	});

	it('is out of reach where the service shows its newest rows alone', async () => {
		const { newest } = list({ count: 50, young: 30 });
		const read = async () => ({ events: newest, isBackwards: true });
		expect(await lastSequenceAt(MOMENT, newest, read)).toEqual({ old: 40, isOutOfReach: true });
	});
});
