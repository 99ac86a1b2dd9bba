import { type Whole, later, plus, sooner, written } from '../../whole';
import { fingerprint } from '../fingerprint';
import { instant } from '../gaps';
import type { KnownEvents, Mark, RunDoubt } from '../known';
import { FULL_PAGE_MIN, READ_LAG_MS_MAX, SEARCH_PAGES_MAX, TIMES_APART_MS, TRADES_CAUGHT_UP_MAX } from '../limits';
import { type Cursor, settle } from '../log';
import { noticeTexts } from '../notice-text';
import {
	completeNumber,
	confirmRun,
	doubtRun,
	lastNumber,
	markHighest,
	noNumbers,
	passAbove,
	restartRun,
} from '../numbers';
import { instantOf } from '../../wire/payload';
import { type TopicEvent, timeOf } from '../topics/event';
import type { BackfillSource } from '../topics/topic';
import { type Needs, type Source, type SourcePorts, type Walk, type WalkParty, inOrder } from './source';

/** Reads a list by number, from the first one that anybody may lack. */
export const createNumberedSource = (ports: NumberedPorts): Source => ({
	order: 'sequence',
	begin: (needs) => walkOn(ports, needs),
});

function walkOn(ports: NumberedPorts, { parties, firsts }: Needs): Walk {
	const { clock, state } = ports;
	const { log, list } = state;
	const { numbers, known } = log;
	/** Nobody knows anything of the topic: the newest rows tell old events from new ones. */
	const isBaseline = known.settled === undefined && firsts.length > 0;
	const pages: NumberedPage[] = [];
	let stage: 'check' | 'pages' | 'done' = 'check';
	let at: Whole = 0;
	/** The highest number seen when the walk began: after it, a page that is not full is the last. */
	let until: Whole = 0;
	let newest: readonly TopicEvent[] = [];
	/** Everything after this was read. */
	let wholeAfter: Whole | undefined;
	let pending: { page: NumberedPage; isOutOfReach: boolean } | undefined;
	let news = 0;
	const settled = (): Whole | undefined => completeNumber(numbers, clock.now());

	async function next(): Promise<readonly TopicEvent[] | undefined> {
		if (stage === 'check') {
			for (const party of parties) if (await checkRun(party.known, ports, pages)) restarted(party);
			const late = firsts.filter(({ first }) => first!.isLate);
			if (isBaseline || late.length > 0) newest = await readNewestRows(ports);
			for (const { first, joinedAt } of late)
				first!.number ??= await lastNumberAt(first!.storedSince ?? ports.serviceTime(joinedAt));
			const isOnlyBaseline = begin();
			stage = isOnlyBaseline ? 'done' : 'pages';
			if (isBaseline) return newest;
		}
		if (stage === 'done') return undefined;
		if (pending && take(pending)) {
			stage = 'done';
			return undefined;
		}
		pending = undefined;
		const page = pages.findLast((each) => isUseful(each, at)) ?? (await readPageAfter(ports, at));
		pages.length = 0;
		tellUnnumbered(page);
		if (highestOf(page.events) <= at) {
			stage = 'done';
			return undefined;
		}
		pending = { page, isOutOfReach: tellUnlisted(page) };
		return page.after >= at ? page.events : page.events.filter(({ sequence = Infinity }) => sequence > at);
	}

	/** Returns whether nobody needs more than the newest rows. */
	function begin(): boolean {
		const needed = parties.filter(({ from }) => from !== undefined || !isBaseline);
		const floors = [...needed.map(floorOf), ...firsts.flatMap(({ first }) => first?.number ?? [])];
		at = floors.reduce(sooner, floors[0] ?? highestOf(newest));
		until = numbers.highest;
		wholeAfter = pages.length > 0 ? sooner(at, pages.at(-1)!.after) : at;
		return floors.length === 0;
	}

	const floorOf = ({ from, cursor }: WalkParty): Whole => from ?? cursor?.first?.number ?? 0;

	function restarted(party: WalkParty): void {
		restartRun(party.known);
		party.from = 0;
		if (party.baggage) party.baggage.readTo = undefined;
		if (party.known === known) {
			log.numbers = Object.assign(numbers, noNumbers());
			log.reachesTo = log.droppedTo = undefined;
			for (const recent of log.recent) recent.place = undefined;
			for (const { first } of log.cursors) if (first) first.number = 0;
		}
		ports.warn(party.cursors, noticeTexts.renumbered);
	}

	/** Rows without a usable number cannot be read from a number on. */
	function tellUnnumbered({ events }: NumberedPage): void {
		if (list.isReported || events.length === 0 || events.some(({ sequence }) => sequence !== undefined)) return;
		list.isReported = true;
		ports.warn(log.cursors, noticeTexts.liveOnly);
	}

	/** Reports the rows before a page that the list no longer shows; returns whether there may be any. */
	function tellUnlisted({ events, isBackwards }: NumberedPage): boolean {
		const first = events[0]!.sequence ?? 0;
		// If a full page of the newest rows starts after the number asked for, the rows between are out of reach.
		const isNewestOnly = isBackwards && events.length >= Math.max(FULL_PAGE_MIN, list.pageLength);
		const isOutOfReach = first > plus(at, 1) && (isNewestOnly || isShortened(events, list.pageLength, settled()));
		if (!isOutOfReach) return false;
		for (const party of parties) {
			const end = later(at, endOf(party))!;
			if (end < plus(first, -1))
				ports.gap(party.cursors, { after_sequence: end, before_sequence: first }, 'out_of_reach');
		}
		return true;
	}

	const endOf = ({ known: of, from }: WalkParty): Whole => (of === known ? (known.settled ?? 0) : (from ?? 0));

	/** A page entered the log: moves behind it and the numbers that everybody knows. Returns whether nothing is left. */
	function take({ page: { events }, isOutOfReach }: { page: NumberedPage; isOutOfReach: boolean }): boolean {
		const upTo = highestOf(events);
		// Where events share numbers, further ones may get the highest, or stand with it on the next page.
		const last = numbers.isShared ? plus(upTo, -1) : upTo;
		cover(isOutOfReach ? upTo : sooner(last, settled() ?? at));
		// The limit applies only while the stream is ahead of the page; otherwise the walk continues without a gap.
		if (news >= TRADES_CAUGHT_UP_MAX && numbers.highest > upTo) {
			for (const { cursors } of parties)
				ports.gap(cursors, { after_sequence: upTo, before_sequence: null }, 'open_end');
			cover(later(upTo, numbers.highest)!);
			return true;
		}
		const known = parties.map((party) => later(upTo, numbers.isShared ? undefined : endOf(party))!);
		at = known.reduce(sooner, known[0] ?? upTo);
		if (at > upTo || isOutOfReach) wholeAfter = at;
		return at >= until && events.length < list.pageLength;
	}

	/** Everything from where the walk is up to a number was read, or does not exist. */
	function cover(upTo: Whole): void {
		if (upTo <= at && known.settled !== undefined) return;
		for (const { baggage } of parties) if (baggage) baggage.readTo = later(baggage.readTo, upTo);
		if ((known.settled ?? at) < at) return;
		settle(log, upTo);
		passAbove(numbers, known);
	}

	/** The last number that existed at a moment. */
	async function lastNumberAt(since: number): Promise<Whole> {
		const { old, isOutOfReach } = await lastSequenceAt(since, newest, (after) => readPageAfter(ports, after));
		const [first = since] = newest.flatMap(({ item }) => (item && timeOf(item)) ?? []);
		const late: Set<Cursor> = new Set(firsts);
		if (isOutOfReach)
			ports.gap(late, { after_created_at: instant(since), before_created_at: instant(first) }, 'out_of_reach');
		return old;
	}

	function end(): boolean {
		numbers.isShared ||= isAnyShared(newest);
		numbers.highest = later(numbers.highest, highestOf(newest))!;
		// Where events share numbers, a further one may still get the last.
		for (const { first } of firsts)
			if (first) first.number ??= lastNumber(isBaseline ? { ...numbers, highest: highestOf(newest) } : numbers);
		if (isBaseline) {
			const last = firsts.reduce<Whole>(
				(least, { first }) => sooner(least, first!.number ?? least),
				lastNumber(numbers),
			);
			if (known.settled === undefined) {
				known.forgotten = later(known.forgotten, last);
				settle(log, last);
				passAbove(numbers, known);
			}
			log.reachesTo ??= later(newest[0]?.sequence ?? 0, log.droppedTo);
		} else if (wholeAfter !== undefined) log.reachesTo ??= later(wholeAfter, log.droppedTo);
		// A place of a run that may be over is none of the present one.
		const sure = parties.filter(({ known: { isDoubtful } }) => !isDoubtful);
		if (known.settled === undefined && sure.length > 0) {
			known.forgotten = known.settled = sure.map(floorOf).reduce(sooner);
			// The numbers are those of the checkpoint, and so is the event that tells their run.
			known.mark ??= sure.find(({ known: { mark } }) => mark)?.known.mark;
			passAbove(numbers, known);
		}
		markHighest(numbers, clock.now());
		return true;
	}

	return {
		next: (count) => {
			news = count;
			return next();
		},
		end,
	};
}

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
const isUseful = ({ after, events }: NumberedPage, at: Whole): boolean =>
	after <= at && (highestOf(events) > at || events.length < FULL_PAGE_MIN);

