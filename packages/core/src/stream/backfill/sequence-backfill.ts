import type { GapNotice } from '../../catalogue';
import type { Clock } from '../../ports';
import { mayRestart } from '../delivery/cursor';
import { isFull } from '../delivery/queue';
import type { Subscriber } from '../delivery/subscriber';
import { endOfKnown } from '../ledger/ranges';
import { instant } from '../failure';
import { FULL_PAGE_MIN, PAGES_PER_SLICE, TRADES_CAUGHT_UP_MAX } from '../limits';
import type { Position } from '../position';
import { offerGap, offerRead, type Backfill, type BackfillPorts, type BackfillResult, type Gap } from './backfill';
import type { ReadOptions } from './history';
import { lastSequenceAt, type SequencePage } from './last-sequence';
import { createRestartCheck } from './restart-check';
import { createSequenceList, highestOf, type SequenceList, type SequenceListPorts } from './sequence-list';
import { createTopicWindow, type Baseline, type TopicWindow } from './topic-window';
import { distinctEvents } from './window';
import { timeOf, type TopicEvent } from '../topics/event';
import { noticeTexts } from '../notice-text';

/** Which sequence numbers of a topic were seen, on the stream or over REST. */
interface TopicNumbers {
	position(): Position | undefined;
	reached(sequence: number): void;
	/** The sequence numbers of the topic restarted. */
	restart(): void;
	/** The highest sequence seen. */
	highest(): number;
	/** The sequence up to which lists are expected to be complete by now. */
	settledSequence(): number | undefined;
}

export interface SequenceBackfillPorts extends BackfillPorts, SequenceListPorts {
	tracker: TopicNumbers;
	clock: Clock;
	/** Whether the topic is subscribed at present. */
	isConfirmed(): boolean;
}

/** Progress of a backfill; the next slice continues there. */
interface PageLoop {
	served: Set<Subscriber>;
	/** The number it has read up to. */
	at: number;
	/** It read all rows after this number. */
	wholeAfter: number;
	complete: ReturnType<TopicWindow['begin']>;
	/** The highest number seen when the backfill began: after it, a page that is not full is the last. */
	until: number;
	news: number;
	/** The first page, if the restart check has read it already. */
	first?: KnownPage;
}

type KnownPage = SequencePage & { after: number };

/** How often a restart check is repeated because a new suspicion arose during it. */
const RESTART_LOOKS_MAX = 3;

