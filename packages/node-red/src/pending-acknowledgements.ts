/**
 * Events that were sent into a flow and are not acknowledged yet. They can be sent again, and the stored position stays
 * before the oldest of them. Node-RED drops messages under way when a deploy stops a node, and does not report it. Pure.
 */
import type { StoredCheckpoint, StreamEvent } from '@partner-exchange/core';

/** A batch without acknowledgement for so long is reported in the status. */
const OVERDUE_MS = 10_000;

export interface PendingAcknowledgements {
	sent(events: readonly StreamEvent[], now: number): void;
	/** The flow finished with the events of these keys. */
	acknowledge(keys: readonly string[]): void;
	/** The position behind everything sent so far. */
	onCheckpoint(checkpoint: StoredCheckpoint): void;
	/** The newest checkpoint with nothing pending before it, once. */
	storable(now: number): StoredCheckpoint | undefined;
	/** Everything that is pending, to be sent again. Its time begins anew. */
	resend(now: number): StreamEvent[];
	/** Batches from the oldest pending one to the newest. */
	size(): number;
	/** Pending batches, once the oldest of them is overdue. */
	overdue(now: number): number;
	/** When to ask `storable` next; `Infinity` while only an acknowledgement can change it. */
	nextDueAt(): number;
}

interface Batch {
	sentAt: number;
	pending: readonly StreamEvent[];
	/** The position of the stream behind this batch. */
	checkpoint?: StoredCheckpoint;
}

/** `timeoutMs` is the time after which a batch counts as acknowledged; `Infinity` when the flow acknowledges it. */
export function pendingAcknowledgements(timeoutMs: number): PendingAcknowledgements {
	/** In the order of the stream, so that a checkpoint never passes what is pending. */
	const batches: Batch[] = [];
	/** A position reached while nothing was pending. */
	let ahead: StoredCheckpoint | undefined;
	const dueAt = ({ sentAt, pending }: Batch): number => (pending.length === 0 ? 0 : sentAt + timeoutMs);
	const isPending = ({ pending }: Batch): boolean => pending.length > 0;

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
		storable: (now) => {
			const open = batches.findIndex((batch) => dueAt(batch) > now);
			const done = batches.splice(0, open < 0 ? batches.length : open);
			const newest = done.findLast(({ checkpoint }) => checkpoint)?.checkpoint ?? ahead;
			ahead = undefined;
			return newest;
		},
		resend: (now) => {
			for (const batch of batches) batch.sentAt = now;
			return batches.flatMap(({ pending }) => pending);
		},
		size: () => batches.length,
		overdue: (now) => (batches[0] && batches[0].sentAt + OVERDUE_MS <= now ? batches.filter(isPending).length : 0),
		nextDueAt: () => (ahead ? 0 : batches[0] ? dueAt(batches[0]) : Infinity),
	};
}
