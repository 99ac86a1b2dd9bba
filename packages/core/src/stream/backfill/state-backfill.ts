import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';
import type { BackfillSource, Topic } from '../topics/topic';
import { offerRead, type Backfill, type BackfillPorts } from './backfill';
import type { History, ReadOptions } from './history';

export interface StateBackfillPorts extends BackfillPorts, Pick<Topic, 'records' | 'identify'> {
	source: Extract<BackfillSource, { from: 'state' }>;
	history: History;
}

/** Reads the state of all records. What changed more than once meanwhile shows its last change alone. */
export function createStateBackfill(ports: StateBackfillPorts): Backfill {
	const { topic, source, history, records, identify, observed } = ports;

	async function read(options: ReadOptions): Promise<TopicEvent[]> {
		const input = pairKeyOf(topic) === undefined ? {} : { pair_id: await history.pairOf(topic, options) };
		const payload = await history.read(source.read, input, options);
		const events = records(payload).flatMap((record) => identify(record) ?? []);
		observed(events);
		return events;
	}

	return {
		baseline: async (subscriber, options, newSince) => {
			const events = await read(options);
			// What changed since it was due cannot be told from the rest.
			if (newSince() === undefined) subscriber.markKnown(topic, { events, row: undefined });
			else offerRead(subscriber, events, ports);
		},
		run: async (subscribers, options) => {
			const events = await read(options);
			const counts = subscribers.map((subscriber) => offerRead(subscriber, events, ports));
			return { isWhole: true, hasNews: counts.some((count) => count > 0) };
		},
	};
}
