import { later, plus, written, type Whole } from '../../whole';
import type { TopicEvent } from '../topics/event';
import type { BackfillSource } from '../topics/topic';
import { inOrder, type SourcePorts } from './source';

export interface SequenceListPorts extends SourcePorts {
	source: Extract<BackfillSource, { from: 'sequence' }>;
}

/** The rows of one page, sorted by sequence number. */
export interface SequencePage {
	/** The number after which it was read. */
	after: Whole;
	events: TopicEvent[];
	/** Whether the page came newest first: such a service answers its newest rows, whatever number was asked for. */
	isBackwards: boolean;
}

/** Reads the rows after a number; without one, some of the newest or oldest. */
export async function readPageAfter(ports: SequenceListPorts, after?: Whole): Promise<SequencePage> {
	const { topic, source, identify, history, options, state } = ports;
	const pair_id = await history.pairOf(topic, options);
	const input = after === undefined ? { pair_id } : { pair_id, after_sequence: written(later(0, after)!) };
	const rows = await history.page(source.list, input, options);
	const events = rows.flatMap((row) => identify(row) ?? []);
	state.list.pageLength = Math.max(state.list.pageLength, events.length);
	const isBackwards = (events[0]?.sequence ?? 0) > (events.at(-1)?.sequence ?? 0);
	return { after: after ?? 0, events: inOrder(events, 'sequence'), isBackwards };
}

/** A page without `after_sequence` may be the newest or the oldest, so newer rows are searched in growing steps. */
export async function readNewestRows(ports: SequenceListPorts): Promise<TopicEvent[]> {
	let { events } = await readPageAfter(ports);
	for (let step = events.length; step > 0 && events.length > 0;) {
		const further = await readPageAfter(ports, plus(highestOf(events), step - events.length));
		if (highestOf(further.events) > highestOf(events)) {
			events = further.events;
			step = step * 2 + events.length;
		} else step = step > events.length ? Math.max(events.length, Math.floor(step / 4)) : 0;
	}
	return events;
}

export const highestOf = (events: readonly TopicEvent[]): Whole =>
	events.reduce<Whole>((most, { sequence = 0 }) => later(most, sequence)!, 0);
