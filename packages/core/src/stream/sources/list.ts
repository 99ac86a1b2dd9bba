import { later } from '../../whole';
import { type Feed, lateStartOf, tellGap, tellGapSince, warn } from '../feed/feed';
import { unlisted } from '../feed/gaps';
import { BASELINE_ITEMS_MAX, DATED_AHEAD_MAX, READ_LAG_MS_MAX, READ_OVERLAP_MS } from '../limits';
import { knows, type KnownEvents } from '../log/known';
import { settle } from '../log/log';
import { noticeTexts } from '../notice-text';
import type { TopicEvent } from '../topics/event';
import type { EventsTopic } from '../topics/topic';
import { type FollowingPorts, readFollowed, readOpen } from './followed-orders';
import { walkList } from './history';
import { readTo, type Needs, type Walk } from './source';

/** What the rows of one walk show. */
interface Rows {
	/** The newest rows with a time, newest first. */
	newest: { key: string; time: number }[];
	oldest: number;
	/** The parties that knew none of the oldest rows. */
	strangers: Set<KnownEvents>;
	/** The orders that were shown. */
	orders: Set<string>;
	count: number;
}

/** Walks a list whose sort order the interface does not show, from its newest rows back to those that everybody has. */
export function walkBack(feed: Feed, { list, identify, isFollowed }: EventsTopic, needs: Needs): Walk {
	const { state, ports, history, signal } = feed;
	const { clock, policy } = ports;
	const listed: FollowingPorts = { list, identify, history: history!, signal, clock, state };
	const { parties, firsts } = needs;
	const { log, list: learned } = state;
	const { shape } = learned;
	const beganAt = clock.now();
	const rows: Rows = { newest: [], oldest: Infinity, strangers: new Set(), orders: new Set(), count: 0 };
	/** Nobody knows anything of the topic, so the newest rows show which events are old. */
	const isBaseline = parties.every(({ known }) => known.settled === undefined) && firsts.length > 0;
	const lateSince = Math.min(...firsts.map((cursor) => lateStartOf(feed, cursor)));
	const reach = (): number => Math.min((newestTime(rows) ?? -Infinity) - READ_OVERLAP_MS, lateSince);
	// For whom a read has shown an empty list, all of it is missing.
	const isSettled = ({ time = Infinity }: TopicEvent): boolean =>
		parties.every(({ from = 0 }) => time <= from) && (!isBaseline || time < reach());
	const walk = walkList(listed, { shape, settledInARow: policy.knownInARow, isSettled });
	/** How far the clock of the list is ahead of ours, at least, by the newest rows when they were shown. */
	let aheadMs = -Infinity;
	let isCut = false;
	let others: ReturnType<typeof readOthers> | undefined;

	async function next(): Promise<readonly TopicEvent[] | undefined> {
		const page = isCut || others ? undefined : await walk.next();
		if (page) return observe(page);
		if (!isFollowed) return undefined;
		if (others) return (await others.next()).value ?? undefined;
		others = readOthers();
		return [];
	}

	function observe(events: readonly TopicEvent[]): readonly TopicEvent[] {
		observeRows(rows, events, parties);
		// The first page shows the newest rows, and the others may take a minute.
		aheadMs = Math.max(aheadMs, (newestTime(rows) ?? -Infinity) - clock.now());
		// In a list that is newest first all further rows are older.
		const isLong = shape.order === 'newest_first' && rows.count >= BASELINE_ITEMS_MAX;
		isCut ||= isBaseline && parties.length === 0 && isLong && rows.oldest < lateSince;
		return events;
	}

	/** Reads records that may have changed but were on no page. */
	async function* readOthers(): AsyncGenerator<readonly TopicEvent[], void> {
		if (isBaseline && !walk.isWhole()) {
			if (!(yield* readOpen(listed))) warn(feed, firsts, noticeTexts.openLeft);
			return;
		}
		const behind = parties.flatMap(({ catchingUp }) => catchingUp ?? []);
		const owed = behind.flatMap(({ known, reads }) => [...(reads.unseen ??= new Set(known.orders.open.keys()))]);
		const orders = new Map(owed.map((id) => [id, id]));
		for (const { known } of parties)
			for (const [id, { facts }] of known.orders.open) orders.set(id, facts.written ?? id);
		for (const id of rows.orders) orders.delete(id);
		const unseen = yield* readFollowed(orders, owed.length > 0 ? 0 : state.readings.done, listed);
		for (const { reads, servedFrom } of behind)
			if (beganAt - servedFrom >= READ_LAG_MS_MAX)
				reads.unseen = new Set([...unseen].filter((id) => reads.unseen!.has(id)));
	}

	function end(): void {
		const isAll = walk.isWhole();
		// A list that begins behind all that somebody knows may have dropped rows before that.
		const mayBeCut = isAll && !isFollowed && rows.newest.length > DATED_AHEAD_MAX;
		for (const { known, from, cursors } of mayBeCut ? parties : [])
			if (from !== undefined && rows.oldest > from && rows.strangers.has(known))
				tellGap(feed, cursors, unlisted(Number(from), rows.oldest), 'out_of_reach');
		// It was told what came while its key was refused, and rows without a time do not say which of them it was not.
		for (const cursor of rows.count > 0 && newestTime(rows) === undefined ? firsts : [])
			if (cursor.first?.read === 'refused') tellGapSince(feed, new Set([cursor]), cursor.joined.at);
		if (shape.isContradicted && !learned.isReported) warn(feed, log.cursors, noticeTexts.unsorted);
		learned.isReported ||= shape.isContradicted === true;
		const whole = mayBeCut ? rows.oldest : -Infinity;
		const after = isAll ? whole : isCut ? rows.oldest : Math.max(floorOf(needs), Math.min(rows.oldest, reach()));
		log.reachesTo ??= later(after, log.droppedTo);
		const upTo = settledBefore();
		if (log.known.settled === undefined) log.known.forgotten = later(log.known.forgotten, upTo);
		settle(log, upTo);
		readTo(parties, upTo);
	}

	/**
	 * Up to where the walk settled the history. It comes from rows alone: the clock of this machine may be hours apart, and
	 * rows may be dated in another zone. Lists lag, rows overtake each other, and in a quiet list time passes although no row
	 * shows it.
	 */
	function settledBefore(): number | undefined {
		const newest = newestTime(rows);
		if (newest === undefined) return undefined;
		log.aheadMs = Math.max(log.aheadMs, aheadMs);
		const settled = Math.min(newest, log.aheadMs + beganAt - READ_OVERLAP_MS);
		// What a first read leaves unread is old, however long it took.
		return isBaseline && !walk.isWhole() ? Math.max(settled, isCut ? rows.oldest : reach()) : settled;
	}

	return { next, end };
}

