import type { Clock, IntentJournal, Ports } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { queue } from '../simulation/support/queue';
import { settled } from '../simulation/support/time';

/** Iterations of the event loop without traffic between client and service after which both count as idle. */
const QUIET_ROUNDS = 20;

/**
 * Real sockets and files on a clock that advances only while nothing of them is under way, so that hundreds of calls wait for hours in
 * a moment, each for its full time. The service may use the same clock.
 */
export function idleTime(moved: (byMs: number) => void = () => undefined) {
	const due = queue();
	const ports = nodePorts();
	let [now, open] = [Date.UTC(2026, 0, 5, 9), 0];
	const counted = async <T>(work: () => T | Promise<T>): Promise<T> => {
		open += 1;
		try {
			return await work();
		} finally {
			open -= 1;
		}
	};
	const send: Ports['send'] = (request) => counted(() => ports.send(request));
	const clock: Clock = {
		now: () => now,
		elapsed: () => now,
		after: (delayMs, action) => {
			const entry = due.add(now + Math.max(0, delayMs), action);
			return () => void (entry.off = true);
		},
	};
	const pass = async (): Promise<void> => {
		for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
			await settled();
			if (open > 0) quiet = 0;
		}
		const next = due.next();
		if (next === undefined) return;
		if (next > now) moved(next - now);
		now = Math.max(now, next);
		// Timers due at the same time fire in one turn, as in Node.
		while ((due.next() ?? Number.POSITIVE_INFINITY) <= now) due.take()!.action();
	};
	return {
		ports: { ...ports, send, clock },
		/** A journal in a real file, during whose work the clock stands still as it does during a request. */
		journalOf: ({ record, close, open: read, recent }: IntentJournal): IntentJournal => ({
			record: (...args) => counted(() => record(...args)),
			close: (...args) => counted(() => close(...args)),
			open: () => counted(read),
			...(recent ? { recent: () => counted(recent) } : {}),
		}),
		/** Advances the clock until the work is done. */
		during: async <T>(work: Promise<T>): Promise<T> => {
			let isOver = false;
			void work.catch(() => undefined).finally(() => (isOver = true));
			while (!isOver) await pass();
			return work;
		},
	};
}
