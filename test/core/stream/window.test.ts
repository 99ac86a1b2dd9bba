import {
	complete,
	emptyWindow,
	distinctEvents,
	isFresh,
	observe,
	servesFirst,
	servesReturn,
	type ReadBegin,
	type ReadRange,
	type EventWindow,
} from '../../../packages/core/src/stream/sync/window';
import { READ_SPACING_MS, WINDOW_EVENTS_MAX, WINDOW_MS_MAX } from '../../../packages/core/src/stream/limits';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';

const numbered = (sequence: number): TopicEvent => ({ key: `trade:${sequence}`, data: {}, sequence });
const dated = (time: number): TopicEvent => ({ key: `fill:${time}`, data: {}, time });
const undated = (name: number): TopicEvent => ({ key: `fill:${name}`, data: {} });
const from = (first: number, last: number, event = numbered) =>
	Array.from({ length: last - first + 1 }, (_, index) => event(first + index));

/** A window after some steps: events that came, or the range of a reading that became complete. */
function windowAfter(...steps: (TopicEvent[] | Partial<ReadRange & ReadBegin>)[]): EventWindow {
	const window = emptyWindow();
	for (const step of steps) {
		if (Array.isArray(step)) observe(window, step);
		else complete(window, { after: 0, ...step }, { readAt: 0, isFollowed: true, ...step });
	}
	return window;
}

const placesServed = (window: EventWindow, places: readonly number[]) =>
	places.filter((at) => servesReturn(window, at));

