import type { Subscriber } from '../delivery/subscriber';
import { textOf, type Item } from '../../wire/payload';
import { bookEvent } from '../topics/order-book';
import type { BackfillSource } from '../topics/topic';
import { offerRead, type Backfill, type BackfillPorts } from './backfill';
import type { History } from './history';

export interface SnapshotBackfillPorts extends BackfillPorts {
	source: Extract<BackfillSource, { from: 'snapshot' }>;
	history: History;
	/** The subscribers of a snapshot, including those that joined while it was read. */
	served(): readonly Subscriber[];
	/** Whether a snapshot is too old to apply the buffered changes to, or no newer than the known book. */
	isOutdated(sequence: number | undefined): boolean;
}

/** Reads a snapshot, which replaces everything that was missed. */
export function createSnapshotBackfill(ports: SnapshotBackfillPorts): Backfill {
	const { topic, source, history } = ports;
	let turn = 0;

	return {
		run: async (_, options) => {
			const pair_id = await history.pairOf(topic, options);
			const read = (await history.read(source.read, { pair_id }, options)) as Item;
			turn += 1;
			// Sequence numbers may restart, so the key of a snapshot includes its time.
			const mark = `snapshot:${textOf(read, 'sequence') ?? ''}:${textOf(read, 'timestamp') ?? turn}`;
			const snapshot = bookEvent(topic, read, mark);
			if (ports.isOutdated(snapshot.sequence)) return { isWhole: true, hasNews: false, isOutdated: true };
			ports.observed([snapshot]);
			const counts = ports.served().map((subscriber) => offerRead(subscriber, [snapshot], ports));
			return { isWhole: true, hasNews: counts.some((count) => count > 0), snapshot };
		},
	};
}
