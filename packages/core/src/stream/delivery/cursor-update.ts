import type { Position } from '../position';
import type { EventFacts } from '../topics/event';
import type { ServiceRun } from './run-mark';

/** A change of the cursor that is stored once the host has acknowledged all events before it. */
export interface CursorUpdate {
	position?: Position;
	/** Everything created up to here was read. */
	watermark?: number;
	/** Ranges of sequence numbers that are known without an event for each number. */
	covered?: readonly { after: number; upTo: number }[];
	/** The sequence numbers restarted: numbers known before belong to an earlier run. */
	run?: ServiceRun;
	/** Facts of events that were delivered or need no delivery, by key; of an order only the latest, by its id. */
	acknowledged?: ReadonlyMap<string, EventFacts>;
}

/** Merges two updates that wait for the same acknowledgement; the later one wins. */
export function merged(earlier: CursorUpdate | undefined, later: CursorUpdate): CursorUpdate {
	if (!earlier || later.run) return later;
	return {
		position: later.position ?? earlier.position,
		watermark: later.watermark ?? earlier.watermark,
		covered: joined(earlier.covered, later.covered),
		run: earlier.run,
		acknowledged:
			later.acknowledged && earlier.acknowledged
				? new Map([...earlier.acknowledged, ...later.acknowledged])
				: (later.acknowledged ?? earlier.acknowledged),
	};
}

/** Adjacent ranges are merged, to keep the list short. */
function joined(earlier: CursorUpdate['covered'] = [], later: CursorUpdate['covered'] = []): CursorUpdate['covered'] {
	const [last, first] = [earlier.at(-1), later[0]];
	if (!last || !first || first.after > last.upTo || first.upTo < last.after) return [...earlier, ...later];
	const both = { after: Math.min(last.after, first.after), upTo: Math.max(last.upTo, first.upTo) };
	return [...earlier.slice(0, -1), both, ...later.slice(1)];
}