export interface NumberedPorts extends SourcePorts {
	source: Extract<BackfillSource, { from: 'sequence' }>;
}

/** The rows of one page, sorted by number. */
export interface NumberedPage {
	/** The number after which it was read. */
	after: Whole;
	events: TopicEvent[];
	/** Whether the page came newest first: such a service answers its newest rows, whatever number was asked for. */
	isBackwards: boolean;
}

/** Reads the rows after a number; without one, some of the newest or oldest. */
async function readPageAfter(ports: NumberedPorts, after?: Whole): Promise<NumberedPage> {
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
async function readNewestRows(ports: NumberedPorts): Promise<TopicEvent[]> {
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

const highestOf = (events: readonly TopicEvent[]): Whole =>
	events.reduce<Whole>((most, { sequence = 0 }) => later(most, sequence)!, 0);

/**
 * Whether the numbers of the service have surely restarted since somebody knew them. It is asked where they are in doubt, and
 * once of what was stored. The pages it read are added, because they may serve the walk.
 */
async function checkRun(known: KnownEvents, ports: NumberedPorts, pages: NumberedPage[]): Promise<boolean> {
	if (known.settled === undefined) return false;
	if (known.doubt === undefined) doubtRun(known);
	const { doubt } = known;
	if (!doubt || doubt === 'settled') return false;
	const pageFrom = async (sequence: Whole): Promise<TopicEvent[]> => {
		const after = plus(sequence, -1);
		const page = pages.find((each) => each.after === after) ?? (await readPageAfter(ports, after));
		if (!pages.includes(page)) pages.push(page);
		return page.events;
	};
	const isAnew = await isOther(doubt, pageFrom, ports);
	if (isAnew === undefined || known.doubt !== doubt) return false;
	if (!isAnew) confirmRun(known);
	return isAnew;
}

/** The row with the mark's number decides. Without one, a list that ends below the known numbers means a restart. */
async function isOther(
	doubt: RunDoubt,
	pageFrom: (sequence: Whole) => Promise<readonly TopicEvent[]>,
	ports: NumberedPorts,
): Promise<boolean | undefined> {
	const { mark, highest } = doubt;
	const row = mark && rowUnder(mark, await pageFrom(mark.sequence));
	if (row) return differ(row, mark);
	const endsBelow = async (sequence: Whole): Promise<boolean> =>
		sequence > 0 && highestOf(await pageFrom(sequence)) < sequence;
	// The list may catch up from one page to the next.
	if (!(await endsBelow(mark?.sequence ?? 0)) && !(await endsBelow(highest))) return false;
	// A list without rows shows nothing. While the topic is not subscribed, lists may lag for longer.
	if (!ports.state.isConfirmed || (await readPageAfter(ports)).events.length === 0) return undefined;
	const now = ports.clock.now();
	doubt.endsBelowSince ??= now;
	return now - doubt.endsBelowSince < READ_LAG_MS_MAX ? undefined : true;
}

const isMark = ({ key }: TopicEvent, mark: Mark): boolean =>
	(mark.print ?? fingerprint(mark.key!)) === fingerprint(key);

/** Several events may share the number of the mark. */
function rowUnder(mark: Mark, page: readonly TopicEvent[]): TopicEvent | undefined {
	const rows = page.filter(({ sequence }) => sequence === mark.sequence);
	return rows.find((row) => isMark(row, mark)) ?? rows[0];
}

/** Copies of one event may carry different identifiers, but hardly different times. */
function differ(row: TopicEvent, mark: Mark): boolean {
	const time = row.time ?? (row.item && timeOf(row.item));
	const marked = instantOf(mark.time);
	const isApart = time !== undefined && marked !== undefined && Math.abs(time - marked) > TIMES_APART_MS;
	return !isMark(row, mark) && isApart;
}

/** The border between old and new rows: `old` is the highest sequence known to be old. */
interface Search {
	old: Whole;
	/** The lowest sequence known to be new. */
	young: Whole;
	isOutOfReach: boolean;
}

/**
 * Finds the last sequence number that existed at a moment: in growing steps back from the newest rows, then by
 * bisection. A row without a time counts as old. `isOutOfReach`: the service lists only its newest rows, and all of
 * them are new.
 */
export async function lastSequenceAt(
	moment: number,
	newest: readonly TopicEvent[],
	read: (after: Whole) => Promise<Omit<NumberedPage, 'after'>>,
): Promise<Pick<Search, 'old' | 'isOutOfReach'>> {
	const search: Search = { old: 0, young: Number.POSITIVE_INFINITY, isOutOfReach: false };
	let isFound = narrow(search, newest, moment);
	let step = newest.length;
	for (let pages = 0; pages < SEARCH_PAGES_MAX && !isFound; pages += 1) {
		const { old, young } = search;
		const after = old > 0 ? between(old, young) : later(0, plus(young, -1 - (step *= 2)))!;
		const { events, isBackwards } = await read(after);
		if (isBackwards) return { old: plus(young, -1), isOutOfReach: true };
		// No row lies between `after` and the lowest new sequence.
		if ((events[0]?.sequence ?? young) >= young) search.young = plus(after, 1);
		isFound = narrow(search, events, moment);
	}
	return search;
}

/** Narrows the search by one page; returns whether the border is on it. */
function narrow(search: Search, events: readonly TopicEvent[], moment: number): boolean {
	const isOld = ({ item }: TopicEvent): boolean => ((item && timeOf(item)) ?? moment) <= moment;
	const [lastOld, firstNew] = [events.findLast(isOld)?.sequence, events.find((event) => !isOld(event))?.sequence];
	search.old = later(search.old, lastOld)!;
	search.young = sooner(search.young, firstNew ?? search.young);
	return (
		(lastOld !== undefined && firstNew !== undefined) ||
		plus(search.old, 1) >= search.young ||
		search.young === Infinity
	);
}

/** The number in the middle before `young`. */
const between = (old: Whole, young: Whole): Whole => plus(old, Number((BigInt(young) - BigInt(old) - 1n) / 2n));
