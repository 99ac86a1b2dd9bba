import type { GapNotice } from '../../catalogue';
import type { Clock } from '../../ports';
import type { Item } from '../../wire/payload';
import type { Subscriber } from '../delivery/subscriber';
import { PAGES_PER_SLICE, TRADES_CAUGHT_UP_MAX } from '../limits';
import { timeOf, type TopicEvent } from '../topics/event';
import type { Position } from '../position';
import type { BackfillSource, Topic } from '../topics/topic';
import {
	offerGap,
	offerRead,
	type Backfill,
	type BackfillPorts,
	type BackfillResult,
	type Gap,
	type Reading,
} from './backfill';
import type { History } from './history';
import { lastSequenceAt, type SequencePage } from './last-sequence';
import { createRestartCheck } from './restart-check';
import { noticeTexts } from '../notice-text';

/** Which sequence numbers of a topic were seen, on the stream or over REST. */
export interface TopicNumbers {
	position(): Position | undefined;
	reached(sequence: number): void;
	/** The sequence numbers of the topic restarted. */
	restart(): void;
	/** The highest sequence seen. */
	highest(): number;
	/** The sequence up to which lists are expected to be complete by now. */
	settledSequence(): number | undefined;
}

export interface SequenceBackfillPorts extends BackfillPorts {
	source: Extract<BackfillSource, { from: 'sequence' }>;
	identify: Topic['identify'];
	history: History;
	tracker: TopicNumbers;
	clock: Clock;
	/** Whether the topic is subscribed at present. */
	isConfirmed(): boolean;
}

/** A page of fewer rows never counts as full, because no request asks for fewer. */
const FULL_PAGE_MIN = 10;

/** Progress of a backfill; the next slice continues there. */
interface Pass {
	served: Set<Subscriber>;
	at: number;
	/** The highest number seen when the backfill began: after it, a page that is not full is the last. */
	until: number;
	news: number;
	/** The first page, if the restart check has read it already. */
	first?: SequencePage;
}

type KnownPage = SequencePage & { after: number };

/** How often a restart check is repeated because a new suspicion arose during it. */
const RESTART_LOOKS_MAX = 3;

