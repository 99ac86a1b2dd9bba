/**
 * What was handed to a flow and does not count as taken yet. Node-RED does not say when a flow finished with a message,
 * and drops what is on its way when a deploy stops a node. So an event counts as taken when the flow acknowledged it, or
 * when it was sent, time enough has passed, and no deploy began meanwhile. Until then it can be sent again, and the
 * stored position stays before it. Pure.
 */
import type { StoredCheckpoint, StreamEvent } from '@partner-exchange/core';

/** What is under way for so long is worth telling. */
const LATE_MS = 10_000;

export interface Settling {
	sent(events: readonly StreamEvent[], now: number): void;
	/** The flow finished with these, whichever of them are under way. */
	acknowledged(keys: readonly string[]): void;
	/** The position behind everything sent so far. */
	moved(positions: StoredCheckpoint): void;
	/** The newest position that may be stored, once. */
	settled(now: number): StoredCheckpoint | undefined;
	/** Everything that may have been lost, to be sent again. Its time begins anew. */
	takeBack(now: number): StreamEvent[];
	/** How often something was sent since the oldest that is under way, with it. */
	span(): number;
	/** How much of that is not taken, once the oldest is late. */
	late(now: number): number;
	/** When to ask `settled` next; `Infinity` as long as nothing is to be expected. */
	nextAt(): number;
}

interface Sending {
	at: number;
	/** What the flow has not acknowledged. */
	events: readonly StreamEvent[];
	/** Where the stream stood behind it. */
	positions?: StoredCheckpoint;
}

/** `settleMs` is the time a flow has for an event; `Infinity` when it acknowledges instead. */
export function settling(settleMs: number): Settling {
	/** In the order of the stream, so that a position never passes what is under way. */
	const sendings: Sending[] = [];
	/** A position with nothing under way before it. */
	let safe: StoredCheckpoint | undefined;
	const settlesAt = ({ at, events }: Sending): number => (events.length === 0 ? 0 : at + settleMs);
	const isUnderWay = (sending: Sending): boolean => sending.events.length > 0;

	return {
		sent: (events, now) => void (events.length > 0 && sendings.push({ at: now, events })),
		acknowledged: (keys) => {
			const isOpen = ({ eventKey }: StreamEvent): boolean => !keys.includes(eventKey);
			for (const sending of sendings) sending.events = sending.events.filter(isOpen);
		},
		moved: (positions) => {
			const last = sendings.at(-1);
			if (last) last.positions = positions;
			else safe = positions;
		},
		settled: (now) => {
			const open = sendings.findIndex((sending) => settlesAt(sending) > now);
			const taken = sendings.splice(0, open < 0 ? sendings.length : open);
			const newest = taken.findLast(({ positions }) => positions)?.positions ?? safe;
			safe = undefined;
			return newest;
		},
		takeBack: (now) => {
			for (const sending of sendings) sending.at = now;
			return sendings.flatMap(({ events }) => events);
		},
		span: () => sendings.length,
		late: (now) => (sendings[0] && sendings[0].at + LATE_MS <= now ? sendings.filter(isUnderWay).length : 0),
		nextAt: () => (safe ? 0 : sendings[0] ? settlesAt(sendings[0]) : Infinity),
	};
}
