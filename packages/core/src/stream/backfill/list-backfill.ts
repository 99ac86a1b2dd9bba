import type { Clock } from '../../ports';
import { isFull } from '../delivery/queue';
import type { Subscriber } from '../delivery/subscriber';
import { isKnown, isSettled } from '../ledger/judge';
import { instant } from '../failure';
import { latest } from '../ledger/numbers';
import { FULL_PAGE_MIN, PAGE_TRIES_MAX, PAGES_MAX, PAGES_PER_SLICE, REST_PER_PAGE_MS, SLICE_MS_MAX } from '../limits';
import { numberCopies } from '../topics/copies';
import type { TopicEvent } from '../topics/event';
import { offerGap, offerRead, type Backfill, type BackfillPorts, type BackfillResult, type Gap } from './backfill';
import type { ReadOptions } from './history';
import { readFollowed } from './followed-records';
import { readFirst } from './baseline';
import { createListReader, type EventWalk, type ListReaderPorts } from './list-reader';
import { createNewestRows, type NewestRows } from './row-clock';
import { createTopicWindow, type Baseline, type TopicWindow } from './topic-window';
import { distinctEvents } from './window';
import { noRows, observeOldest, type OldestRows } from './oldest-rows';
import { noticeTexts } from '../notice-text';

export interface ListBackfillPorts extends BackfillPorts, ListReaderPorts {
	/** Whether the topic is subscribed at present. */
	isConfirmed(): boolean;
	/** Whether messages may be missing, and that a backfill looked for them, begun at a moment of the monotonic clock. */
	suspicion: { isOpen(): boolean; looked(beganAt: number): void };
}

/** A backfill in progress: the subscribers it serves from its beginning, and what it read. */
interface ListLoop {
	walk: EventWalk;
	served: Set<Subscriber>;
	/** By the monotonic clock. */
	beganAt: number;
	/** Tries of the next page that failed. */
	failures: number;
	/** It began before the present connection. */
	isEarlier?: boolean;
	seen: Set<string>;
	newest: NewestRows;
	oldest: OldestRows;
	/** Everything behind this place is read. */
	after: number;
	complete: ReturnType<TopicWindow['begin']>;
}

interface Slice {
	events: TopicEvent[];
	isLast: boolean;
}

