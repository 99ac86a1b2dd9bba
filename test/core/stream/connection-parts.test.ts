import {
	isDiagnosisDue,
	isJustRefused,
	isRefusal,
	isRefused,
	noKeyRefusals,
	refusedDelayMs,
} from '../../../packages/core/src/stream/connection/key-refusals';
import {
	dueAfter,
	leftMs,
	newListeningTime,
	pause,
	resume,
} from '../../../packages/core/src/stream/connection/listening-time';
import { newReconnects, reconnectDelayMs } from '../../../packages/core/src/stream/connection/reconnect';
import {
	awaitReplay,
	endReplays,
	hearReplay,
	isResumeUseful,
	noReplays,
} from '../../../packages/core/src/stream/connection/resume-guard';
import type { Position } from '../../../packages/core/src/stream/position';
import { RECONNECT_WINDOW_MS, RECONNECTS_PER_WINDOW_MAX } from '../../../packages/core/src/stream/limits';

const MINUTE_MS = 60_000;

describe('the delay before the next connection', () => {
	const waits = (count: number, now = 1, everyMs = 0) => {
		const state = newReconnects();
		return Array.from({ length: count }, (_, index) => reconnectDelayMs(state, now + index * everyMs, 1));
	};

	it('the delay of a reconnect doubles up to RECONNECT_SOON_MS_MAX, and in a long outage to RECONNECT_MS_MAX', () => {
		expect(waits(6)).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
		expect(waits(12, 1, MINUTE_MS).slice(8)).toEqual([8_000, 8_000, 30_000, 30_000]);
	});

	it('the delay of a reconnect is short again after a connection that held for STABLE_AFTER_MS, and only then', () => {
		const state = newReconnects();
		const delayMs = (now: number) => reconnectDelayMs(state, now, 1);
		for (let failure = 0; failure < 5; failure += 1) delayMs(1);
		expect(state.tries).toBe(5);
		state.openedAt = 10;
		expect(delayMs(10 + MINUTE_MS - 1)).toBe(8_000);
		expect(delayMs(10 + 2 * MINUTE_MS)).toBe(8_000);
		state.openedAt = 1_000_000;
		expect(delayMs(1_000_000 + MINUTE_MS)).toBe(1_000);
		expect(state.tries).toBe(1);
		expect(delayMs(1_000_000 + 10 * MINUTE_MS)).toBe(2_000);
		for (let failure = 0; failure < 8; failure += 1) delayMs(1_000_000 + 10 * MINUTE_MS);
		expect(delayMs(1_000_000 + 11 * MINUTE_MS - 1)).toBe(8_000);
		expect(delayMs(1_000_000 + 11 * MINUTE_MS)).toBe(30_000);
	});

	it('the delay of a reconnect begins after rate_limited at LIMITED_FLOOR_MS, doubled up to LIMITED_MS_MAX', () => {
		const state = newReconnects();
		const limited = Array.from({ length: 7 }, () => {
			state.limited += 1;
			return reconnectDelayMs(state, 1, 0);
		});
		expect(limited).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
		const spread = { ...newReconnects(), limited: 1 };
		expect(reconnectDelayMs(spread, 1, 0.5)).toBe(7_500);
		expect(reconnectDelayMs({ ...newReconnects(), limited: 21 }, 1, 0.5)).toBe(120_000);
	});

	it('the delay of a reconnect forgets rate_limited after a connection that held, but for once more', () => {
		const state = { ...newReconnects(), limited: 4, openedAt: 1 };
		expect(reconnectDelayMs(state, 1 + MINUTE_MS, 0)).toBe(5_000);
		expect(reconnectDelayMs(state, 2 + MINUTE_MS, 0)).toBe(0);
	});

	it('the delay of a reconnect lasts until the window of connections has room', () => {
		const state = newReconnects();
		const delayMs = (now: number) => reconnectDelayMs(state, now, 0);
		for (let opened = 1; opened < RECONNECTS_PER_WINDOW_MAX; opened += 1) state.begun.push(1_000);
		expect(delayMs(2_000)).toBe(0);
		state.begun.push(2_000);
		expect(delayMs(2_000)).toBe(1_000 + RECONNECT_WINDOW_MS - 2_000);
		expect(delayMs(1_000 + RECONNECT_WINDOW_MS - 1)).toBe(1);
		expect(delayMs(1_000 + RECONNECT_WINDOW_MS)).toBe(0);
	});
});

