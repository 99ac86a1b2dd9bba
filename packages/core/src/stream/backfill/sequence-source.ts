import { later, plus, sooner, type Whole } from '../../whole';
import type { GapNotice } from '../../catalogue';
import { mayRestart } from '../delivery/cursor';
import type { Subscriber } from '../delivery/subscriber';
import { instant } from '../failure';
import { endOfKnown } from '../ledger/ranges';
import { FULL_PAGE_MIN, TRADES_CAUGHT_UP_MAX } from '../limits';
import { noticeTexts } from '../notice-text';
import { reach, restartNumbers, settledSequence } from '../sync/sequence';
import { distinctEvents, emptyWindow } from '../sync/window';
import { timeOf, type TopicEvent } from '../topics/event';
import { lastSequenceAt } from './last-sequence';
import { offerGap, type Gap } from './offers';
import { checkRuns } from './restart-check';
import { highestOf, readNewestRows, readPageAfter, type SequenceListPorts, type SequencePage } from './sequence-list';
import { createSharedBaseline, type Baseline } from './shared-baseline';
import { inOrder, tried, type Pages, type Source, type SourceWalk } from './source';

/** How far one walk through a numbered list came, for the subscribers it serves. */
interface SequenceWalk {
	served: ReadonlySet<Subscriber>;
	/** The number it has read up to. */
	at: Whole;
	/** It read all rows after this number. */
	wholeAfter: Whole;
}

