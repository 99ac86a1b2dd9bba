import type { Whole } from '../../../packages/core/src/whole';
import { lastSequenceAt } from '../../../packages/core/src/stream/sources/numbered';
import { topicOf } from '../../../packages/core/src/stream/topics';

const MOMENT = Date.UTC(2026, 0, 5, 9);
const PAGE = 10;

interface Shape {
	count: number;
	young: number;
	stride?: number;
}

/** Trades whose numbers grow by a stride, this many of which are newer than the moment. */
function list({ count, young, stride = 1 }: Shape) {
	const events = Array.from({ length: count }, (_, index) => {
		const at = MOMENT + (index < count - young ? index - count : index + 1) * 1_000;
		const row = { id: `t${index}`, sequence: (index + 1) * stride, created_at: new Date(at).toISOString() };
		return topicOf('trades.USD_NGN')!.identify(row)!;
	});
	let pages = 0;
	const read = async (after: Whole) => {
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
	])('finds the last number at a moment: %s', async (_, shape) => {
		const { newest, read, pages, last } = list(shape);
		expect(await lastSequenceAt(MOMENT, newest, read)).toMatchObject({ isOutOfReach: false });
		const { old } = await lastSequenceAt(MOMENT, newest, read);
		expect(newest.length === 0 || (old >= last && old < last + (shape.stride ?? 1))).toBe(true);
		expect(pages()).toBeLessThan(60);
	});

	it('finds no number at a moment if the service shows only its newest rows', async () => {
		const { newest } = list({ count: 50, young: 30 });
		const read = async () => ({ events: newest, isBackwards: true });
		expect(await lastSequenceAt(MOMENT, newest, read)).toEqual({ old: 40, isOutOfReach: true });
	});

	it('searches the number at a moment in growing steps, then by halves', async () => {
		const { newest, read } = list({ count: 100, young: 30 });
		const requests: number[] = [];
		const noted = async (after: Whole) => (requests.push(Number(after)), read(after));
		expect(await lastSequenceAt(MOMENT, newest, noted)).toMatchObject({ old: 70 });
		expect(requests).toEqual([70, 30, 55, 67]);
		requests.length = 0;
		await lastSequenceAt(MOMENT, list({ count: 15, young: 15 }).newest, noted);
		expect(Math.min(...requests)).toBe(0);
	});

	it('takes the number of a row of exactly that moment', async () => {
		const { read } = list({ count: 0, young: 0 });
		const timed = (sequence: number, ms: number) =>
			topicOf('trades.USD_NGN')!.identify({ id: 't', sequence, created_at: new Date(MOMENT + ms).toISOString() })!;
		expect(await lastSequenceAt(MOMENT, [timed(8, 0), timed(9, 1)], read)).toMatchObject({ old: 8 });
	});

	it('finds no number at a moment if the list is empty by now', async () => {
		const { newest } = list({ count: 50, young: 20 });
		const read = async () => ({ events: [], isBackwards: false });
		expect(await lastSequenceAt(MOMENT, newest, read)).toMatchObject({ old: 0, isOutOfReach: false });
	});

	it('gives up the search for a number after sixty pages that do not match the request', async () => {
		const { newest, read: page } = list({ count: 1_000, young: 100 });
		let pages = 0;
		const read = async () => ((pages += 1), page(pages > 1_000 ? 895 : 0));
		expect(await lastSequenceAt(MOMENT, newest, read)).toMatchObject({ old: 10 });
		expect(pages).toBe(60);
	});

	it('finds the number at a moment if a single row is between old and new ones', async () => {
		const timed = (sequence: number) =>
			topicOf('trades.USD_NGN')!.identify({
				id: 't',
				sequence,
				created_at: new Date(MOMENT + (sequence - 2.5) * 1_000).toISOString(),
			})!;
		let pages = 0;
		const read = async (after: Whole) => {
			pages += 1;
			return { events: after < 5 ? [timed(Number(after) + 1)] : [], isBackwards: false };
		};
		expect(await lastSequenceAt(MOMENT, [timed(5)], read)).toMatchObject({ old: 2 });
		expect(pages).toBeLessThan(6);
	});
});