describe('a refused key', () => {
	it('a refused key is checked over REST if the status says so, or at the first and every fifth socket that does not open', () => {
		const due = Array.from({ length: 11 }, (_, index) => index + 1).filter((unopened) =>
			isDiagnosisDue({ ...noKeyRefusals(), unopened }, undefined),
		);
		expect(due).toEqual([1, 6, 11]);
		const statuses = [401, 403, 500, undefined];
		const at = (count: number) =>
			statuses.map((status) => isDiagnosisDue({ ...noKeyRefusals(), unopened: 2, count }, status));
		expect([at(0), at(1)]).toEqual([
			[true, true, false, false],
			[true, true, true, true],
		]);
		expect([401, 403, 404, undefined].map(isRefusal)).toEqual([true, true, false, false]);
	});

	it('a refused key is confirmed by REFUSALS_CONFIRM refusals in a row, and then tried at growing pauses', () => {
		const counts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
		expect(counts.map((count) => refusedDelayMs(count) / 1_000)).toEqual([0, 1, 2, 30, 60, 120, 240, 480, 600, 600]);
		expect(counts.filter((count) => isRefused({ ...noKeyRefusals(), count }))).toEqual([3, 4, 5, 6, 7, 8, 9]);
		expect(counts.filter((count) => isJustRefused({ ...noKeyRefusals(), count }))).toEqual([3]);
	});
});

describe('a replay that ends its connection', () => {
	const at = (seq: number, epoch = 'e1'): Position => ({ epoch, seq });

	/** This many connections that are confirmed and end after a time. */
	function ended(count: number, { afterMs = 0, head = undefined as Position | undefined, resumedFrom = at(4) } = {}) {
		const replays = noReplays();
		let now = 1_000_000;
		for (let made = 0; made < count; made += 1) {
			awaitReplay(replays, 't', { head, resumedFrom, now });
			endReplays(replays, (now += afterMs));
		}
		return { replays, isUseful: (topic = 't') => isResumeUseful(replays, topic) };
	}

	it('a replay that ends its connection is tried FAILED_REPLAYS_MAX times in a row', () => {
		expect([ended(3).isUseful(), ended(4).isUseful(), ended(4).isUseful('other')]).toEqual([true, false, true]);
	});

	it('a replay is not suspected if the connection lasted REPLAY_MS_MAX, or nothing was left to replay', () => {
		expect([ended(9, { afterMs: 9_999 }).isUseful(), ended(9, { afterMs: 10_000 }).isUseful()]).toEqual([false, true]);
		const heads = [at(4), at(3), at(5), at(4, 'e2')];
		expect(heads.map((head) => ended(4, { head }).isUseful())).toEqual([true, true, false, false]);
	});

	it('a replay is not suspected any more once a message of the topic came', () => {
		const { replays, isUseful } = ended(4);
		awaitReplay(replays, 't', { resumedFrom: at(4), now: 0 });
		hearReplay(replays, 'other');
		expect(isUseful()).toBe(false);
		hearReplay(replays, 't');
		endReplays(replays, 0);
		expect(isUseful()).toBe(true);
	});

	it('a replay that ends its connection counts once for it', () => {
		const { replays, isUseful } = ended(3);
		endReplays(replays, 0);
		endReplays(replays, 0);
		expect(isUseful()).toBe(true);
	});
});

describe('the time a connection was read', () => {
	it('the time a connection was read does not pass during pauses', () => {
		const listening = newListeningTime();
		const due = dueAfter(listening, 10, 0);
		expect(leftMs(listening, due, 4)).toBe(6);
		expect(pause(listening, 30, 4)).toBe(true);
		expect([leftMs(listening, due, 13), leftMs(listening, { at: 20 }, 13)]).toEqual([Number.POSITIVE_INFINITY, 7]);
		resume(listening, 13);
		expect(leftMs(listening, due, 18)).toBe(1);
		pause(listening, 30, 18);
		resume(listening, 38);
		expect(leftMs(listening, due, 39)).toBe(0);
	});

	it('the time a connection was read begins at the end of a pause', () => {
		const listening = newListeningTime();
		pause(listening, 30, 0);
		const due = dueAfter(listening, 10, 20);
		resume(listening, 30, true);
		expect(leftMs(listening, due, 30)).toBe(10);
		expect(pause(listening, 30, 31)).toBe(false);
		resume(listening, 31);
		expect(pause(listening, 30, 31)).toBe(true);
	});
});
