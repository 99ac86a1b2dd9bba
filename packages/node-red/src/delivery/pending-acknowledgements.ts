/**
 * Events sent into a flow but not acknowledged. They can be sent again, and the stored checkpoint stays before the oldest
 * of them. Node-RED silently drops messages in flight when a deploy stops a node. Pure.
 */
import type { StoredCheckpoint } from '@partner-exchange/core';

/** A batch not acknowledged for this long is shown in the status. */
const OVERDUE_MS = 10_000;

/** What a flow acknowledges by its key. */
export interface Keyed {
	eventKey: string;
}

interface PendingAcknowledgements<Event extends Keyed> {
	sent(events: readonly Event[], now: number): void;
	/** Acknowledges the events with these keys. */
	acknowledge(keys: readonly string[]): void;
	/** Sets the checkpoint after everything sent so far. */
	onCheckpoint(checkpoint: StoredCheckpoint): void;
	/** Returns, once, the newest checkpoint with no pending event before it. */
	takeStorable(now: number): StoredCheckpoint | undefined;
	/** All pending events. */
	all(): Event[];
	/** All pending events, to be sent again; their timeouts restart. */
	resend(now: number): Event[];
	/** Number of batches from the oldest pending one to the newest. */
	size(): number;
	/** Pending batches, or 0 while the oldest of them is not overdue. */
	overdue(now: number): number;
	/** When to call `takeStorable` next; `Infinity` while only an acknowledgement can change its result. */
	nextDueAt(): number;
}

interface Batch<Event> {
	sentAt: number;
	pending: readonly Event[];
	/** The stream checkpoint after this batch. */
	checkpoint?: StoredCheckpoint;
}

/** After `timeoutMs` a batch counts as acknowledged; `Infinity` if the flow acknowledges. */
export function pendingAcknowledgements<Event extends Keyed>(timeoutMs: number): PendingAcknowledgements<Event> {
	/** In stream order, so that a checkpoint never passes a pending event. */
	const batches: Batch<Event>[] = [];
	/** A checkpoint that arrived while nothing was pending. */
	let ahead: StoredCheckpoint | undefined;
	const dueAt = ({ sentAt, pending }: Batch<Event>): number =>
		pending.length === 0 ? Number.NEGATIVE_INFINITY : sentAt + timeoutMs;
	const isPending = ({ pending }: Batch<Event>): boolean => pending.length > 0;

	const all = (): Event[] => batches.flatMap(({ pending }) => pending);
	return {
		sent: (events, now) => void (events.length > 0 && batches.push({ sentAt: now, pending: events })),
		acknowledge: (keys) => {
			const acknowledged = new Set(keys);
			for (const batch of batches) batch.pending = batch.pending.filter(({ eventKey }) => !acknowledged.has(eventKey));
		},
		onCheckpoint: (checkpoint) => {
			const last = batches.at(-1);
			if (last) last.checkpoint = checkpoint;
			else ahead = checkpoint;
		},
		takeStorable: (now) => {
			const open = batches.findIndex((batch) => dueAt(batch) > now);
			const done = batches.splice(0, open < 0 ? batches.length : open);
			const newest = done.findLast(({ checkpoint }) => checkpoint)?.checkpoint ?? ahead;
			ahead = undefined;
			return newest;
		},
		resend: (now) => {
			for (const batch of batches) batch.sentAt = now;
			return all();
		},
		all,
		size: () => batches.length,
		overdue: (now) => (batches[0] && batches[0].sentAt + OVERDUE_MS <= now ? batches.filter(isPending).length : 0),
		nextDueAt: () => (ahead ? 0 : batches[0] ? dueAt(batches[0]) : Infinity),
	};
}