/** Reads a list by sequence number from the first gap on, skipping what the stream or an earlier backfill delivered. */
export function createSequenceBackfill(ports: SequenceBackfillPorts): Backfill {
	const { topic, source, identify, history, tracker } = ports;
	const reportGap = (one: Subscriber, gap: Gap, done: GapNotice['done']): void =>
		offerGap(one, gap, { ...ports, done, epoch: tracker.position()?.epoch });
	let pass: Pass | undefined;
	/** Rows of the longest page so far, because the interface does not show how long pages are. */
	let pageLength = 0;
	const restarts = createRestartCheck({ ...ports, floorOf, restarted });

	async function page(input: Item, reading: Reading): Promise<SequencePage> {
		const pair_id = await history.pairOf(topic, reading);
		const rows = await history.page(source.list, { pair_id, ...input }, reading);
		const events = rows.flatMap((row) => identify(row) ?? []);
		pageLength = Math.max(pageLength, events.length);
		const isBackwards = (events[0]?.sequence ?? 0) > (events.at(-1)?.sequence ?? 0);
		return { events: events.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)), isBackwards };
	}

	/** A page without `after_sequence` may be the newest or the oldest, so newer rows are searched in growing steps. */
	async function newest(reading: Reading): Promise<TopicEvent[]> {
		let { events } = await page({}, reading);
		for (let step = events.length; step > 0 && events.length > 0;) {
			const further = await page({ after_sequence: highestOf(events) + step - events.length }, reading);
			if (highestOf(further.events) > highestOf(events)) {
				events = further.events;
				step = step * 2 + events.length;
			} else step = step > events.length ? Math.max(events.length, Math.floor(step / 4)) : 0;
		}
		return events;
	}

	/** Marks what is older than `newSince` as known; the backfill that follows delivers the newer events. */
	async function baseline(subscriber: Subscriber, reading: Reading, newSince: () => number | undefined): Promise<void> {
		const latest = await newest(reading);
		const known = await lastKnown(subscriber, latest, { reading, since: newSince() });
		ports.observed(latest);
		subscriber.markKnown(
			topic,
			latest.filter(({ sequence = 0 }) => sequence <= known),
			undefined,
		);
		subscriber.cover(topic, -1, known);
		tracker.reached(highestOf(latest));
	}

	async function lastKnown(
		subscriber: Subscriber,
		latest: TopicEvent[],
		{ reading, since }: { reading: Reading; since: number | undefined },
	): Promise<number> {
		if (since === undefined) return highestOf(latest);
		const read = (after_sequence: number) => page({ after_sequence }, reading);
		const { old, isOutOfReach } = await lastSequenceAt(since, latest, read);
		const [first = since] = latest.flatMap(({ item }) => (item && timeOf(item)) ?? []);
		if (isOutOfReach)
			reportGap(subscriber, { after_created_at: isoOf(since), before_created_at: isoOf(first) }, 'out_of_reach');
		return old;
	}

	function restarted(one: Subscriber): void {
		tracker.restart();
		one.restart(topic);
		ports.notice(one, { kind: 'degraded', text: noticeTexts.renumbered });
	}

	function floorOf(one: Subscriber): number {
		const cursor = one.cursor(topic);
		if (cursor.floor() === undefined) one.cover(topic, -1, cursor.watermark() ?? 0);
		return cursor.floor() ?? 0;
	}

	/** Returns the pages it read, so that the backfill can use one. A new suspicion makes those pages worthless. */
	async function checkRestart(subscribers: readonly Subscriber[], reading: Reading): Promise<KnownPage[]> {
		for (let looks = 1; ; looks += 1) {
			const [pages, again] = [new Map<number, KnownPage>(), new Map<number, KnownPage>()];
			let highest: number | undefined;
			const isDoubtedAnew = await restarts.run(subscribers, {
				after: async (after, isAgain) => {
					const looked = isAgain ? again : pages;
					const known = looked.get(after) ?? { after, ...(await page({ after_sequence: after }, reading)) };
					looked.set(after, known);
					return known.events;
				},
				highest: async () => (highest ??= highestOf(await newest(reading))),
			});
			if (!isDoubtedAnew || looks >= RESTART_LOOKS_MAX) return [...pages.values(), ...again.values()];
		}
	}

	async function run(subscribers: readonly Subscriber[], reading: Reading): Promise<BackfillResult> {
		if (subscribers.length === 0) return { isWhole: true, found: false };
		if (!pass) {
			const pages = await checkRestart(subscribers, reading);
			const at = Math.min(...subscribers.map(floorOf));
			const first = pages.findLast((known) => isUseful(known, at));
			pass = { served: new Set(subscribers), at, until: tracker.highest(), news: 0, first };
		}
		for (const one of pass.served) if (!subscribers.includes(one)) pass.served.delete(one);
		const [of, before] = [pass, pass.news];
		let isWhole = of.served.size === 0;
		for (let pages = 0; pages < PAGES_PER_SLICE && !isWhole; pages += 1) {
			if ([...of.served].every((one) => one.isFull())) break;
			isWhole = await readPage(of, reading);
		}
		if (isWhole) pass = undefined;
		const isForAll = subscribers.every((one) => of.served.has(one));
		return { isWhole: isWhole && isForAll, found: of.news > before };
	}

	/** Reads the next page, then skips the numbers that every subscriber knows. Returns whether it was the last page. */
	async function readPage(of: Pass, reading: Reading): Promise<boolean> {
		const { events, isBackwards } = of.first ?? (await page({ after_sequence: Math.max(0, of.at) }, reading));
		of.first = undefined;
		const upTo = highestOf(events);
		if (upTo <= of.at) return true;
		ports.observed(events);
		const first = events[0]!.sequence ?? 0;
		// If a full page of the newest rows starts after the number asked for, the rows between are out of reach.
		const isOutOfReach = isBackwards && first > of.at + 1 && events.length >= Math.max(FULL_PAGE_MIN, pageLength);
		for (const one of of.served) {
			if (isOutOfReach && !one.cursor(topic).isCovered(first - 1))
				reportGap(one, { after_sequence: of.at, before_sequence: first }, 'out_of_reach');
			of.news += offerRead(one, events, ports);
			one.cover(topic, of.at, isOutOfReach ? upTo : Math.min(upTo, tracker.settledSequence() ?? of.at));
		}
		// The limit applies only while the stream is ahead of the page; otherwise the backfill continues without a gap.
		const isTooFar = of.news >= TRADES_CAUGHT_UP_MAX * of.served.size && tracker.highest() > upTo;
		if (isTooFar) return giveUp(of, upTo);
		of.at = Math.min(...[...of.served].map((one) => one.cursor(topic).endOfKnown(upTo)));
		return of.at >= of.until && events.length < pageLength;
	}

	/** More was missed than a backfill may read, so the rest, up to the stream's next event, is reported as a gap. */
	function giveUp({ served }: Pass, upTo: number): boolean {
		for (const one of served) {
			reportGap(one, { after_sequence: upTo, before_sequence: null }, 'open_end');
			one.cover(topic, -1, Math.max(upTo, tracker.highest()));
		}
		return true;
	}

	return { baseline, run, restarted: restarts.doubt };
}

/** Whether a page can serve as the one after a number: it leaves no gap, and passes the number or ends the list. */
const isUseful = ({ after, events }: KnownPage, at: number): boolean =>
	after <= at && (highestOf(events) > at || events.length < FULL_PAGE_MIN);

const isoOf = (time: number): string => new Date(time).toISOString();

const highestOf = (events: readonly TopicEvent[]): number =>
	events.reduce((most, { sequence = 0 }) => Math.max(most, sequence), 0);
