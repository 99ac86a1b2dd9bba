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

/** An update that grows while it waits for an acknowledgement. Its list and map are its own. */
interface Collected extends CursorUpdate {
	covered?: { after: number; upTo: number }[];
	acknowledged?: Map<string, EventFacts>;
}

const collected = ({ covered, acknowledged, ...update }: CursorUpdate): Collected => ({
	...update,
	...(covered && { covered: [...covered] }),
	...(acknowledged && { acknowledged: new Map(acknowledged) }),
});

/**
 * Adds a later update to one that waits for the same acknowledgement; the later one wins. The earlier one is changed and
 * not copied: while a host keeps one event, every event that its filters reject is added here.
 */
export function merged(earlier: Collected | undefined, later: CursorUpdate): Collected {
	if (!earlier || later.run) return collected(later);
	earlier.position = later.position ?? earlier.position;
	earlier.watermark = later.watermark ?? earlier.watermark;
	if (later.covered) join((earlier.covered ??= []), later.covered);
	if (later.acknowledged) {
		earlier.acknowledged ??= new Map();
		for (const [key, facts] of later.acknowledged) earlier.acknowledged.set(key, facts);
	}
	return earlier;
}

/** Adjacent ranges are merged, to keep the list short. */
function join(earlier: { after: number; upTo: number }[], later: NonNullable<CursorUpdate['covered']>): void {
	for (const [index, range] of later.entries()) {
		const last = index === 0 ? earlier.at(-1) : undefined;
		if (!last || range.after > last.upTo || range.upTo < last.after) earlier.push(range);
		else
			earlier[earlier.length - 1] = {
				after: Math.min(last.after, range.after),
				upTo: Math.max(last.upTo, range.upTo),
			};
	}
}
