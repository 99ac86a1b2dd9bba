/**
 * What was handed to a flow and is not settled yet. Node-RED does not say when a flow finished with a message, and drops
 * what is on its way when a deploy stops a node. So an event counts as taken when it was sent, time enough has passed,
 * and no deploy began meanwhile. Until then it can be sent again, and the stored position stays before it. Pure.
 */
import type { StoredPositions, StreamEvent } from '@partner-exchange/core';

/** Positions reported within this time are one step. */
const STEP_MS = 50;

export interface Settling {
	sent(events: readonly StreamEvent[], now: number): void;
	/** The position behind everything sent so far. */
	moved(positions: StoredPositions, now: number): void;
	/** The newest position that may be stored, once. */
	settled(now: number): StoredPositions | undefined;
	/** Everything that may have been lost, to be sent again. What it was to settle waits for that. */
	takeBack(now: number): StreamEvent[];
	/** When to ask `settled` next. */
	nextAt(): number | undefined;
}

export function settling(settleMs: number): Settling {
	let sent: { at: number; events: readonly StreamEvent[] }[] = [];
	let steps: { from: number; at: number; positions: StoredPositions }[] = [];
	const past = (now: number) => (step: { at: number }) => step.at + settleMs <= now;
	return {
		sent: (events, now) => void (events.length > 0 && sent.push({ at: now, events })),
		moved: (positions, now) => {
			const last = steps.at(-1);
			if (last && now - last.from < STEP_MS) Object.assign(last, { at: now, positions });
			else steps.push({ from: now, at: now, positions });
		},
		settled: (now) => {
			sent = sent.slice(sent.filter(past(now)).length);
			// With nothing on its way the newest position is safe at once.
			const settledSteps = sent.length === 0 ? steps : steps.filter(past(now));
			steps = steps.slice(settledSteps.length);
			return settledSteps.at(-1)?.positions;
		},
		takeBack: (now) => {
			const events = sent.flatMap((one) => one.events);
			sent = [];
			for (const step of steps) Object.assign(step, { from: now, at: now });
			return events;
		},
		nextAt: () => (sent[0] ? sent[0].at + settleMs : steps[0]?.at),
	};
}
