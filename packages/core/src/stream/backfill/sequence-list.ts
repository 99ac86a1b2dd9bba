import type { Item } from '../../wire/payload';
import type { TopicEvent } from '../topics/event';
import type { BackfillSource, Topic } from '../topics/topic';
import type { History, ReadOptions } from './history';
import type { SequencePage } from './last-sequence';

type SequenceSource = Extract<BackfillSource, { from: 'sequence' }>;

export interface SequenceListPorts {
	topic: string;
	source: SequenceSource;
	identify: Topic['identify'];
	history: History;
}

/** Reads a list by sequence number. */
export interface SequenceList {
	/** The rows after a number, or some of the newest or oldest ones. */
	page(input: { after_sequence?: number }, options: ReadOptions): Promise<SequencePage>;
	newest(options: ReadOptions): Promise<TopicEvent[]>;
	/** Rows of the longest page so far, because the interface does not show how long pages are. */
	pageLength(): number;
}

export function createSequenceList({ topic, source, identify, history }: SequenceListPorts): SequenceList {
	let pageLength = 0;

	async function page(input: Item, options: ReadOptions): Promise<SequencePage> {
		const pair_id = await history.pairOf(topic, options);
		const rows = await history.page(source.list, { pair_id, ...input }, options);
		const events = rows.flatMap((row) => identify(row) ?? []);
		pageLength = Math.max(pageLength, events.length);
		const isBackwards = (events[0]?.sequence ?? 0) > (events.at(-1)?.sequence ?? 0);
		return { events: events.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)), isBackwards };
	}

	/** A page without `after_sequence` may be the newest or the oldest, so newer rows are searched in growing steps. */
	async function newest(options: ReadOptions): Promise<TopicEvent[]> {
		let { events } = await page({}, options);
		for (let step = events.length; step > 0 && events.length > 0;) {
			const further = await page({ after_sequence: highestOf(events) + step - events.length }, options);
			if (highestOf(further.events) > highestOf(events)) {
				events = further.events;
				step = step * 2 + events.length;
			} else step = step > events.length ? Math.max(events.length, Math.floor(step / 4)) : 0;
		}
		return events;
	}

	return { page, newest, pageLength: () => pageLength };
}

export const highestOf = (events: readonly TopicEvent[]): number =>
	events.reduce((most, { sequence = 0 }) => Math.max(most, sequence), 0);
