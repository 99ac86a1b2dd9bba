import { type Whole, compareWhole, later, plus, sooner, written } from '../../whole';
import { type Feed, lateStartOf, tellGap, warn } from '../feed/feed';
import { unlisted } from '../feed/gaps';
import { FULL_PAGE_MIN, TRADES_CAUGHT_UP_MAX } from '../limits';
import { isFirstReadLate, isFirstReadDue } from '../log/cursor';
import { type Cursor, settle } from '../log/log';
import { markRead, passAbove } from '../log/numbers';
import { noticeTexts } from '../notice-text';
import { type TopicEvent, timeOf } from '../topics/event';
import type { SequenceTopic } from '../topics/topic';
import { readTo, type Needs, type Walk, type WalkParty } from './source';

/** The rows of one page, sorted by number. */
interface NumberedPage {
	events: readonly TopicEvent[];
	/** Whether the page came newest first: such a service answers its newest rows, whatever number was asked for. */
	isBackwards: boolean;
}

/** Reads the rows after a number; without one, some of the newest or oldest. */
type PageAfter = (after?: Whole) => Promise<NumberedPage>;

/** Walks a list that is read by number, from the first one that anybody may lack. */
export function walkNumbers(feed: Feed, topic: SequenceTopic, { parties, firsts }: Needs): Walk {
	const pageAfter: PageAfter = (after) => readPageAfter(feed, topic, after);
	const { state, ports } = feed;
	const { log, list } = state;
	const { numbers, known } = log;
	/** Nobody knows anything of the topic, so the newest rows show which events are old. */
	const isBaseline = known.settled === undefined && firsts.length > 0;
	const complete = markRead(numbers, ports.clock.now());
	/** The highest number seen when the walk began: after it, a page that is not full is the last. */
	const until = numbers.highest;
	/** Everything up to this number was read. Undefined before the walk has begun. */
	let at: Whole | undefined;
	let page: NumberedPage | undefined;
	let isOutOfReach = false;
	let isOver = false;
	let newest: TopicEvent | undefined;
	/** Everything after this was read. */
	let wholeAfter: Whole = 0;
	let hasGap = false;

	async function next(): Promise<readonly TopicEvent[] | undefined> {
		const first = at === undefined ? await findStart() : undefined;
		if (first) return first;
		if (isOver) return undefined;
		page ??= await pageAfter(at);
		see(page.events);
		tellUnnumbered(page);
		if (highestOf(page.events) <= at!) return undefined;
		isOutOfReach = tellUnlisted(page);
		hasGap ||= isOutOfReach;
		return page.events.filter(({ sequence = Infinity }) => sequence > at!);
	}

	/** Finds where the walk begins. For a first start it returns the newest rows, which are old. */
	async function findStart(): Promise<readonly TopicEvent[] | undefined> {
		const late = firsts.filter((cursor) => isFirstReadLate(cursor.first) && (isBaseline || isUnsettled(cursor)));
		let rows = isBaseline || late.length > 0 ? await readNewestRows(pageAfter) : undefined;
		if (rows && late.length > 0) rows = await readLate(rows, late);
		see(rows);
		const starts = parties
			.filter(({ cursors, from }) => from !== undefined || ![...cursors].some(({ first }) => isFirstReadDue(first)))
			.map(({ from = 0 }) => from);
		at = wholeAfter = starts.length > 0 ? starts.reduce(sooner) : (newest?.sequence ?? 0);
		if (rows && starts.length === 0) wholeAfter = rows[0]?.sequence ?? 0;
		isOver = starts.length === 0;
		if (!isBaseline && known.settled === undefined) {
			// The log begins with what the consumer knew that came back from the earliest number.
			known.stored = parties.find(({ from = 0 }) => from === at)?.known.stored;
			settle(log, at);
		}
		known.forgotten ??= plus(at, -1);
		return rows;
	}

	function see(rows: readonly TopicEvent[] = []): void {
		if (highestOf(rows) > (newest?.sequence ?? 0)) newest = rows.at(-1);
	}

	/** Whether a cursor continues a first start of an earlier process, whose reads never showed it a number. */
	const isUnsettled = (cursor: Cursor): boolean =>
		parties.some(({ cursors, from }) => from === undefined && cursors.has(cursor));

	/** What happened since a first start whose first reads failed is new. If it is more than a page, the rest is a gap. */
	async function readLate(rows: readonly TopicEvent[], late: readonly Cursor[]): Promise<readonly TopicEvent[]> {
		const { events } = await pageAfter(plus(highestOf(rows), -list.pageLength));
		const [oldest] = events;
		const end = (oldest?.item && timeOf(oldest.item)) ?? -Infinity;
		for (const cursor of late) {
			const since = lateStartOf(feed, cursor);
			if (since >= end || oldest!.sequence === 1) continue;
			tellGap(feed, new Set([cursor]), unlisted(since, end), 'out_of_reach');
		}
		return events;
	}

	/** Rows without a usable number cannot be read from a number on. */
	function tellUnnumbered({ events }: NumberedPage): void {
		if (list.isReported || events.length === 0 || events.some(({ sequence }) => sequence !== undefined)) return;
		list.isReported = true;
		warn(feed, log.cursors, noticeTexts.liveOnly);
	}

	/** Reports the rows before a page that the list no longer shows; returns whether there may be any. */
	function tellUnlisted({ events, isBackwards }: NumberedPage): boolean {
		let first = events[0]!.sequence ?? 0;
		// If a full page of the newest rows starts after the number asked for, the rows between are out of reach.
		const isNewestOnly = isBackwards && events.length >= Math.max(FULL_PAGE_MIN, list.pageLength);
		// Younger rows may be missing because lists lag. Where the list has moved on since, all that was known then is behind its
		// first row.
		const old = events.filter(({ sequence = Infinity }) => sequence <= (complete ?? 0));
		const listed = old.length === 0 && (complete ?? 0) > at! ? events : old;
		if (first <= plus(at!, 1) || !(isNewestOnly || isShortened(listed, list.pageLength))) return false;
		// What an earlier read showed is not missing.
		while (numbers.above.has(plus(first, -1))) first = plus(first, -1);
		for (const party of parties) {
			const end = later(at, endOf(party))!;
			if (end >= plus(first, -1)) continue;
			const owed = [...party.cursors].filter(
				({ joined, first: start }) => later(joined.settled, start?.number ?? end)! <= end,
			);
			tellGap(feed, new Set(owed), { after_sequence: end, before_sequence: first }, 'out_of_reach');
		}
		return true;
	}

	/** The numbers a party knows; those of the log grow while it is read. */
	const endOf = ({ known: { settled }, from }: WalkParty): Whole => later(settled, from) ?? 0;

	/** A page entered the log: moves behind it and the numbers that everybody knows. */
	function entered(news: number): void {
		if (!page) return;
		const { events } = page;
		page = undefined;
		const upTo = highestOf(events);
		cover(isOutOfReach ? upTo : sooner(upTo, complete ?? at!));
		// The limit applies only while the stream is ahead of the page; otherwise the walk continues without a gap.
		if (news >= TRADES_CAUGHT_UP_MAX && numbers.highest > upTo) {
			for (const { cursors } of parties)
				tellGap(feed, cursors, { after_sequence: upTo, before_sequence: null }, 'open_end');
			cover(numbers.highest);
			isOver = true;
			return;
		}
		at = parties.map((party) => later(upTo, endOf(party))!).reduce(sooner);
		if (at > upTo || isOutOfReach) wholeAfter = at;
		isOver = at >= until && events.length < list.pageLength;
	}

	/** Everything from where the walk is up to a number was read, or does not exist. */
	function cover(upTo: Whole): void {
		if (upTo <= at! && known.settled !== undefined) return;
		readTo(parties, upTo);
		if ((known.settled ?? at!) < at!) return;
		settle(log, upTo);
		passAbove(numbers, known);
	}

	function end(): void {
		numbers.highest = later(numbers.highest, newest?.sequence)!;
		const mark = numbers.marks.at(-1)!;
		mark.number = later(mark.number, newest?.sequence)!;
		const last = isBaseline ? (newest?.sequence ?? 0) : numbers.highest;
		for (const { first } of firsts) if (first) first.number ??= last;
		if (isBaseline) settle(log, last);
		if (hasGap || log.reachesTo === undefined) log.reachesTo = later(later(wholeAfter, log.droppedTo), log.reachesTo);
		passAbove(numbers, known);
	}

	return { next, entered, end };
}

