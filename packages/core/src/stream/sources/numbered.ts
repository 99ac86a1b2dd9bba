import { type Whole, later, plus, sooner, written } from '../../whole';
import { instant } from '../gaps';
import { type RunDoubt, restartRun, wasBefore } from '../known';
import { FULL_PAGE_MIN, READ_LAG_MS_MAX, TRADES_CAUGHT_UP_MAX } from '../limits';
import { type Cursor, settle } from '../log';
import { noticeTexts } from '../notice-text';
import { completeNumber, noNumbers, passAbove } from '../numbers';
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
	const complete = completeNumber(numbers, clock.now());
	/** The highest number seen when the walk began: after it, a page that is not full is the last. */
	const until = numbers.highest;
	/** By number, pages from there on that were read already. */
	const pages = new Map<Whole, NumberedPage>();
	let stage: 'begin' | 'pages' | 'done' = 'begin';
	/** Everything up to this number was read. */
	let at: Whole = 0;
	let floor: Whole = 0;
	let newest: readonly TopicEvent[] = [];
	let pending: { page: NumberedPage; isOutOfReach: boolean } | undefined;
	let news = 0;
	/** Everything after this was read. */
	let wholeAfter: Whole = 0;

	async function next(): Promise<readonly TopicEvent[] | undefined> {
		if (stage === 'begin') {
			await begin();
			if (isBaseline) return newest;
		}
		if (pending && take(pending)) stage = 'done';
		pending = undefined;
		if (stage === 'done') return undefined;
		const page = pages.get(at) ?? (await readPageAfter(ports, at));
		pages.clear();
		tellUnnumbered(page);
		if (highestOf(page.events) <= at) {
			stage = 'done';
			return undefined;
		}
		pending = { page, isOutOfReach: tellUnlisted(page) };
		return page.events.filter(({ sequence = Infinity }) => sequence > at);
	}

	async function begin(): Promise<void> {
		for (const party of await renumbered(ports, parties, pages)) restart(party);
		const late = firsts.filter(({ first }) => first!.isLate);
		if (isBaseline || late.length > 0) newest = await readNewestRows(ports);
		if (late.length > 0) {
			const number = await oldNumber(late);
			for (const { first } of late) first!.number ??= number;
		}
		const needed = parties.filter(({ from }) => from !== undefined || !isBaseline);
		const floors = [...needed.map(floorOf), ...firsts.flatMap(({ first }) => first?.number ?? [])];
		at = floor = wholeAfter = floors.reduce(sooner, floors[0] ?? highestOf(newest));
		stage = floors.length > 0 ? 'pages' : 'done';
		if (!isBaseline && known.settled === undefined) adopt();
	}

	const floorOf = ({ from, cursor }: WalkParty): Whole => from ?? cursor?.first?.number ?? 0;

	function restart(party: WalkParty): void {
		restartRun(party.known);
		party.from = 0;
		pages.clear();
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
		const isOutOfReach = first > plus(at, 1) && (isNewestOnly || isShortened(events, list.pageLength, complete));
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
		cover(isOutOfReach ? upTo : sooner(upTo, complete ?? at));
		// The limit applies only while the stream is ahead of the page; otherwise the walk continues without a gap.
		if (news >= TRADES_CAUGHT_UP_MAX && numbers.highest > upTo) {
			for (const { cursors } of parties)
				ports.gap(cursors, { after_sequence: upTo, before_sequence: null }, 'open_end');
			cover(later(upTo, numbers.highest)!);
			return true;
		}
		const reached = parties.map((party) => later(upTo, endOf(party))!);
		at = reached.reduce(sooner, reached[0] ?? upTo);
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

	/** A number that existed when the first of those joined whose first reads failed: a row that is old, in growing steps back. */
	async function oldNumber(late: readonly Cursor[]): Promise<Whole> {
		for (const { first, joinedAt } of late) first!.storedSince ??= ports.serviceTime(joinedAt);
		const since = Math.min(...late.map(({ first }) => first!.storedSince!));
		const madeAt = ({ item }: TopicEvent): number => (item && timeOf(item)) ?? since;
		let page: NumberedPage = { events: [...newest], isBackwards: false };
		for (let step = newest.length; ; step *= 2) {
			const [first] = page.events;
			const old = page.events.findLast((event) => madeAt(event) <= since)?.sequence;
			if (old !== undefined || !first) return old ?? 0;
			const after = plus(first.sequence ?? 0, -1);
			const times = { after_created_at: instant(since), before_created_at: instant(madeAt(first)) };
			if (page.isBackwards) ports.gap(new Set(late), times, 'out_of_reach');
			if (page.isBackwards || after <= 0) return after;
			page = await readPageAfter(ports, later(0, plus(after, -2 * step)));
			if ((page.events[0]?.sequence ?? after) >= first.sequence!) return after;
		}
	}

	function end(): void {
		numbers.highest = later(numbers.highest, highestOf(newest))!;
		const last = isBaseline ? highestOf(newest) : numbers.highest;
		for (const { first } of firsts) if (first) first.number ??= last;
		if (isBaseline)
			settle(
				log,
				firsts.reduce<Whole>((least, { first }) => sooner(least, first!.number!), last),
			);
		log.reachesTo ??= later(isBaseline ? (newest[0]?.sequence ?? 0) : wholeAfter, log.droppedTo);
		// Rows before that were never known here.
		known.forgotten ??= plus(floor, -1);
		passAbove(numbers, known);
	}

	/** The log begins with what the one knew who came back from the earliest number. */
	function adopt(): void {
		const { prints, doubt } = parties.find((party) => floorOf(party) === floor)?.known ?? {};
		Object.assign(known, { prints, doubt });
		settle(log, floor);
	}

	return {
		next: (count) => {
			news = count;
			return next();
		},
		end,
	};
}

