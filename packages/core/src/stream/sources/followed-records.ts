import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import type { ListShape } from '../../wire/list-shape';
import { isItem, type Item } from '../../wire/payload';
import { OTHERS_IN_A_ROW, PAGE_TRIES_MAX, SINGLE_READS_MAX, STATUS_PAGES_MAX, READ_RETRY_MS } from '../limits';
import { numberCopies } from '../topics/copies';
import { isFinal, type TopicEvent } from '../topics/event';
import type { FollowedRecords } from '../topics/topic';
import { walkList, type EventWalk, type ListPorts } from './list-walk';

interface FollowingPorts extends ListPorts {
	clock: Clock;
}

interface Following {
	follow: FollowedRecords;
	shape: ListShape;
	/** How often records were looked up before, so that each has its turn. */
	lookups: number;
}

/**
 * Looks up records that may have changed but were on no page of the backfill. Many of them are looked up in lists by
 * status, because one read for each would take too long; the rest are read one by one, a few in each backfill.
 */
export async function readFollowed(
	ids: readonly string[],
	{ follow, shape, lookups }: Following,
	ports: FollowingPorts,
): Promise<TopicEvent[]> {
	const missing = new Set(ids);
	const isOther = ({ order }: TopicEvent) => !missing.has(order?.id ?? '');
	const events: TopicEvent[] = [];
	const take = (page: readonly TopicEvent[]): boolean => {
		events.push(...page.filter((event) => !isOther(event)));
		for (const { order } of page) missing.delete(order?.id ?? '');
		return missing.size === 0;
	};
	if (missing.size > SINGLE_READS_MAX) {
		const statuses = [...follow.open, ...follow.ended];
		await readByStatus({ statuses, shape, isOther, take, tries: 1 }, ports);
	}
	const left = [...missing];
	const first = left.length > SINGLE_READS_MAX ? (lookups * SINGLE_READS_MAX) % left.length : 0;
	for (const id of [...left.slice(first), ...left.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		const event = await readOne(id, follow, ports);
		if (event) events.push(...numberCopies([event]));
	}
	return events;
}

/** Reads open records, because they may be older than all pages of a baseline. `isWhole`: it read them all. */
export async function readOpen(
	{ follow, shape }: Omit<Following, 'lookups'>,
	ports: FollowingPorts,
): Promise<{ events: TopicEvent[]; isWhole: boolean }> {
	const events: TopicEvent[] = [];
	const take = (page: readonly TopicEvent[]): boolean => {
		events.push(...page);
		return false;
	};
	// No later backfill looks for these records, so a failed page is read again.
	const search = { statuses: follow.open, shape, isOther: isEnded, take, tries: PAGE_TRIES_MAX };
	const isWhole = await readByStatus(search, ports);
	return { events, isWhole };
}

const isEnded = ({ order }: TopicEvent): boolean => order === undefined || isFinal(order.status);

interface StatusSearch {
	statuses: readonly string[];
	shape: ListShape;
	/** Many other rows in a row end the walk of a status: the service may ignore the filter. */
	isOther(event: TopicEvent): boolean;
	/** Takes a page; returns whether it was the last one needed. */
	take(page: readonly TopicEvent[]): boolean;
	tries: number;
}

/** Walks a list by one status after another, over STATUS_PAGES_MAX pages at most; returns whether it read all of them. */
async function readByStatus(
	{ statuses, shape, isOther, take, tries }: StatusSearch,
	ports: FollowingPorts,
): Promise<boolean> {
	let [pages, isWhole] = [0, true];
	for (const status of statuses) {
		const walk = walkList(ports, {
			query: { status },
			shape: { ...shape, end: undefined },
			settledInARow: OTHERS_IN_A_ROW,
			isSettled: isOther,
		});
		for (let isOver = false; !isOver && pages < STATUS_PAGES_MAX; pages += 1) {
			const page = await nextOf(walk, tries, ports);
			if (page && take(page)) return false;
			isOver = page === undefined;
		}
		isWhole &&= walk.isWhole();
	}
	return isWhole;
}

/** The name of the status filter is assumed, so a refusal ends the walk without an error. */
async function nextOf(walk: EventWalk, tries: number, { clock, options: { signal } }: FollowingPorts) {
	for (let failures = 1; failures <= tries; failures += 1) {
		try {
			return await walk.next();
		} catch (error) {
			if (isExchangeError(error, 'refused') || signal.aborted) return undefined;
			if (failures < tries) await sleep(clock, READ_RETRY_MS.base * failures, signal);
		}
	}
	return undefined;
}

/** A record that cannot be read stays open and is read again later: it may take a moment to appear. */
async function readOne(
	id: string,
	{ read, input }: FollowedRecords,
	{ history, identify, options }: FollowingPorts,
): Promise<TopicEvent | undefined> {
	const record = recordIn(await history.read(read, { [input]: id }, options).catch(() => undefined));
	return record && identify({ id, ...record });
}

/** Unwraps a record that stands bare, in a list, or inside an object with one field. */
function recordIn(answer: unknown): Item | undefined {
	if (Array.isArray(answer)) return recordIn(answer[0]);
	if (!isItem(answer)) return undefined;
	const inner = Object.values(answer).filter(isItem);
	return 'status' in answer || inner.length === 0 ? answer : inner[0];
}
