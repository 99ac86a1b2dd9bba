import { CORRECTION_CONFIRMED_AFTER_MS, STATES_MAX } from '../limits';
import type { RecordState } from '../topics/event';
import { numberOf } from './numbers';

/** A record as a checkpoint holds it: its id, a digest of its state, and how often that changed. */
export type StoredState = [id: string, content: string, changes: number];

/** The last state of each record that one subscriber was offered, and when. */
export type StateIndex = Map<string, { content: string; changes: number; at: number }>;

export const stateIndexOf = (states: Iterable<StoredState>): StateIndex =>
	new Map([...states].map(([id, content, changes]) => [id, { content, changes, at: Number.NEGATIVE_INFINITY }]));

/**
 * The state of a record after an event; undefined if that is known. A list lags, so it does not take back what changed
 * a moment ago: the next one shows it, if it is so. The index is changed in place.
 */
export function judgeRecord(
	index: StateIndex,
	{ id, content }: RecordState,
	{ isRead, now }: { isRead: boolean; now: number },
): StoredState | undefined {
	const before = index.get(id);
	if (before?.content === content) return undefined;
	if (before && isRead && now - before.at < CORRECTION_CONFIRMED_AFTER_MS) return undefined;
	const changes = before ? before.changes + 1 : 0;
	index.delete(id);
	index.set(id, { content, changes, at: now });
	forgetFirst(index);
	return [id, content, changes];
}

/** Adds a state that the host has acknowledged. The states, by id, the latest change last, are changed in place. */
export function acknowledgeState(states: Map<string, StoredState>, state: StoredState): void {
	states.delete(state[0]);
	states.set(state[0], state);
	forgetFirst(states);
}

function forgetFirst(states: Map<string, unknown>): void {
	if (states.size > STATES_MAX) states.delete(states.keys().next().value!);
}

/** A stored checkpoint may have been edited or truncated: malformed parts are ignored. */
export const isState = (stored: unknown): stored is StoredState =>
	Array.isArray(stored) &&
	typeof stored[0] === 'string' &&
	typeof stored[1] === 'string' &&
	numberOf(stored[2]) !== undefined;