/**
 * For whom the service counts anew. It is asked where there was a sign of it, and once of what was stored. The row with the
 * last number somebody knows is another one then, or the list ends below that number for longer than lists lag. Such a
 * walk begins at nought, and keys decide.
 */
async function renumbered(
	ports: NumberedPorts,
	parties: readonly WalkParty[],
	pages: Map<Whole, NumberedPage>,
): Promise<WalkParty[]> {
	const doubtful = parties.filter(({ known: { doubt } }) => doubt);
	let isOther = false;
	let head: NumberedPage | undefined;
	const hasRows = async (): Promise<boolean> => (head ??= await readPageAfter(ports)).events.length > 0;
	for (const { known: of } of doubtful) {
		const doubt = of.doubt!;
		const page = pages.get(doubt.number) ?? (await readPageAfter(ports, plus(doubt.number, -1)));
		pages.set(doubt.number, page);
		const verdict = await isOtherRun(doubt, page.events, { clock: ports.clock, state: ports.state, hasRows });
		isOther ||= verdict === true;
		// A new doubt is settled by what is read after it.
		if (verdict === false && of.doubt === doubt) of.doubt = undefined;
	}
	return isOther ? doubtful : [];
}

/** Undefined where nothing tells yet, because lists lag: they may still show the run before. */
async function isOtherRun(
	doubt: RunDoubt,
	events: readonly TopicEvent[],
	{ clock, state, hasRows }: Pick<NumberedPorts, 'clock' | 'state'> & { hasRows(): Promise<boolean> },
): Promise<boolean | undefined> {
	const now = clock.now();
	if (highestOf(events) >= doubt.number) {
		const rows = events.filter(({ sequence }) => sequence === doubt.number);
		// Of a number that was taken from a time nobody knows the event.
		if (rows.length > 0 && doubt.prints.size > 0 && !rows.some((row) => wasBefore(doubt, row))) return true;
		doubt.shownSince ??= now;
		return doubt.isStored || now - doubt.shownSince >= READ_LAG_MS_MAX ? false : undefined;
	}
	// A list without rows shows nothing. While the topic is not subscribed, lists may lag for longer.
	if (!state.isConfirmed || !(await hasRows())) return undefined;
	doubt.endsBelowSince ??= now;
	return now - doubt.endsBelowSince < READ_LAG_MS_MAX ? undefined : true;
}

/**
 * Whether a list has forgotten the rows before a page: the page leaves out no other number. Younger rows may be missing
 * because lists lag.
 */
function isShortened(events: readonly TopicEvent[], pageLength: number, settled: Whole = 0): boolean {
	const old = events.filter(({ sequence = Infinity }) => sequence <= settled);
	const isMany = old.length >= Math.max(FULL_PAGE_MIN, pageLength / 2);
	return isMany && highestOf(old) === plus(old[0]!.sequence ?? 0, old.length - 1);
}

export interface NumberedPorts extends SourcePorts {
	source: Extract<BackfillSource, { from: 'sequence' }>;
}

/** The rows of one page, sorted by number. */
interface NumberedPage {
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
	return { events: inOrder(events, 'sequence'), isBackwards };
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