describe('the window of a topic', () => {
	const full = from(1, 2 * WINDOW_EVENTS_MAX);
	const fullByTime = from(1, 2 * WINDOW_EVENTS_MAX, dated);
	const fullUndated = from(1, 2 * WINDOW_EVENTS_MAX, undated);

	it.each<[string, EventWindow, places: number[], served: number[]]>([
		['serves nobody before a reading has found what is missing', windowAfter(from(1, 5)), [2, 5], []],
		[
			'serves who left behind the place where a reading began',
			windowAfter([numbered(4), ...from(3, 6)], { after: 2, upTo: 6 }),
			[1, 2, 5],
			[2, 5],
		],
		[
			'serves everybody once a reading has read the whole list, although it shows no times',
			windowAfter(from(1, 3, undated), { after: -Infinity }),
			[-Infinity, 5],
			[-Infinity, 5],
		],
		[
			'reaches further back after a reading that does',
			windowAfter({ after: 50, upTo: 90 }, { after: 20, upTo: 80 }),
			[19, 20, 60],
			[20, 60],
		],
		[
			'keeps its beginning where a later reading begins before the end of the earlier one',
			windowAfter({ after: 2, upTo: 6 }, { after: 6, upTo: 9 }),
			[1, 2, 8],
			[2, 8],
		],
		[
			'keeps its beginning where the stream brought every number between two readings',
			windowAfter(from(3, 6), { after: 2, upTo: 6 }, from(7, 9), { after: 9, upTo: 9 }),
			[2, 9],
			[2, 9],
		],
		[
			'begins anew where a number is missing between two readings',
			windowAfter(from(3, 6), { after: 2, upTo: 6 }, [numbered(8)], { after: 8, upTo: 8 }),
			[2, 7, 8],
			[8],
		],
		[
			'serves nobody who may miss an event that was dropped for room',
			windowAfter(full, { after: 0, upTo: 5 }),
			[WINDOW_EVENTS_MAX - 1, WINDOW_EVENTS_MAX],
			[WINDOW_EVENTS_MAX],
		],
		[
			'drops by times where events have no numbers',
			windowAfter({ after: 0, upTo: 5 }, fullByTime),
			[WINDOW_EVENTS_MAX - 1, WINDOW_EVENTS_MAX],
			[WINDOW_EVENTS_MAX],
		],
		[
			'serves nobody once an event without a place was dropped',
			windowAfter({ after: -Infinity }, fullUndated),
			[9e15],
			[],
		],
		[
			'serves nobody who is back if it was read while the topic was not subscribed',
			windowAfter({ after: 2, upTo: 6, isFollowed: false }),
			[5],
			[],
		],
	])('the window of a topic %s', (_title, window, places, served) => {
		expect(placesServed(window, places)).toEqual(served);
	});

	it('a window holds the latest events, each once', () => {
		expect(distinctEvents(windowAfter(from(1, 2), from(2, 3)))).toEqual(from(1, 3));
		expect(distinctEvents(windowAfter(full))).toEqual(full.slice(WINDOW_EVENTS_MAX));
	});

	it('a window forgets no event for the copies that readings bring', () => {
		const most = from(1, WINDOW_EVENTS_MAX);
		const again = Array.from({ length: 4 }, () => [most, { after: 0, upTo: WINDOW_EVENTS_MAX }]).flat();
		const window = windowAfter(...again);
		expect(distinctEvents(window)).toEqual(most);
		expect(placesServed(window, [0])).toEqual([0]);
	});

	it.each<[string, EventWindow, since: number, needsOpen: boolean, serves: boolean]>([
		['a first start, before which everything is settled', windowAfter({ after: 2, upTo: 6 }), Infinity, false, true],
		['no first start before a reading', windowAfter(from(1, 5, dated)), Infinity, false, false],
		['a first start of a list without times', windowAfter({ after: -Infinity }), Infinity, false, true],
		['a late start within it', windowAfter({ after: 2, upTo: 6 }), 2, false, true],
		['no late start from before it', windowAfter({ after: 2, upTo: 6 }), 1, false, false],
		[
			'no first start if events after what is settled were dropped',
			windowAfter({ upTo: 5 }, fullByTime),
			Infinity,
			false,
			false,
		],
		[
			'no first start that needs open records nobody looked up',
			windowAfter({ after: 2, upTo: 6 }),
			Infinity,
			true,
			false,
		],
		['a first start that needs them', windowAfter({ after: 2, upTo: 6, open: 'some' }), Infinity, true, true],
		[
			'a first start that needs them after further readings',
			windowAfter({ after: 2, upTo: 6, open: 'all' }, { after: 5, upTo: 9 }),
			...([Infinity, true, true] as const),
		],
		[
			'no first start that needs them once it began anew',
			windowAfter({ after: 2, upTo: 6, open: 'all' }, { after: 7, upTo: 9 }),
			...([Infinity, true, false] as const),
		],
		[
			'no first start that needs them once events were dropped',
			windowAfter({ upTo: 9e15, open: 'all' }, full),
			Infinity,
			true,
			false,
		],
	])('a window serves %s', (_title, window, since, needsOpen, serves) => {
		expect(servesFirst(window, since, needsOpen)).toBe(serves);
	});

	it.each([
		['for a minute', {}, WINDOW_MS_MAX - 1, true, true],
		['no longer than a minute', {}, WINDOW_MS_MAX, true, false],
		['for as long as further readings look', { readAt: 50_000 }, WINDOW_MS_MAX + 49_999, true, true],
		['for a second while the topic is not subscribed', {}, READ_SPACING_MS - 1, false, true],
		['no longer than a second while the topic is not subscribed', {}, READ_SPACING_MS, false, false],
		[
			'no longer than a second if it was read before the topic was subscribed',
			{ isFollowed: false },
			READ_SPACING_MS,
			true,
			false,
		],
	])('a window is good %s', (_title, range, now, isConfirmed, isGood) => {
		expect(isFresh(windowAfter({ upTo: 5 }, range), now, isConfirmed)).toBe(isGood);
	});

	it('a window keeps the watermark of the latest of two backfills, whichever ends last', () => {
		const window = windowAfter({ after: 0, upTo: 9, readAt: 7 }, { after: 0, upTo: 5, readAt: 3, isFollowed: false });
		expect(window).toMatchObject({ upTo: 9, readAt: 7, isFollowed: true });
	});
});
