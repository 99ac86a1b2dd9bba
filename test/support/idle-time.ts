import type { Clock, Ports } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { queue } from '../simulation/support/queue';
import { settled } from '../simulation/support/time';

/** Rounds of the loop without a word between client and service after which nobody is busy. */
const QUIET_ROUNDS = 20;

/**
 * Real sockets on a time that passes only while none is in use, so that hundreds of calls wait for hours together in a
 * moment, each as long as it says. The service may move with it.
 */
export function idleTime(moved: (byMs: number) => void = () => undefined) {
	const due = queue();
	const ports = nodePorts();
	let [now, open] = [Date.UTC(2026, 0, 5, 9), 0];
	const send: Ports['send'] = async (request) => {
		open += 1;
		try {
			return await ports.send(request);
		} finally {
			open -= 1;
		}
	};
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
		// What is due at the same moment comes in one turn, as in Node.
		while ((due.next() ?? Number.POSITIVE_INFINITY) <= now) due.take()!.action();
	};
	return {
		ports: { ...ports, send, clock },
		/** Lets time pass until the work is over. */
		during: async <T>(work: Promise<T>): Promise<T> => {
			let isOver = false;
			void work.catch(() => undefined).finally(() => (isOver = true));
			while (!isOver) await pass();
			return work;
		},
	};
}
