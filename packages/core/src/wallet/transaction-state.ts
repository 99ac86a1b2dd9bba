/** What is kept of a wallet's transactions between two looks, and what the next look tells by it. Pure. */
import { transactionFinality } from '../catalogue';
import { firstOf, instantOf, isItem, textOf, type Item } from '../wire/payload';

/** Plain JSON of bounded size, to be stored and passed unchanged to the next poll. */
export interface TransactionState {
	/** Version of this shape. */
	version: 1;
	/** Transactions by id, with status, creation time and earlier statuses, sorted by when they were last seen. */
	known: KnownTransaction[];
	/** Creation time of the newest transaction that is no longer kept: an unknown one that is older is not new. */
	forgottenUntil?: number;
	/** Counts the polls, so that single reads of open transactions take turns. */
	turn: number;
}

type KnownTransaction = [id: string, status: string, createdAt?: number | null, before?: string[]];

/** A transaction whose status is new. Earlier statuses are those before, the oldest first. */
export interface StatusChange {
	transaction: Item;
	id: string;
	status: string;
	previous: string | undefined;
	earlier: readonly string[];
}

/** How many rows of a first look are read of a list that begins with the newest. What is older counts as known. */
export const BASELINE_ITEMS_MAX = 1_000;
/** How long after its creation a list may show a transaction: a deposit waits for the confirmations of its chain. */
export const LATE_MS_MAX = 3_600_000;
/** How many ended transactions are kept at least; those of the newest hour are kept, too. */
const KEPT_MIN = 1_000;
/** Most that are kept of each kind: ended with a time, ended without one, and those that may still change. */
export const KEPT_MAX = 20_000;
/** How many rows may be dated ahead of all others without making those look old. */
const DATED_AHEAD_MAX = 9;
/** How many earlier statuses of one transaction are kept. */
const STATUSES_MAX = 10;

/**
 * Takes the rows of a look. A first look, which has no state before it, only notes what there is. After it, identity
 * decides: one that is not known is new, unless it is older than what was forgotten.
 */
export function afterLook(
	before: TransactionState | undefined,
	rows: readonly Item[],
): { changes: StatusChange[]; state: TransactionState; limits: string[] } {
	const entries = new Map(before?.known.map((entry) => [entry[0], entry]));
	const changes: StatusChange[] = [];
	for (const row of rows) {
		const change = take(entries, before, row);
		if (change && before) changes.push(change);
	}
	return { changes, ...remembered([...entries.values()], before, rows) };
}

function take(
	entries: Map<string, KnownTransaction>,
	before: TransactionState | undefined,
	row: Item,
): StatusChange | undefined {
	const id = idOf(row)!;
	const [, previous, , past = []] = entries.get(id) ?? [];
	const isOld = previous === undefined && before !== undefined && isForgotten(row, before);
	if (isOld && isFinal(statusOf(row))) return undefined;
	const status = statusAfter(previous, past, statusOf(row));
	const earlier = previous === undefined || previous === status ? past : [...past, previous].slice(-STATUSES_MAX);
	// Moved to the end, so that the ones not seen for longest are evicted first.
	entries.delete(id);
	const createdAt = timeOf(row) ?? null;
	entries.set(id, earlier.length > 0 ? [id, status, createdAt, earlier] : [id, status, createdAt]);
	return isOld || previous === status ? undefined : { transaction: row, id, status, previous, earlier };
}

/**
 * A final status is final: one that may still change does not follow it, and none that it had before. Such a row was
 * answered by a server that lags behind. A status never heard of may be the reversal of a payment, and is told.
 */
function statusAfter(previous: string | undefined, past: readonly string[], status: string): string {
	if (previous === undefined) return status;
	const isBehind = isFinal(previous)
		? isOpen(status) || past.includes(status)
		: isFinal(status) && past.includes(status);
	return isBehind ? previous : status;
}

