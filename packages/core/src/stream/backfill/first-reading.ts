import { BASELINE_ITEMS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import type { Reading } from './backfill';
import { timesOf, type ListReader, type ListSource } from './list-reader';

/** What a first reading found, and up to where no later one needs to go back. */
export interface FirstReading {
	events: readonly TopicEvent[];
	watermark?: number;
}

/** Reads what there is before a subscriber gets anything, which is old for it. */
export async function readFirst(
	list: ListReader,
	source: ListSource,
	reading: Reading,
	newSince = Number.POSITIVE_INFINITY,
): Promise<FirstReading> {
	const { shape, overlapMs, settledBefore } = list;
	const events: TopicEvent[] = [];
	let newest = Number.NEGATIVE_INFINITY;
	// One that comes late reads back to what is new.
	const isOld = ({ time }: TopicEvent) => time !== undefined && time < Math.min(newest - overlapMs, newSince);
	const walk = list.walk(isOld, () => reading);
	let isCut = false;
	for (let rows = await walk.next(); rows; rows = await walk.next()) {
		events.push(...list.eventsOf(rows));
		newest = Math.max(newest, ...timesOf(events));
		// In a known order everything further back is older. In no order, or without times, the list is read whole.
		const oldest = Math.min(...timesOf(events));
		isCut = shape.order === 'newest_first' && events.length >= BASELINE_ITEMS_MAX && oldest < newSince;
		if (isCut) break;
	}
	const times = timesOf(events);
	const begins = isCut ? Math.min(...times) : Number.NEGATIVE_INFINITY;
	if (source.follow && !walk.isWhole()) events.push(...(await openRecords(list, source.follow.open, reading)));
	return { events, watermark: times.length === 0 ? undefined : Math.max(begins, settledBefore(newest, 0)) };
}

/** Records that may still change may be older than the latest. The filter's name is assumed, so a refusal is no failure. */
async function openRecords(list: ListReader, open: readonly string[], reading: Reading): Promise<TopicEvent[]> {
	const found: TopicEvent[] = [];
	for (const status of open) found.push(...list.eventsOf(await list.page({ status }, reading).catch(() => [])));
	return found;
}
