import {
	newReconnects,
	reconnectDelayMs,
	refusedDelayMs,
} from '../../../packages/core/src/stream/connection/reconnect';
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

	it('a refused key is asked for over REST wherever the status is hidden', () => {
		expect(unopened([undefined, 500, undefined])).toEqual([
			[true, 0],
			[false, 0],
			[true, 0],
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