const floorOf = ({ parties }: Needs): number =>
	Math.min(Infinity, ...parties.map(({ from = -Infinity }) => Number(from)));

/** Notes what a page shows, before it enters the log. */
function observeRows(rows: Rows, events: readonly TopicEvent[], parties: Needs['parties']): void {
	const before = rows.oldest;
	rows.count += events.length;
	for (const { key, time, order } of events) {
		if (order) rows.orders.add(order.id);
		if (time === undefined) continue;
		observeNewest(rows, key, time);
		rows.oldest = Math.min(rows.oldest, time);
	}
	const oldest = events.filter(({ time }) => time === rows.oldest);
	for (const { known } of parties) {
		if (rows.oldest < before) rows.strangers.add(known);
		// Keys up to a place were forgotten, so a row before it may be known, and so may one without an identifier.
		const isForgotten = rows.oldest <= (known.forgotten ?? -Infinity);
		const mayKnow = (row: TopicEvent) => isForgotten || row.isAnonymous === true || knows(known, row);
		if (rows.strangers.has(known) && oldest.some(mayKnow)) rows.strangers.delete(known);
	}
}

/** Each row counts once although pages overlap. */
function observeNewest(rows: Rows, key: string, time: number): void {
	const { newest } = rows;
	if (newest.length > DATED_AHEAD_MAX && time <= newest.at(-1)!.time) return;
	if (newest.some((row) => row.key === key)) return;
	rows.newest = [...newest, { key, time }].sort((a, b) => b.time - a.time).slice(0, DATED_AHEAD_MAX + 1);
}

/** The time of the newest row, apart from a few that may be dated ahead; undefined if no row carries a time. */
const newestTime = ({ newest }: Rows): number | undefined => newest.at(-1)?.time;