/** Whether a list has forgotten the rows before these: they leave out no other number. */
function isShortened(listed: readonly TopicEvent[], pageLength: number): boolean {
	const isMany = listed.length >= Math.max(FULL_PAGE_MIN, pageLength / 2);
	return isMany && highestOf(listed) === plus(listed[0]!.sequence ?? 0, listed.length - 1);
}

async function readPageAfter(
	{ name, history, signal, state }: Feed,
	{ list, identify }: SequenceTopic,
	after?: Whole,
): Promise<NumberedPage> {
	const pair_id = await history!.pairOf(name, signal);
	const input = after === undefined ? { pair_id } : { pair_id, after_sequence: written(later(0, after)!) };
	const rows = await history!.page(list, input, signal);
	const events = rows.flatMap((row) => identify(row) ?? []);
	state.list.pageLength = Math.max(state.list.pageLength, events.length);
	const isBackwards = (events[0]?.sequence ?? 0) > (events.at(-1)?.sequence ?? 0);
	return { events: events.sort((a, b) => compareWhole(a.sequence ?? 0, b.sequence ?? 0)), isBackwards };
}

/** A page without `after_sequence` may be the newest or the oldest, so newer rows are searched in growing steps. */
async function readNewestRows(pageAfter: PageAfter): Promise<readonly TopicEvent[]> {
	let { events } = await pageAfter();
	for (let step = events.length; step > 0 && events.length > 0;) {
		const further = await pageAfter(plus(highestOf(events), step - events.length));
		if (highestOf(further.events) > highestOf(events)) {
			events = further.events;
			step = step * 2 + events.length;
		} else step = step > events.length ? Math.max(events.length, Math.floor(step / 4)) : 0;
	}
	return events;
}

const highestOf = (events: readonly TopicEvent[]): Whole =>
	events.reduce<Whole>((most, { sequence = 0 }) => later(most, sequence)!, 0);
