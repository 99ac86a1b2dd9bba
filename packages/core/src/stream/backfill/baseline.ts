import { isExchangeError } from '../../errors';
import { sleep } from '../../ports';
import { BASELINE_ITEMS_MAX, PAGES_MAX, STATUS_PAGES_MAX, STATUS_RETRY_MS, STATUS_TRIES_MAX } from '../limits';
import { isFinal, type TopicEvent } from '../topics/event';
import { timesOf, type EventWalk, type ListReader, type ListSource } from './list-reader';
import { createNewestRows } from './row-clock';
import type { Baseline } from './topic-window';
import type { ReadOptions } from './history';

/** Reads the baseline: the events that count as history for a new subscriber. */
export async function readFirst(
	list: ListReader,
	source: ListSource,
	options: ReadOptions,
	newSince = Number.POSITIVE_INFINITY,
): Promise<Baseline> {
	const { shape, overlapMs, settledBefore, clock } = list;
	const events: TopicEvent[] = [];
	const newest = createNewestRows();
	let oldest = Number.POSITIVE_INFINITY;
	// A baseline that comes late has to reach back to `newSince`.
	const reach = (): number => Math.min((newest.time() ?? Number.NEGATIVE_INFINITY) - overlapMs, newSince);
	const isOld = ({ time }: TopicEvent) => time !== undefined && time < reach();
	const walk = list.walk(isOld, options);
	let isCut = false;
	for (let page = await walk.next(); page; page = await walk.next()) {
		events.push(...page);
		newest.observe(page);
		oldest = Math.min(oldest, ...timesOf(page));
		// In a list that is newest first all further rows are older. Without a known order or times the whole list is read.
		const isEnough = shape.order === 'newest_first' && events.length >= BASELINE_ITEMS_MAX && oldest < newSince;
		isCut = isEnough || walk.pages() >= PAGES_MAX;
		if (isCut) break;
	}
	const after = walk.isWhole() ? Number.NEGATIVE_INFINITY : isCut ? oldest : reach();
	const settled = settledBefore(newest, clock.elapsed());
	const range = { after, upTo: settled === undefined ? undefined : Math.max(after, settled), row: events.at(-1) };
	if (!source.follow || walk.isWhole()) return { events, ...range, open: 'all' };
	const open = await openRecords(list, source.follow.open, options);
	return { events: [...events, ...open.events], ...range, open: open.isWhole ? 'all' : 'some' };
}

/** Reads open records by status, because they may be older than the pages read so far. Stops at STATUS_PAGES_MAX. */
async function openRecords(list: ListReader, open: readonly string[], options: ReadOptions) {
	const events: TopicEvent[] = [];
	let [pages, isWhole] = [0, true];
	for (const status of open) {
		const walk = list.walkStatus(status, isEnded, options);
		for (let page: TopicEvent[] | undefined = []; page; pages += 1) {
			page = pages < STATUS_PAGES_MAX ? await nextOf(walk, list, options) : undefined;
			events.push(...(page ?? []));
		}
		isWhole &&= walk.isWhole();
	}
	return { events, isWhole };
}

const isEnded = ({ order }: TopicEvent): boolean => order === undefined || isFinal(order.status);

/**
 * Retries a failed page, because no later backfill looks for these records. The name of the status filter is assumed,
 * so a refusal ends the walk without an error.
 */
async function nextOf(
	walk: EventWalk,
	{ clock }: ListReader,
	{ signal }: ReadOptions,
): Promise<TopicEvent[] | undefined> {
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
