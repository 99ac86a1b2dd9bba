import type { Clock, StreamEvent } from '@partner-exchange/core';
import { createOutbox } from '../../packages/node-red/src/outbox';

const HOUR_MS = 3_600_000;
const event: StreamEvent = {
	topic: 'user.fills',
	seq: 1,
	epoch: 'e',
	ts: null,
	data: {},
	delivery: 'live',
	eventKey: 'a',
};

/** A wall clock and a monotonic clock that a test can set apart; timers follow the monotonic one. */
function clocks() {
	let [now, elapsed] = [10 * HOUR_MS, 0];
	const timers = new Set<{ at: number; action: () => void }>();
	const clock: Clock = {
		now: () => now,
		elapsed: () => elapsed,
		after: (delayMs, action) => {
			const timer = { at: elapsed + delayMs, action };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
	};
	const pass = (durationMs: number): void => {
		now += durationMs;
		elapsed += durationMs;
		for (const timer of [...timers]) {
			if (timer.at > elapsed) continue;
			timers.delete(timer);
			timer.action();
		}
	};
	return { clock, pass, setBack: (byMs: number) => void (now -= byMs) };
}

describe('an outbox that acknowledges after a time', () => {
	it('stores the position in that time, also when the clock of the machine is set back', async () => {
		const { clock, pass, setBack } = clocks();
		const stored: unknown[] = [];
		const outbox = createOutbox({
			...{ place: { id: 'events', z: 'tab' }, clock, turn: async () => await Promise.resolve() },
			acknowledgement: { timeoutMs: 1_000, batchesMax: Infinity },
			save: { put: (value) => void stored.push(value), flush: async () => await Promise.resolve() },
			deploys: { running: () => true, onStarted: () => () => undefined },
		});
		outbox.attach({ send: () => undefined, resend: () => undefined, notice: () => undefined, failed: () => undefined });
		await outbox.deliver([event]);
		outbox.onCheckpoint({ at: 'a' });
		setBack(HOUR_MS);
		pass(1_000);
		expect(stored).toEqual([{ at: 'a' }]);
		expect(outbox.overdue()).toBe(0);
	});
});
