import { isExchangeError } from '../../errors';
import { sleep } from '../../ports';
import type { ListWalk } from '../../wire/list-walk';
import type { Item } from '../../wire/payload';
import { BASELINE_ITEMS_MAX, STATUS_PAGES_MAX, STATUS_RETRY_MS, STATUS_TRIES_MAX } from '../limits';
import { isFinal, type TopicEvent } from '../topics/event';
import type { Reading } from './backfill';
import { timesOf, type ListReader, type ListSource } from './list-reader';

/** What the baseline found, and the watermark behind which no later backfill needs to go. */
export interface FirstReading {
	events: readonly TopicEvent[];
	watermark?: number;
	/** Open records may exist that were not found. */
	isPartial?: boolean;
}

/** Reads the baseline: everything that is old for a new subscriber. */
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
	const watermark = times.length === 0 ? undefined : Math.max(begins, settledBefore(newest, 0));
	if (!source.follow || walk.isWhole()) return { events, watermark };
	const open = await openRecords(list, source.follow.open, reading);
	return { events: [...events, ...open.events], watermark, isPartial: !open.isWhole };
}

/** Records that may still change may be older than the latest. More than a reading may look for are left. */
async function openRecords(list: ListReader, open: readonly string[], reading: Reading) {
	const events: TopicEvent[] = [];
	let [pages, isWhole] = [0, true];
	for (const status of open) {
		const walk = list.walkStatus(status, isEnded, reading);
		for (let rows: Item[] | undefined = []; rows; pages += 1) {
			rows = pages < STATUS_PAGES_MAX ? await nextOf(walk, list, reading) : undefined;
			events.push(...list.eventsOf(rows ?? []));
		}
		isWhole &&= walk.isWhole();
	}
	return { events, isWhole };
}

const isEnded = ({ order }: TopicEvent): boolean => order === undefined || isFinal(order.status);

/** Nothing looks for these again, so a page is tried a few times. The filter's name is assumed, so a refusal is no failure. */
async function nextOf(walk: ListWalk, { clock }: ListReader, { signal }: Reading): Promise<Item[] | undefined> {
	for (let tries = 1; tries <= STATUS_TRIES_MAX; tries += 1) {
		try {
			return await walk.next();
		} catch (error) {
			if (isExchangeError(error, 'refused') || signal.aborted) return undefined;
			await sleep(clock, STATUS_RETRY_MS * tries, signal);
		}
	}
	return undefined;
}