/** Forgets the oldest by creation, so that everything forgotten is older than what is kept. */
function remembered(entries: readonly KnownTransaction[], before: TransactionState | undefined, rows: readonly Item[]) {
	const ended = entries.filter(([, status]) => isFinal(status));
	const undated = ended.filter(([, , createdAt]) => createdAt === null || createdAt === undefined);
	const dated = ended.filter(isDated).sort((entry, other) => other[2] - entry[2]);
	const since = newestOf(dated.map(([, , createdAt]) => createdAt)) - LATE_MS_MAX;
	const old = dated.filter(([, , createdAt], rank) => rank >= KEPT_MAX || (rank >= KEPT_MIN && createdAt < since));
	const open = entries.filter(([, status]) => !isFinal(status));
	// What this look shows the next one shows again, and it would be taken for new.
	const listed = new Set(rows.map(idOf));
	const surplus = [...open.slice(0, -KEPT_MAX), ...undated.slice(0, -KEPT_MAX)].filter(([id]) => !listed.has(id));
	const dropped = new Set<KnownTransaction>([...old, ...surplus]);
	const forgottenUntil = Math.max(before ? (before.forgottenUntil ?? 0) : firstMark(rows), old[0]?.[2] ?? 0);
	const state: TransactionState = {
		version: 1,
		known: entries.filter((entry) => !dropped.has(entry)),
		...(forgottenUntil > 0 ? { forgottenUntil } : {}),
		turn: (before?.turn ?? 0) + 1,
	};
	return { state, limits: surplus.length > 0 ? [TOO_MANY] : [] };
}

const TOO_MANY = `More than ${KEPT_MAX} transactions may still change or have no time. The ones not seen for longest are forgotten: they may be reported again, and the end of one may not be reported`;

const isDated = (entry: KnownTransaction): entry is [string, string, number, string[]?] => typeof entry[2] === 'number';

/** Transactions older than the last row of the first look existed before it, so they are not new. */
const firstMark = (rows: readonly Item[]): number =>
	rows.flatMap((row) => timeOf(row) ?? []).sort((a, b) => b - a)[BASELINE_ITEMS_MAX - 1] ?? 0;

/** The newest of these times, without the few that may be dated ahead; nothing is known of a handful. */
export const newestOf = (times: readonly number[]): number =>
	times.toSorted((a, b) => b - a)[DATED_AHEAD_MAX] ?? Number.NEGATIVE_INFINITY;

export function isForgotten(item: Item, { forgottenUntil }: TransactionState): boolean {
	const time = timeOf(item);
	return forgottenUntil !== undefined && time !== undefined && time <= forgottenUntil;
}

export const timeOf = (item: Item): number | undefined =>
	['created_at', 'timestamp', 'date', 'time'].map((name) => instantOf(item[name])).find((time) => time !== undefined);

export const statusOf = (item: Item): string => textOf(item, 'status') ?? 'unknown';

export const idOf = (item: Item): string | undefined => firstOf(item, ['id', 'transaction_id']);

export const isFinal = (status: string): boolean => transactionFinality(status) === 'final';

const isOpen = (status: string): boolean => transactionFinality(status) === 'open';

export function readState(stored: unknown): TransactionState | undefined {
	if (!isItem(stored) || stored.version !== 1 || !Array.isArray(stored.known)) return undefined;
	const entries = stored.known.filter(isEntry);
	return {
		version: 1,
		known: entries,
		forgottenUntil: typeof stored.forgottenUntil === 'number' ? markOf(stored.forgottenUntil, entries) : undefined,
		turn: typeof stored.turn === 'number' && Number.isSafeInteger(stored.turn) ? stored.turn : 0,
	};
}

/** An earlier version stored a date ahead as the mark, which made everything after it look old. */
function markOf(stored: number, entries: readonly KnownTransaction[]): number {
	const newest = newestOf(entries.filter(isDated).map(([, , createdAt]) => createdAt));
	return newest === Number.NEGATIVE_INFINITY ? stored : Math.min(stored, newest);
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isEntry = (entry: unknown): entry is KnownTransaction =>
	Array.isArray(entry) &&
	isText(entry[0]) &&
	isText(entry[1]) &&
	(entry[2] === undefined || entry[2] === null || typeof entry[2] === 'number') &&
	(entry[3] === undefined || (Array.isArray(entry[3]) && entry[3].every(isText)));
