import {
	newReconnects,
	reconnectDelayMs,
	refusedDelayMs,
} from '../../../packages/core/src/stream/connection/reconnect';
import { hearReplay } from '../../../packages/core/src/stream/connection/subscriptions';
import type { Position } from '../../../packages/core/src/stream/position';
import { RECONNECT_WINDOW_MS, RECONNECTS_PER_WINDOW_MAX } from '../../../packages/core/src/stream/limits';
import { openConnection } from './connection-stage';

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
	/** Sockets that do not open, with these statuses; answers what was asked of REST, and the refusals counted, after each. */
	function unopened(
		statuses: readonly (number | undefined)[],
		{ access, refusals = 0 }: { access?: 'public'; refusals?: number } = {},
	) {
		const { state, effects, happened, chance } = openConnection({ access });
		happened({ type: 'begun' });
		state.keyRefusals = refusals;
		return statuses.map((status) => {
			effects.splice(0);
			happened({ type: 'closed', status, chance });
			const asks = effects.some((effect) => effect.do === 'diagnose');
			happened({ type: 'woken', chance });
			state.socketAt = 0;
			happened({ type: 'woken', chance });
			return [asks, state.keyRefusals];
		});
	}

	it('a refused key is counted where the status says so, and no other status counts', () => {
		expect(unopened([401, 403, 403])).toEqual([
			[false, 1],
			[false, 2],
			[false, 3],
		]);
		expect(unopened([500, 404], { refusals: 2 })).toEqual([
			[false, 0],
			[false, 0],
		]);
	});

	it('a refused key is asked for over REST at the first and every fifth socket that does not open, and while it is in doubt', () => {
		const questions = unopened(Array.from({ length: 11 }, () => undefined)).flatMap(([asks], index) =>
			asks ? [index + 1] : [],
		);
		expect(questions).toEqual([1, 6, 11]);
		const inDoubt = unopened([500, undefined, undefined].slice(1), { refusals: 1 });
		expect(inDoubt).toEqual([
			[true, 1],
			[true, 1],
		]);
	});

	it('a connection without a key is refused no key', () => {
		expect(unopened([401, undefined], { access: 'public' })).toEqual([
			[false, 0],
			[false, 0],
		]);
	});

	it('a connection without a key that is refused waits as after any other failure', async () => {
		const { time, seconds, happened, onEffect, pass, stop, chance } = openConnection({ access: 'public' });
		onEffect.push((effect) => {
			if (effect.do === 'open') time.after(0, () => happened({ type: 'closed', status: 403, chance }));
		});
		happened({ type: 'begun' });
		await pass(10);
		stop();
		expect(seconds('open')).toEqual([0, 0.99, 2.97, 6.93]);
	});

	it('a refused key is tried at growing pauses', () => {
		const counts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
		expect(counts.map((count) => refusedDelayMs(count) / 1_000)).toEqual([0, 1, 2, 30, 60, 120, 240, 480, 600, 600]);
	});
});

describe('a replay that ends its connection', () => {
	const at = (seq: number, epoch = 'e1'): Position => ({ epoch, seq });

	/** A connection that is confirmed and ends, so often as asked; answers which topics the next one resumes. */
	function openReplays({ head, resumedFrom = at(4) }: { head?: Position; resumedFrom?: Position } = {}) {
		const { time, state, effects, happened, chance } = openConnection();
		happened({ type: 'begun' });
		happened({ type: 'attached', topic: 't', isBook: false });
		function confirm(): void {
			happened({ type: 'opened' });
			happened({ type: 'resumed', positions: new Map([['t', resumedFrom]]) });
			const positions: Record<string, Position> = head ? { t: head } : {};
			happened({ type: 'subscribed', topics: ['t'], positions, snapshots: {} });
		}
		function close(): void {
			happened({ type: 'closed', chance });
			state.socketAt = 0;
			happened({ type: 'woken', chance });
		}
		async function end(count: number, afterMs = 0): Promise<void> {
			for (let made = 0; made < count; made += 1) {
				confirm();
				if (afterMs > 0) await time.run(time.now() + afterMs);
				close();
			}
		}
		function resumes(): readonly string[] {
			happened({ type: 'attached', topic: 'other', isBook: false });
			effects.splice(0);
			happened({ type: 'opened' });
			return effects.flatMap((effect) => (effect.do === 'subscribe' ? effect.resumes : []));
		}
		return { state, end, confirm, close, resumes };
	}

	it('a replay that ends its connection is tried FAILED_REPLAYS_MAX times in a row', async () => {
		const [three, four] = [openReplays(), openReplays()];
		await three.end(3);
		await four.end(4);
		expect([three.resumes(), four.resumes()]).toEqual([['t', 'other'], ['other']]);
	});

	it.each([
		[9_999, ['other']],
		[10_000, ['t', 'other']],
	])('a replay is not suspected if the connection lasted REPLAY_MS_MAX: after %d ms', async (afterMs, expected) => {
		const stage = openReplays();
		await stage.end(9, afterMs);
		expect(stage.resumes()).toEqual(expected);
	});

	it.each([
		[at(4), ['t', 'other']],
		[at(3), ['t', 'other']],
		[at(5), ['other']],
		[at(4, 'e2'), ['other']],
	])('a replay is not suspected if nothing was left to replay: the head is %j', async (head, expected) => {
		const stage = openReplays({ head });
		await stage.end(4);
		expect(stage.resumes()).toEqual(expected);
	});

	it('a replay is not suspected any more once a message of the topic came', async () => {
		const { state, end, confirm, close, resumes } = openReplays();
		await end(4);
		confirm();
		hearReplay(state.topics.get('t')!);
		close();
		expect(resumes()).toEqual(['t', 'other']);
	});

	it('a replay that ends its connection counts once for it, and not for those that end before they confirm it', async () => {
		const { end, close, resumes } = openReplays();
		await end(3);
		close();
		close();
		expect(resumes()).toEqual(['t', 'other']);
	});
});
