import { createReconnectBackoff } from '../../../packages/core/src/stream/connection/reconnect';
import { createRefusals, isRefusal } from '../../../packages/core/src/stream/connection/refusals';
import { createResumeGuard } from '../../../packages/core/src/stream/connection/resume-guard';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

describe('how long to wait for the next connection', () => {
	const waits = (count: number, now = 1, everyMs = 0) => {
		const backoff = createReconnectBackoff(() => 1);
		return Array.from({ length: count }, (_, index) => backoff.delayMs(now + index * everyMs));
	};

	it('a reconnect waits twice as long each time, up to RECONNECT_SOON_MS_MAX, and later up to RECONNECT_MS_MAX', () => {
		expect(waits(6)).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
		expect(waits(12, 1, MINUTE_MS).slice(8)).toEqual([8_000, 8_000, 30_000, 30_000]);
	});

	it('a reconnect is quick again after a connection that held for STABLE_AFTER_MS, and only then', () => {
		const backoff = createReconnectBackoff(() => 1);
		for (let failure = 0; failure < 5; failure += 1) backoff.delayMs(1);
		expect(backoff.tries()).toBe(5);
		backoff.opened(10);
		expect(backoff.delayMs(10 + MINUTE_MS - 1)).toBe(8_000);
		expect(backoff.delayMs(10 + 2 * MINUTE_MS)).toBe(8_000);
		backoff.opened(1_000_000);
		expect(backoff.delayMs(1_000_000 + MINUTE_MS)).toBe(1_000);
		expect(backoff.tries()).toBe(1);
		expect(backoff.delayMs(1_000_000 + 10 * MINUTE_MS)).toBe(2_000);
		for (let failure = 0; failure < 8; failure += 1) backoff.delayMs(1_000_000 + 10 * MINUTE_MS);
		expect(backoff.delayMs(1_000_000 + 11 * MINUTE_MS - 1)).toBe(8_000);
		expect(backoff.delayMs(1_000_000 + 11 * MINUTE_MS)).toBe(30_000);
	});

	it('a reconnect after rate_limited waits LIMITED_FLOOR_MS, doubled up to LIMITED_MS_MAX', () => {
		const backoff = createReconnectBackoff(() => 0);
		const limited = Array.from({ length: 7 }, () => {
			backoff.limited();
			return backoff.delayMs(1);
		});
		expect(limited).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
		const spread = createReconnectBackoff(() => 0.5);
		spread.limited();
		expect(spread.delayMs(1)).toBe(7_500);
		for (let more = 0; more < 20; more += 1) spread.limited();
		expect(spread.delayMs(1)).toBe(120_000);
	});

	it('a reconnect forgets rate_limited after a connection that held, but for once more', () => {
		const backoff = createReconnectBackoff(() => 0);
		for (let limit = 0; limit < 4; limit += 1) backoff.limited();
		backoff.opened(1);
		expect(backoff.delayMs(1 + MINUTE_MS)).toBe(5_000);
		expect(backoff.delayMs(2 + MINUTE_MS)).toBe(0);
	});

	it('a reconnect waits until the window of RECONNECTS_PER_WINDOW_MAX connections has room', () => {
		const backoff = createReconnectBackoff(() => 0);
		for (let opened = 0; opened < 39; opened += 1) backoff.opening(1_000 + opened);
		expect(backoff.delayMs(2_000)).toBe(0);
		backoff.opening(2_000);
		expect(backoff.delayMs(2_000)).toBe(119_000);
		expect(backoff.delayMs(120_999)).toBe(1);
		expect(backoff.delayMs(121_000)).toBe(0);
		backoff.opening(121_000);
		expect(backoff.delayMs(121_000)).toBe(1);
		expect(backoff.delayMs(121_001)).toBe(0);
	});
});