/** Reads a list by sequence number from the first gap on, skipping what the stream or an earlier backfill delivered. */
export function createSequenceSource(ports: SequenceListPorts): Source {
	const { topic, clock, state, notice } = ports;
	const { sequence: numbers, list } = state;
	const shared = createSharedBaseline(state, { clock, needsOpen: false });
	const settled = (): Whole | undefined => settledSequence(numbers, clock.now());

	const reportGap = (subscriber: Subscriber, gap: Gap, done: GapNotice['done']): void =>
		offerGap(subscriber, gap, { topic, notice, done, epoch: numbers.position?.epoch });

	function restarted(subscriber: Subscriber): void {
		restartNumbers(numbers);
		state.window = emptyWindow();
		subscriber.move(topic, { isRenumbered: true });
		notice(subscriber, { kind: 'degraded', text: noticeTexts.renumbered });
	}

	function floorOf(subscriber: Subscriber): Whole {
		const { offered } = subscriber.cursor(topic);
		if (!offered.ranges) subscriber.cover(topic, -1, offered.watermark ?? 0);
		return offered.ranges?.[0] ?? 0;
	}

	function begin(served: ReadonlySet<Subscriber>): SourceWalk {
		const walk: SequenceWalk = { served, at: 0, wholeAfter: 0 };
		const end = () => ({
			isWhole: true,
			range: { after: walk.wholeAfter, upTo: later(walk.wholeAfter, walk.at) },
		});
		return { pages: pagesOf(walk), end };
	}

	async function* pagesOf(walk: SequenceWalk): Pages {
		const { served } = walk;
		const pages = yield* tried(() => checkRuns(served, ports, restarted));
		walk.at = [...served].map(floorOf).reduce(sooner);
		let page = pages.findLast((each) => isUseful(each, walk.at));
		walk.wholeAfter = sooner(walk.at, page?.after ?? walk.at);
		/** The highest number seen when the walk began: after it, a page that is not full is the last. */
		const until = numbers.highest;
		for (let isLast = false; !isLast; page = undefined) {
			page ??= yield* tried(() => readPageAfter(ports, walk.at));
			tellUnnumbered(served, page);
			if (highestOf(page.events) <= walk.at) return;
			const isOutOfReach = tellUnlisted(walk, page);
			const news = yield { events: behind(page, walk.at) };
			isLast = take(walk, page, { isOutOfReach, news });
			isLast ||= walk.at >= until && page.events.length < list.pageLength;
		}
	}

	/** Rows without a usable number cannot be read from a number on. */
	function tellUnnumbered(served: ReadonlySet<Subscriber>, { events }: SequencePage): void {
		if (list.isReported || events.length === 0 || events.some(({ sequence }) => sequence !== undefined)) return;
		list.isReported = true;
		for (const subscriber of served) notice(subscriber, { kind: 'degraded', text: noticeTexts.liveOnly });
	}

	/** Reports the rows before a page that the list no longer shows; returns whether there may be any. */
	function tellUnlisted({ served, at }: SequenceWalk, { events, isBackwards }: SequencePage): boolean {
		const first = events[0]!.sequence ?? 0;
		// If a full page of the newest rows starts after the number asked for, the rows between are out of reach.
		const isNewestOnly = isBackwards && events.length >= Math.max(FULL_PAGE_MIN, list.pageLength);
		const isOutOfReach = first > plus(at, 1) && (isNewestOnly || isShortened(events, list.pageLength, settled()));
		if (!isOutOfReach) return false;
		for (const subscriber of served) {
			const end = endOfKnown(subscriber.cursor(topic).offered.ranges, at);
			if (end < plus(first, -1)) reportGap(subscriber, { after_sequence: end, before_sequence: first }, 'out_of_reach');
		}
		return true;
	}

	/** A page was offered: moves behind it and the numbers that every subscriber knows. Returns whether it gives up. */
	function take(
		walk: SequenceWalk,
		{ events }: SequencePage,
		{ isOutOfReach, news }: { isOutOfReach: boolean; news: number },
	): boolean {
		const upTo = highestOf(events);
		for (const subscriber of walk.served) {
			// Where events share numbers, further ones may get the highest, or stand with it on the next page.
			const last = subscriber.cursor(topic).offered.isShared ? plus(upTo, -1) : upTo;
			subscriber.cover(topic, walk.at, isOutOfReach ? upTo : sooner(last, settled() ?? walk.at));
		}
		// The limit applies only while the stream is ahead of the page; otherwise the backfill continues without a gap.
		if (news >= TRADES_CAUGHT_UP_MAX && numbers.highest > upTo) {
			giveUp(walk, upTo);
			return true;
		}
		walk.at = [...walk.served]
			.map((subscriber) => endOfKnown(subscriber.cursor(topic).offered.ranges, upTo))
			.reduce(sooner, Number.POSITIVE_INFINITY);
		// Rows that are skipped may be unknown to the window.
		if (walk.at > upTo || isOutOfReach) walk.wholeAfter = walk.at;
		return false;
	}

	/** More was missed than a backfill may read, so the rest, up to the stream's next event, is reported as a gap. */
	function giveUp({ served }: SequenceWalk, upTo: Whole): void {
		for (const subscriber of served) {
			reportGap(subscriber, { after_sequence: upTo, before_sequence: null }, 'open_end');
			subscriber.cover(topic, -1, later(upTo, numbers.highest)!);
		}
	}

	async function readNewest(): Promise<Baseline> {
		const events = await readNewestRows(ports);
		ports.observed(events);
		// Where events share numbers, a further one may have the first.
		return { events, after: events[0]?.sequence ?? 0, upTo: highestOf(events), row: events.at(-1) };
	}

	async function baseline(subscriber: Subscriber, newSince: () => number | undefined): Promise<void> {
		// What the stream has shown before the subscriber joined is older, although the shared rows may not hold it.
		const before = numbers.highest;
		// A late start searches from the newest rows.
		const seen = await shared(readNewest, newSince() === undefined ? undefined : -Infinity);
		const latest = inOrder(distinctEvents(seen), 'sequence');
		const since = newSince();
		const last = since === undefined ? later(before, highestOf(latest))! : await lastAt(since, subscriber, latest);
		// The backfill that follows delivers the newer ones.
		const old = latest.filter(({ sequence = 0 }) => sequence <= last);
		subscriber.markKnown(topic, { events: old, row: seen.row });
		// Where events share numbers, further ones may still get the last.
		const upTo = isAnyShared(latest) ? plus(last, -1) : last;
		subscriber.cover(topic, -1, upTo);
		if (upTo < last) subscriber.move(topic, { sharedAfter: upTo });
		reach(numbers, highestOf(latest), clock.now());
	}

	/** The last number that existed at a moment. */
	async function lastAt(since: number, subscriber: Subscriber, latest: readonly TopicEvent[]): Promise<Whole> {
		const { old, isOutOfReach } = await lastSequenceAt(since, latest, (after) => readPageAfter(ports, after));
		const [first = since] = latest.flatMap(({ item }) => (item && timeOf(item)) ?? []);
		if (isOutOfReach)
			reportGap(subscriber, { after_created_at: instant(since), before_created_at: instant(first) }, 'out_of_reach');
		return old;
	}

	/** Only in the present run of the service does a number say what somebody missed. */
	function placeOf(subscriber: Subscriber): Whole | undefined {
		const { position } = numbers;
		return !position || mayRestart(subscriber.cursor(topic), position) ? undefined : floorOf(subscriber);
	}

	return { order: 'sequence', begin, baseline, placeOf };
}

/** The rows of a page, without those before the number from which it would have been read. */
const behind = ({ after, events }: SequencePage, at: Whole): TopicEvent[] =>
	after >= at ? events : events.filter(({ sequence = Infinity }) => sequence > at);

/** Whether two events have one number. */
const isAnyShared = (sorted: readonly TopicEvent[]): boolean =>
	sorted.some(({ sequence }, index) => sequence !== undefined && sequence === sorted[index + 1]?.sequence);

/**
 * Whether a list has forgotten the rows before a page: the page leaves out no other number. Younger rows may be missing
 * because lists lag.
 */
function isShortened(events: readonly TopicEvent[], pageLength: number, settled: Whole = 0): boolean {
	const old = events.filter(({ sequence = Infinity }) => sequence <= settled);
	const isMany = old.length >= Math.max(FULL_PAGE_MIN, pageLength / 2);
	return isMany && highestOf(old) === plus(old[0]!.sequence ?? 0, old.length - 1);
}

/** Whether a page can serve as the one after a number: it leaves no gap, and passes the number or ends the list. */
const isUseful = ({ after, events }: SequencePage, at: Whole): boolean =>
	after <= at && (highestOf(events) > at || events.length < FULL_PAGE_MIN);