/** Reads a list by sequence number from the first gap on, skipping what the stream or an earlier backfill delivered. */
export function createSequenceBackfill(ports: SequenceBackfillPorts): Backfill {
	const { topic, tracker, clock, isConfirmed, observed, notice } = ports;
	const list = createSequenceList(ports);
	const reportGap = (subscriber: Subscriber, gap: Gap, done: GapNotice['done']): void =>
		offerGap(subscriber, gap, { topic, notice, done, epoch: tracker.position()?.epoch });
	let [loop, wasTold]: [PageLoop | undefined, boolean] = [undefined, false];
	const window = createTopicWindow(ports);
	const restarts = createRestartCheck({ topic, clock, isConfirmed, floorOf, restarted });

	function restarted(subscriber: Subscriber): void {
		tracker.restart();
		window.forget();
		subscriber.move(topic, { isRenumbered: true });
		notice(subscriber, { kind: 'degraded', text: noticeTexts.renumbered });
	}

	function floorOf(subscriber: Subscriber): number {
		const { offered } = subscriber.cursor(topic);
		if (!offered.ranges) subscriber.cover(topic, -1, offered.watermark ?? 0);
		return offered.ranges?.[0] ?? 0;
	}

	/** Returns the pages it read, so that the backfill can use one. A new suspicion makes those pages worthless. */
	async function checkRestart(subscribers: readonly Subscriber[], options: ReadOptions): Promise<KnownPage[]> {
		for (let looks = 1; ; looks += 1) {
			const [pages, again] = [new Map<number, KnownPage>(), new Map<number, KnownPage>()];
			let highest: number | undefined;
			const isDoubtedAnew = await restarts.run(subscribers, {
				after: async (after, isAgain) => {
					const looked = isAgain ? again : pages;
					const page = looked.get(after) ?? { after, ...(await list.page({ after_sequence: after }, options)) };
					looked.set(after, page);
					return page.events;
				},
				highest: async () => (highest ??= highestOf(await list.newest(options))),
			});
			if (!isDoubtedAnew || looks >= RESTART_LOOKS_MAX) return [...pages.values(), ...again.values()];
		}
	}

	async function begin(subscribers: readonly Subscriber[], options: ReadOptions): Promise<PageLoop> {
		const complete = window.begin();
		const pages = await checkRestart(subscribers, options);
		const at = Math.min(...subscribers.map(floorOf));
		const first = pages.findLast((page) => isUseful(page, at));
		const [served, wholeAfter] = [new Set(subscribers), Math.min(at, first?.after ?? at)];
		return { served, complete, at, wholeAfter, until: tracker.highest(), news: 0, first };
	}

	async function run(subscribers: readonly Subscriber[], options: ReadOptions): Promise<BackfillResult> {
		if (subscribers.length === 0) return { isWhole: true, hasNews: false };
		loop ??= await begin(subscribers, options);
		for (const subscriber of loop.served) if (!subscribers.includes(subscriber)) loop.served.delete(subscriber);
		const [of, before] = [loop, loop.news];
		let isWhole = of.served.size === 0;
		for (let pages = 0; pages < PAGES_PER_SLICE && !isWhole; pages += 1) {
			if ([...of.served].every((subscriber) => isFull(subscriber.queue))) break;
			isWhole = await readPage(of, options);
		}
		if (isWhole) {
			loop = undefined;
			of.complete({ after: of.wholeAfter, upTo: Math.max(of.wholeAfter, of.at) });
		}
		const isForAll = subscribers.every((subscriber) => of.served.has(subscriber));
		return { isWhole: isWhole && isForAll, hasNews: of.news > before };
	}

	/** Reads the next page, then skips the numbers that every subscriber knows. Returns whether it was the last page. */
	async function readPage(of: PageLoop, options: ReadOptions): Promise<boolean> {
		const { events, isBackwards } = of.first ?? (await list.page({ after_sequence: Math.max(0, of.at) }, options));
		of.first = undefined;
		const upTo = highestOf(events);
		// Rows without a usable number cannot be read from a number on.
		if (!wasTold && events.length > 0 && events.every(({ sequence }) => sequence === undefined)) {
			wasTold = true;
			for (const subscriber of of.served) notice(subscriber, { kind: 'degraded', text: noticeTexts.liveOnly });
		}
		if (upTo <= of.at) return true;
		observed(events);
		window.observed(events);
		const first = events[0]!.sequence ?? 0;
		// If a full page of the newest rows starts after the number asked for, the rows between are out of reach.
		const isNewestOnly = isBackwards && events.length >= Math.max(FULL_PAGE_MIN, list.pageLength());
		const isOutOfReach = first > of.at + 1 && (isNewestOnly || isShortened(events, list, tracker));
		for (const subscriber of of.served) {
			const { offered } = subscriber.cursor(topic);
			const end = endOfKnown(offered.ranges, of.at);
			if (isOutOfReach && end < first - 1)
				reportGap(subscriber, { after_sequence: end, before_sequence: first }, 'out_of_reach');
			of.news += offerRead(subscriber, events, ports);
			// Where events share numbers, further ones may get the highest, or stand with it on the next page.
			const last = offered.isShared ? upTo - 1 : upTo;
			subscriber.cover(topic, of.at, isOutOfReach ? upTo : Math.min(last, tracker.settledSequence() ?? of.at));
		}
		// The limit applies only while the stream is ahead of the page; otherwise the backfill continues without a gap.
		const isTooFar = of.news >= TRADES_CAUGHT_UP_MAX * of.served.size && tracker.highest() > upTo;
		if (isTooFar) return giveUp(of, upTo);
		of.at = Math.min(...[...of.served].map((subscriber) => endOfKnown(subscriber.cursor(topic).offered.ranges, upTo)));
		// Rows that are skipped may be unknown to the window.
		if (of.at > upTo || isOutOfReach) of.wholeAfter = of.at;
		return of.at >= of.until && events.length < list.pageLength();
	}

	/** More was missed than a backfill may read, so the rest, up to the stream's next event, is reported as a gap. */
	function giveUp({ served }: PageLoop, upTo: number): boolean {
		for (const subscriber of served) {
			reportGap(subscriber, { after_sequence: upTo, before_sequence: null }, 'open_end');
			subscriber.cover(topic, -1, Math.max(upTo, tracker.highest()));
		}
		return true;
	}

	async function readNewest(options: ReadOptions): Promise<Baseline> {
		const events = await list.newest(options);
		observed(events);
		// Where events share numbers, a further one may have the first.
		return { events, after: events[0]?.sequence ?? 0, upTo: highestOf(events), row: events.at(-1) };
	}

	async function baseline(
		subscriber: Subscriber,
		options: ReadOptions,
		newSince: () => number | undefined,
	): Promise<void> {
		// What the stream has shown before the subscriber joined is older, although the shared rows may not hold it.
		const before = tracker.highest();
		// A late start searches from the newest rows.
		const seen = await window.first(() => readNewest(options), newSince() === undefined ? undefined : -Infinity);
		const latest = inOrder(distinctEvents(seen));
		const since = newSince();
		const last =
			since === undefined ? Math.max(before, highestOf(latest)) : await lastAt(since, { subscriber, latest, options });
		// The backfill that follows delivers the newer ones.
		const old = latest.filter(({ sequence = 0 }) => sequence <= last);
		subscriber.markKnown(topic, { events: old, row: seen.row });
		// Where events share numbers, further ones may still get the last.
		const upTo = isAnyShared(latest) ? last - 1 : last;
		subscriber.cover(topic, -1, upTo);
		if (upTo < last) subscriber.move(topic, { sharedAfter: upTo });
		tracker.reached(highestOf(latest));
	}

	/** The last number that existed at a moment. */
	async function lastAt(
		since: number,
		{ subscriber, latest, options }: { subscriber: Subscriber; latest: readonly TopicEvent[]; options: ReadOptions },
	): Promise<number> {
		const { old, isOutOfReach } = await lastSequenceAt(since, latest, (after) =>
			list.page({ after_sequence: after }, options),
		);
		const [first = since] = latest.flatMap(({ item }) => (item && timeOf(item)) ?? []);
		if (isOutOfReach)
			reportGap(subscriber, { after_created_at: instant(since), before_created_at: instant(first) }, 'out_of_reach');
		return old;
	}

	/** Serves a returning subscriber from the window, if it left in the present run and within the window. */
	function serveNewcomer(subscriber: Subscriber): boolean {
		const position = tracker.position();
		if (!position || mayRestart(subscriber.cursor(topic), position)) return false;
		const floor = floorOf(subscriber);
		const events = window.after(floor)?.filter(({ sequence = Infinity }) => sequence > floor);
		if (events) offerRead(subscriber, inOrder(events), ports);
		return events !== undefined;
	}

	return {
		...{ baseline, run, serveNewcomer, heard: window.observed },
		...{ restarted: restarts.doubt, reconnected: window.forget },
	};
}

const inOrder = (events: Iterable<TopicEvent>): TopicEvent[] =>
	[...events].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));

/** Whether two events have one number. */
const isAnyShared = (sorted: readonly TopicEvent[]): boolean =>
	sorted.some(({ sequence }, index) => sequence !== undefined && sequence === sorted[index + 1]?.sequence);

/**
 * Whether a list has forgotten the rows before a page: the page leaves out no other number. Younger rows may be missing
 * because lists lag.
 */
function isShortened(
	events: readonly TopicEvent[],
	{ pageLength }: Pick<SequenceList, 'pageLength'>,
	{ settledSequence }: Pick<TopicNumbers, 'settledSequence'>,
): boolean {
	const settled = settledSequence() ?? 0;
	const old = events.filter(({ sequence = Infinity }) => sequence <= settled);
	const isMany = old.length >= Math.max(FULL_PAGE_MIN, pageLength() / 2);
	return isMany && highestOf(old) - (old[0]!.sequence ?? 0) === old.length - 1;
}

/** Whether a page can serve as the one after a number: it leaves no gap, and passes the number or ends the list. */
const isUseful = ({ after, events }: KnownPage, at: number): boolean =>
	after <= at && (highestOf(events) > at || events.length < FULL_PAGE_MIN);