/** Reads a list whose sort order the interface does not show, in slices; each is delivered before the next is read. */
export function createListBackfill(ports: ListBackfillPorts): Backfill {
	const { topic, source, identify, history, clock, suspicion, notice } = ports;
	const window = createTopicWindow({ clock, isConfirmed: ports.isConfirmed, needsOpen: source.follow !== undefined });
	const list = createListReader(ports);
	const { shape, settledBefore } = list;
	let loop: ListLoop | undefined;
	let [turn, restsUntil, wasReported] = [0, 0, false];

	async function baseline(
		subscriber: Subscriber,
		options: ReadOptions,
		createdSince: () => number | undefined,
	): Promise<void> {
		// Older events may have been delivered already and dropped from the deduplication window.
		const lateSince = (): number | undefined => {
			const since = createdSince();
			return since === undefined ? undefined : latest(since, subscriber.cursor(topic).offered.keys.forgotten);
		};
		const reachesTo = lateSince();
		const read = () => readFirst(list, source, options, reachesTo).then(observed);
		const seen = await window.first(read, reachesTo);
		if (seen.open === 'some') notice(subscriber, { kind: 'degraded', text: noticeTexts.openLeft });
		const newSince = lateSince();
		// In the order of their creation, because the memory keeps the latest.
		const events = inOrder(distinctEvents(seen));
		// Updates of an order that the stream has delivered are new, and so are changes after `newSince`, of any order.
		const followed = new Set(subscriber.cursor(topic).offered.orders.open.keys());
		const isNew = ({ order, time }: TopicEvent) =>
			(order !== undefined && followed.has(order.id)) ||
			(newSince !== undefined && Math.max(order?.updatedAt ?? -Infinity, time ?? -Infinity) > newSince);
		// New events are queued first: `markKnown` waits for the acknowledgement of those older than the watermark.
		offerRead(subscriber, events.filter(isNew), ports);
		subscriber.markKnown(topic, {
			events: events.filter((event) => !isNew(event)),
			row: seen.row,
			// The watermark must not pass new events before they are delivered.
			watermark: seen.upTo && Math.min(seen.upTo, newSince ?? seen.upTo),
		});
	}

	const observed = (baseline: Baseline): Baseline => (ports.observed(baseline.events), baseline);

	function begin(subscribers: readonly Subscriber[], options: ReadOptions): ListLoop {
		const served = new Set(subscribers);
		const isOld = (event: TopicEvent) =>
			[...served].every((subscriber) => isSettled(subscriber.cursor(topic).offered, event));
		const isUnbroken = (event: TopicEvent) =>
			!suspicion.isOpen() && [...served].every((subscriber) => isKnown(subscriber.cursor(topic).offered, event));
		const walk = list.walk(isOld, options, isUnbroken);
		const [beganAt, newest] = [clock.elapsed(), createNewestRows()];
		const after = Math.min(...subscribers.map((subscriber) => subscriber.cursor(topic).offered.watermark ?? -Infinity));
		return {
			walk,
			served,
			beganAt,
			seen: new Set(),
			newest,
			oldest: noRows(),
			after,
			failures: 0,
			complete: window.begin(),
		};
	}

	/** A list without a known order is costly to read whole, so in between only its beginning and its end are read. */
	async function glance(subscribers: readonly Subscriber[], options: ReadOptions): Promise<BackfillResult> {
		const first = await list.page({ offset: 0 }, options);
		let count = offerAll(subscribers, first);
		// A page around the last known end shows the rows before that end and the rows added since.
		const end = Math.max(0, (shape.end ?? 0) - Math.floor(first.length / 2));
		if (end > 0) count += offerAll(subscribers, await list.page({ offset: end }, options));
		// More new rows may follow those at either end, so the next run reads the whole list immediately.
		if (count > 0) restsUntil = 0;
		return { isWhole: count === 0, hasNews: count > 0 };
	}

	function offerAll(subscribers: Iterable<Subscriber>, events: TopicEvent[]): number {
		const sorted = inOrder(events);
		window.observed(sorted);
		ports.observed(sorted);
		let most = 0;
		for (const subscriber of subscribers)
			if (!subscriber.lagging.has(topic)) most = Math.max(most, offerRead(subscriber, sorted, ports));
		return most;
	}

	async function run(subscribers: readonly Subscriber[], options: ReadOptions): Promise<BackfillResult> {
		if (loop && loop.failures >= PAGE_TRIES_MAX) end(loop.walk.pages());
		if (!loop && clock.now() < restsUntil) return glance(subscribers, options);
		loop ??= begin(subscribers, options);
		for (const subscriber of loop.served) if (!subscribers.includes(subscriber)) loop.served.delete(subscriber);
		if (loop.served.size === 0) return end(0);
		if ([...loop.served].every((subscriber) => isFull(subscriber.queue))) return { isWhole: false, hasNews: false };
		const slice = await readSlice(loop, clock);
		observeOldest(loop.oldest, slice.events, { topic, served: loop.served });
		const hasNews = offerAll(loop.served, slice.events) > 0;
		if (!slice.isLast) return { isWhole: false, hasNews };
		const followed = source.follow ? await follow(loop, options) : 0;
		finish(loop);
		const isForAll =
			!loop.isEarlier && subscribers.every((subscriber) => loop!.served.has(subscriber) || serveNewcomer(subscriber));
		return { ...end(loop.walk.pages()), isForAll, hasNews: hasNews || followed > 0 };
	}

	/** A list of unknown order is left alone for a while after many pages. */
	function end(pages: number): BackfillResult {
		restsUntil = shape.order === 'unknown' && pages > 2 ? clock.now() + pages * REST_PER_PAGE_MS : 0;
		loop = undefined;
		return { isWhole: true, hasNews: false };
	}

	async function follow({ served, seen }: ListLoop, options: ReadOptions): Promise<number> {
		const open = new Set([...served].flatMap((subscriber) => [...subscriber.cursor(topic).offered.orders.open.keys()]));
		for (const id of seen) open.delete(id);
		turn += 1;
		let count = 0;
		await readFollowed([...open], turn, {
			list,
			identify,
			history,
			options,
			followed: source.follow!,
			offer: (events) => (count += offerAll(served, numberCopies(events))),
		});
		return count;
	}

	function finish({ served, walk, beganAt, newest, oldest, after, complete }: ListLoop): void {
		const isCut = walk.pages() >= PAGES_MAX;
		const mayBeCut = walk.isWhole() && !source.follow && oldest.keys.size >= FULL_PAGE_MIN;
		const settled = settledBefore(newest, beganAt);
		// It may have ended before, behind rows that everybody knew.
		const range = walk.isWhole() ? { after: -Infinity, open: 'all' as const } : { after: Math.max(after, oldest.time) };
		if (!isCut) complete({ ...range, upTo: settled });
		if (!isCut) suspicion.looked(beganAt);
		for (const subscriber of served) {
			const watermark = subscriber.cursor(topic).offered.watermark;
			// A list that begins behind all that a subscriber knows may have dropped rows before that.
			const isBehind = mayBeCut && watermark !== undefined && oldest.strangers.has(subscriber);
			if ((isCut || isBehind) && oldest.time > (watermark ?? 0) && Number.isFinite(oldest.time))
				offerGap(subscriber, unlisted(watermark ?? 0, oldest.time), { topic, notice, done: 'out_of_reach' });
			if (shape.isContradicted && !wasReported) notice(subscriber, { kind: 'degraded', text: noticeTexts.unsorted });
			subscriber.completeUpTo(topic, settled);
		}
		wasReported ||= shape.isContradicted === true;
	}

	/**
	 * Serves a returning subscriber from the latest backfill. Topics whose records change need a backfill of their own,
	 * because records older than that backfill may have changed too.
	 */
	function serveNewcomer(subscriber: Subscriber): boolean {
		const isBack = subscriber.cursor(topic).start === 'stored' && !source.follow;
		const events = isBack ? window.after(subscriber.cursor(topic).offered.watermark ?? -Infinity) : undefined;
		if (events) offerRead(subscriber, inOrder(events), ports);
		return events !== undefined;
	}

	function reconnected(): void {
		window.forget();
		if (loop) loop.isEarlier = true;
	}

	return { baseline, run, serveNewcomer, heard: window.observed, reconnected };
}

/** Rows of the same moment as the oldest one that is listed may be missing, too. */
const unlisted = (after: number, oldest: number): Gap => ({
	after_created_at: instant(after),
	before_created_at: instant(oldest + 1),
});

const inOrder = (events: readonly TopicEvent[]): TopicEvent[] =>
	[...events].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));

/** Pages read before a failure are kept, and the next slice continues with the page that failed. */
async function readSlice(of: ListLoop, clock: Clock): Promise<Slice> {
	const events: TopicEvent[] = [];
	const endsAt = clock.now() + SLICE_MS_MAX;
	for (let pages = 0; pages < PAGES_PER_SLICE && clock.now() <= endsAt; pages += 1) {
		const page = await of.walk.next().catch((error: unknown) => {
			of.failures += 1;
			if (events.length === 0) throw error;
			return 'failed' as const;
		});
		if (page === 'failed') break;
		if (!page) return { events, isLast: true };
		of.failures = 0;
		events.push(...page);
		for (const { order } of page) if (order) of.seen.add(order.id);
		of.newest.observe(page);
		if (of.walk.pages() >= PAGES_MAX) return { events, isLast: true };
	}
	return { events, isLast: false };
}