describe('a key that is refused', () => {
	it('checks the key where the status says so, or else at the first and every fifth socket that does not open', () => {
		const refusals = createRefusals();
		const due = Array.from({ length: 11 }, () => {
			refusals.unopened();
			return refusals.isDiagnosisDue(undefined);
		});
		expect(due.flatMap((isDue, index) => (isDue ? [index + 1] : []))).toEqual([1, 6, 11]);
		refusals.unopened();
		expect([401, 403, 500, undefined].map(refusals.isDiagnosisDue)).toEqual([true, true, false, false]);
		expect([401, 403, 404, undefined].map(isRefusal)).toEqual([true, true, false, false]);
		refusals.diagnosed(true);
		expect(refusals.isDiagnosisDue(500)).toBe(true);
		refusals.diagnosed(false);
		expect(refusals.isDiagnosisDue(500)).toBe(false);
	});

	it('confirms a refused key by three refusals in a row, and then retries at growing pauses', () => {
		const refusals = createRefusals();
		expect(refusals.delayMs()).toBe(0);
		const seen = Array.from({ length: 9 }, () => {
			refusals.diagnosed(true);
			return [refusals.delayMs() / SECOND_MS, refusals.isConfirmed(), refusals.isJustConfirmed()];
		});
		expect(seen.map(([delay]) => delay)).toEqual([1, 2, 30, 60, 120, 240, 480, 600, 600]);
		expect(seen.map(([, isConfirmed]) => isConfirmed)).toEqual([false, false, ...Array<boolean>(7).fill(true)]);
		expect(seen.map(([, , isJust]) => isJust)).toEqual([false, false, true, ...Array<boolean>(6).fill(false)]);
		refusals.diagnosed(false);
		refusals.diagnosed(true);
		expect([refusals.delayMs(), refusals.delayMs(1), refusals.delayMs(2)]).toEqual([1_000, 2_000, 30_000]);
	});

	it('forgets a refused key once a connection opens', () => {
		const refusals = createRefusals();
		for (let refused = 0; refused < 4; refused += 1) {
			refusals.unopened();
			refusals.diagnosed(true);
		}
		expect(refusals.everOpened()).toBe(false);
		refusals.opened();
		expect([refusals.everOpened(), refusals.isConfirmed(), refusals.delayMs()]).toEqual([true, false, 0]);
		refusals.unopened();
		expect(refusals.isDiagnosisDue(undefined)).toBe(true);
	});
});

describe('a replay that is in vain', () => {
	const at = (seq: number, epoch = 'e1') => ({ epoch, seq });

	/** This many connections that are confirmed and end after a time. */
	function ended(
		count: number,
		{
			afterMs = 0,
			head,
			from = at(4),
		}: { afterMs?: number; head?: ReturnType<typeof at>; from?: ReturnType<typeof at> | undefined } = {},
	) {
		let now = 1_000_000;
		const guard = createResumeGuard({ now: () => now });
		for (let made = 0; made < count; made += 1) {
			guard.confirmed('t', head, from);
			now += afterMs;
			guard.lost();
		}
		return guard;
	}

	it('tries a failing replay four times in a row', () => {
		expect([ended(3).isUseful('t'), ended(4).isUseful('t'), ended(4).isUseful('other')]).toEqual([true, false, true]);
	});

	it('counts no failed replay if the connection lasted ten seconds, or nothing was to be replayed', () => {
		expect([ended(9, { afterMs: 9_999 }).isUseful('t'), ended(9, { afterMs: 10_000 }).isUseful('t')]).toEqual([
			false,
			true,
		]);
		expect([at(4), at(3), at(5), at(4, 'e2')].map((head) => ended(4, { head }).isUseful('t'))).toEqual([
			true,
			true,
			false,
			false,
		]);
		expect(ended(4, { head: at(4), from: undefined }).isUseful('t')).toBe(true);
	});

	it('counts no failed replay once an event came, or if the service says why it ends', () => {
		const heard = ended(4);
		heard.confirmed('t', undefined, at(4));
		heard.heard('other');
		expect(heard.isUseful('t')).toBe(false);
		heard.heard('t');
		heard.lost();
		expect(heard.isUseful('t')).toBe(true);
		const excused = ended(3);
		excused.confirmed('t', undefined, at(4));
		excused.ignoreEnd();
		excused.lost();
		excused.lost();
		expect(excused.isUseful('t')).toBe(true);
	});

	it('counts one connection as one failed replay', () => {
		const guard = ended(3);
		guard.lost();
		guard.lost();
		expect(guard.isUseful('t')).toBe(true);
	});
});
