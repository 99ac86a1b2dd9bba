import { ExchangeError } from '@partner-exchange/core';
import {
	NEWCOMERS_SPACING_MS,
	READ_RETRY_MS,
	REFUSALS_CONFIRM,
	REFUSED_RETRY_MS,
} from '../../../packages/core/src/stream/limits';
import { nextAt } from '../../../packages/core/src/stream/sync/schedule';
import { at, book, chance, confirmed, dueIn, message, NOW, read, records, topicAfter, trades } from './step-stage';

const refused = new ExchangeError('unauthorized', { what: 'The key may not' });
const gone = new ExchangeError('unreachable', { what: 'It does not answer' });

describe('the backfills of a topic', () => {
	it('continues an unfinished backfill, and counts it once it is done', () => {
		const { state, take } = topicAfter(records, confirmed(), { type: 'woken' });
		take({ ...read, againMs: 500 });
		expect([nextAt(state.schedule), state.readings.done]).toEqual([NOW + 500, 0]);
		take({ type: 'woken' }, 500);
		take(read, 500);
		expect(state.readings).toMatchObject({ done: 1, lastAt: NOW + 500 });
	});

	it('reads once more for subscribers that joined during a backfill', () => {
		const { state, take } = topicAfter(records, confirmed(), { type: 'woken' });
		state.schedule.due = [];
		take({ ...read, isForAll: false });
		expect(dueIn(state)).toEqual([NEWCOMERS_SPACING_MS]);
	});

	it('reads a newer snapshot at growing pauses while a book is stale, and none for a sound one', () => {
		const { state, take } = topicAfter(book, { type: 'doubted' }, { type: 'woken' });
		const outdated = { ...read, isOutdated: true };
		take(outdated);
		expect(dueIn(state)).toEqual([1_000]);
		state.schedule.due = [];
		take(outdated);
		expect(dueIn(state)).toEqual([2_000]);
		take({ ...read, book: { sequence: 3 } });
		state.schedule.due = [];
		take(outdated);
		expect([state.book.isSound, dueIn(state)]).toEqual([true, []]);
	});

	it('retries a failed read soon, and a refused one at growing pauses', () => {
		const { state, take } = topicAfter(records, confirmed(), { type: 'woken' });
		state.schedule.due = [];
		take({ type: 'read_failed', error: gone, chance: 0 });
		expect(dueIn(state)).toEqual([READ_RETRY_MS.base]);
		let now = 0;
		const pauses = Array.from({ length: 8 }, () => {
			const [report] = take({ type: 'read_failed', error: refused, chance }, now);
			const { againMs } = report as { againMs: number };
			now += againMs;
			return againMs;
		});
		expect(pauses.slice(0, REFUSALS_CONFIRM)).toEqual(Array(REFUSALS_CONFIRM).fill(REFUSED_RETRY_MS.base));
		expect([pauses[REFUSALS_CONFIRM], pauses.at(-1)]).toEqual([3 * REFUSED_RETRY_MS.base, REFUSED_RETRY_MS.cap]);
		expect(state.readings).toMatchObject({ failed: 1, refused: 8 });
	});

	it('does not extend the pause of a refused key by a refusal during it', () => {
		const { take } = topicAfter(records);
		const failed = { type: 'read_failed', error: refused, chance } as const;
		expect(take(failed)).toEqual([{ do: 'tell_failure', error: refused, againMs: REFUSED_RETRY_MS.base }]);
		expect(take(failed, 2_000)).toEqual([
			{ do: 'tell_failure', error: refused, againMs: REFUSED_RETRY_MS.base - 2_000 },
		]);
		take(read, 2_000);
		expect(take(failed, 3_000)).toEqual([{ do: 'tell_failure', error: refused, againMs: REFUSED_RETRY_MS.base }]);
	});

	it('releases held messages if nobody can be served, or the key may not read', () => {
		const pending = () => topicAfter(trades, confirmed({ head: at(4) }), message(5));
		expect(pending().effects({ type: 'read_nothing', chance })).toEqual(['release']);
		expect(pending().effects({ type: 'read_failed', error: refused, chance })).toEqual(['tell_failure', 'release']);
		expect(pending().effects({ type: 'read_failed', error: gone, chance })).toEqual(['tell_failure']);
	});

	it('runs regular backfills, counted from the last one', () => {
		const every = { ...records, readEveryMs: 45_000 };
		const { state, take } = topicAfter(every);
		expect(dueIn(state)).toEqual([45_000]);
		take({ type: 'woken' }, 45_000);
		take({ ...read, chance: 0 }, 46_000);
		expect(dueIn(state)).toEqual([46_000 + 40_500]);
	});
});
