import { textOf, type Item } from '../../wire/payload';
import { isOutdated } from '../sync/book-sequence';
import { served } from '../sync/subscribers';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import { bookEvent } from '../topics/order-book';
import type { BackfillSource, Topic } from '../topics/topic';
import type { Backfill } from './backfill';
import { offerRead } from './offers';
import type { SourcePorts } from './source';

type StateSource<From extends 'snapshot' | 'state'> = Extract<BackfillSource, { from: From }>;

type PresentStatePorts = Omit<SourcePorts, 'identify'>;

export interface BookPorts extends PresentStatePorts {
	source: StateSource<'snapshot'>;
}

/** Reads a snapshot of a book, which replaces everything that was missed. */
export function createBookBackfill(ports: BookPorts): Backfill {
	const { topic, source, state, clock } = ports;
	return {
		run: async () => {
			const read = (await readWhole(source, ports)) as Item;
			// Sequence numbers may restart, so the key of a snapshot includes its time.
			const mark = `snapshot:${textOf(read, 'sequence') ?? ''}:${textOf(read, 'timestamp') ?? state.book.begun}`;
			const snapshot = bookEvent(topic, read, mark);
			if (isOutdated(state.book, snapshot.sequence, clock.now()))
				return { isWhole: true, hasNews: false, isOutdated: true };
			return { isWhole: true, hasNews: offerAll([snapshot], ports), snapshot };
		},
	};
}

export interface RecordsPorts extends SourcePorts, Pick<Topic, 'records'> {
	source: StateSource<'state'>;
}

/** Reads the state of all records. What changed more than once meanwhile shows its last change alone. */
export function createRecordsBackfill(ports: RecordsPorts): Backfill {
	const { topic, source, records, identify } = ports;
	const read = async (): Promise<TopicEvent[]> =>
		records(await readWhole(source, ports)).flatMap((record) => identify(record) ?? []);

	return {
		baseline: async (subscriber, newSince) => {
			const events = await read();
			ports.observed(events);
			// What changed since it was due cannot be told from the rest.
			if (newSince() === undefined) subscriber.markKnown(topic, { events, row: undefined });
			else offerRead(subscriber, events, ports);
		},
		run: async () => ({ isWhole: true, hasNews: offerAll(await read(), ports) }),
	};
}

async function readWhole(
	{ read }: StateSource<'snapshot' | 'state'>,
	{ topic, history, options }: PresentStatePorts,
): Promise<unknown> {
	const input = pairKeyOf(topic) === undefined ? {} : { pair_id: await history.pairOf(topic, options) };
	return history.read(read, input, options);
}

/** Returns whether an event was new to one of the subscribers, those included that joined while it was read. */
function offerAll(events: readonly TopicEvent[], ports: PresentStatePorts): boolean {
	ports.observed(events);
	return served(ports.state.subscribers, ports.topic)
		.map((subscriber) => offerRead(subscriber, events, ports))
		.some((count) => count > 0);
}
