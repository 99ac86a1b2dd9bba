import type { Position } from '../position';
import type { EventFacts } from '../topics/event';
import type { ServiceRun } from './run-mark';

/** What becomes stored once the host has acknowledged everything before it. */
export interface CursorUpdate {
	position?: Position;
	/** Everything created up to here was read. */
	watermark?: number;
	/** Sequences that are known without an event each. */
	covered?: readonly { after: number; upTo: number }[];
	/** The sequence numbers restarted: known numbers belong to another run. */
	run?: ServiceRun;
	/** Keys of events that were delivered or need not be; of an order only the latest. */
	acknowledged?: ReadonlyMap<string, EventFacts>;
}

/** Later updates of a cursor over earlier ones, for those that wait together. */
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
