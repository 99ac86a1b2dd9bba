/**
 * The log of a wallet's transactions: what enters it, by id and status, what a look reports of it, and what is kept of
 * it until the next look. Pure.
 */
import { transactionFinality } from '../catalogue';
import { firstOf, instantOf, isItem, statusOf as shownStatus, type Item } from '../wire/payload';
import { createdAtOf } from '../wire/records';
import { isTime, STATE_VERSION } from './stored-state';

/** Plain JSON of bounded size, to be stored and passed unchanged to the next poll. */
export interface TransactionState {
	/** Version of this shape. */
	version: typeof STATE_VERSION;
	/** Transactions by id, with status and creation time, the one seen or asked for longest ago first. */
	known: KnownTransaction[];
	/** A transaction that is not known and was created until then is old. */
	forgottenUntil?: number;
}

type KnownTransaction = [id: string, status: string, createdAt?: number | null, more?: More];

interface More {
	updatedAt?: number | undefined;
	/** The statuses it had before, the oldest first. */
	before?: string[] | undefined;
	/** Since when the service has not found it. */
	missingSince?: number | undefined;
	/** The transaction was missing for too long, so nothing asks for it any more. */
	isLetGo?: true;
}

/** What one look at a wallet read. */
export interface WalletReading {
	/** The oldest first. */
	rows: readonly Item[];
	/** Open transactions that were asked for one by one, without an answer. */
	inVain: readonly { id: string; isMissing: boolean }[];
	/** The service's time when it began. */
	now: number;
}

/** A transaction whose status is new. */
export interface StatusChange {
	transaction: Item;
	id: string;
	createdAt: number | undefined;
	status: string;
	previous: string | undefined;
	/** When the transaction came back to a status of before. */
	returnedAt: number | undefined;
}

/** What a look reported, and what is kept of it. */
export interface WalletChanges {
	changes: StatusChange[];
	state: TransactionState;
	/** Whether more is known than before, reported or not. */
	learned: boolean;
	/** Sentences for people, without a final period. */
	notes: string[];
}

/** How many rows of a first look are read of a list that begins with the newest. What is older counts as known. */
export const BASELINE_ITEMS_MAX = 1_000;
/**
 * How long after its creation a list may show a transaction, because a deposit waits for the confirmations of its
 * chain; and for how long one that the service does not find is asked for.
 */
export const LATE_MS_MAX = 3_600_000;
/** How many ended transactions are kept at least; those of the newest hour are kept, too. */
const KEPT_MIN = 1_000;
/** Most that are kept of each kind: ended with a time, ended without one, and those that may still change. */
export const KEPT_MAX = 20_000;
/** How many earlier statuses of one transaction are kept. With so many, any status may be one of before. */
const STATUSES_MAX = 50;
const NAMED_MAX = 3;

/**
 * Takes what a look read. A first look, which has no state before it, only notes what there is. After it, identity
 * decides: one that is not known is new, unless it is older than what the first look covered or was forgotten.
 */
export function changesSince(before: TransactionState | undefined, look: WalletReading): WalletChanges {
	const entries = new Map(before?.known.map((entry) => [entry[0], entry]));
	const changes: StatusChange[] = [];
	const doubtful = before ? datedTooEarly(look.rows, before, entries) : [];
	for (const row of look.rows) {
		const change = enterRow(entries, before, row);
		if (change && before) changes.push(change);
	}
	const letGo = look.inVain.filter((asked) => isLetGoNow(entries, asked, look.now)).map(({ id }) => id);
	const { state, notes } = remembered([...entries.values()], before, look);
	const learned = entries.size > (before?.known.length ?? -1) || changes.length + letGo.length > 0;
	return { changes, state, learned, notes: [...notes, ...saidOf(letGo, LET_GO), ...saidOf(doubtful, DOUBTFUL)] };
}

function enterRow(
	entries: Map<string, KnownTransaction>,
	before: TransactionState | undefined,
	row: Item,
): StatusChange | undefined {
	const [id, status, updatedAt] = [idOf(row)!, transactionStatus(row), updatedAtOf(row)];
	const entry = entries.get(id);
	// A single record may leave out what the list shows.
	const createdAt = entry?.[2] ?? createdAtOf(row);
	const change = { transaction: row, id, createdAt, status };
	// Moved to the end, so that the ones not seen for longest are evicted first.
	entries.delete(id);
	if (!entry) {
		const isOld = before !== undefined && isForgotten(row, before);
		if (!isOld || !isFinal(status)) entries.set(id, known(id, status, createdAt, { updatedAt }));
		return isOld ? undefined : { ...change, previous: undefined, returnedAt: undefined };
	}
	const [, previous, , { before: past = [], updatedAt: latest } = {}] = entry;
	// A row that shows no status says nothing about it.
	if (!isAhead(entry, row) || shownStatus(row) === undefined) {
		const isSame = status === previous && updatedAt !== undefined;
		const seenAt = isSame ? Math.max(latest ?? updatedAt, updatedAt) : latest;
		entries.set(id, known(id, previous, createdAt, { updatedAt: seenAt, before: past }));
		return undefined;
	}
	const left = [...new Set([...past, previous])].slice(0, STATUSES_MAX);
	entries.set(id, known(id, status, createdAt, { updatedAt: updatedAt ?? latest, before: left }));
	return { ...change, previous, returnedAt: isReturn(past, status) ? updatedAt : undefined };
}

/** Without what is not set: there are thousands. */
function known(id: string, status: string, createdAt: number | null | undefined, more: More): KnownTransaction {
	const filled = Object.entries(more).filter(([, value]) =>
		Array.isArray(value) ? value.length > 0 : value !== undefined,
	);
	if (filled.length === 0) return [id, status, createdAt ?? null];
	return [id, status, createdAt ?? null, Object.fromEntries(filled)];
}

/**
 * Whether a row says more than what is known of its transaction, and was not answered by a server that lags behind. A
 * status further along needs no later time; a status that goes back does. A final status is final: no documented one
 * that may still change follows it. A status never heard of may be the reversal of a payment, and does.
 */
function isAhead([, previous, , { before: past = [], updatedAt: latest } = {}]: KnownTransaction, row: Item): boolean {
	const [status, updatedAt] = [transactionStatus(row), updatedAtOf(row)];
	if (status === previous || (isFinal(previous) && isOpen(status))) return false;
	const goesOn = !isReturn(past, status);
	if (isFinal(status) && !isFinal(previous) && goesOn) return true;
	if (updatedAt === undefined || latest === undefined || updatedAt === latest) return goesOn;
	return updatedAt > latest;
}

/** Whether the transaction may have had a status before. A return needs a later time, which makes its key another one. */
const isReturn = (past: readonly string[], status: string): boolean =>
	past.includes(status) || past.length >= STATUSES_MAX;

/** Notes that the service did not find a transaction. After too long it is asked for no more. */
function isLetGoNow(
	entries: Map<string, KnownTransaction>,
	{ id, isMissing }: { id: string; isMissing: boolean },
	now: number,
): boolean {
	const [, status, createdAt, { missingSince, ...more } = {}] = entries.get(id)!;
	const since = isMissing ? (missingSince ?? now) : undefined;
	const isLetGo = since !== undefined && now - since >= LATE_MS_MAX;
	entries.delete(id);
	entries.set(id, known(id, status, createdAt, { ...more, missingSince: since, ...(isLetGo && { isLetGo }) }));
	return isLetGo;
}

/** Names a few of many. */
export const fewOf = (ids: readonly string[]): string =>
	`${ids.slice(0, NAMED_MAX).join(', ')}${ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : ''}`;

const saidOf = (ids: readonly string[], say: (names: string) => string): string[] =>
	ids.length > 0 ? [say(fewOf(ids))] : [];

const LET_GO = (names: string): string =>
	`For an hour the service has not found transaction ${names}, which had not ended: nothing asks for it any more`;

const DOUBTFUL = (names: string): string =>
	`Transaction ${names} counts as old, because it is dated more than an hour before the first poll, by the clock of the service`;

/** Newer than all that is known, and yet older than the first look: missing then, or dated by another clock. */
function datedTooEarly(
	rows: readonly Item[],
	before: TransactionState,
	entries: ReadonlyMap<string, KnownTransaction>,
): string[] {
	const newest = before.known.reduce((latest, [, , createdAt]) => Math.max(latest, createdAt ?? latest), -Infinity);
	return rows.flatMap((row) => {
		const isLeftOut = !entries.has(idOf(row)!) && isForgotten(row, before) && isFinal(transactionStatus(row));
		return isLeftOut && createdAtOf(row)! > newest ? [idOf(row)!] : [];
	});
}

/** Forgets the oldest by creation, so that everything forgotten is older than what is kept. */
function remembered(entries: readonly KnownTransaction[], before: TransactionState | undefined, look: WalletReading) {
	const ended = entries.filter((entry) => !isAwaited(entry));
	const undated = ended.filter(([, , createdAt]) => createdAt === null || createdAt === undefined);
	const dated = ended.filter(isDated).sort((entry, other) => other[2] - entry[2]);
	// By a row that is dated ahead, all others would be old.
	const since = Math.min(look.now, dated[0]?.[2] ?? look.now) - LATE_MS_MAX;
	const old = dated.filter(([, , createdAt], rank) => rank >= KEPT_MAX || (rank >= KEPT_MIN && createdAt < since));
	const open = entries.filter(isAwaited);
	// The next look shows the rows of this one again, so these are kept: a forgotten row would be taken for new.
	const listed = new Set(look.rows.map(idOf));
	const surplus = [...open.slice(0, -KEPT_MAX), ...undated.slice(0, -KEPT_MAX)].filter(([id]) => !listed.has(id));
	const dropped = new Set<KnownTransaction>([...old, ...surplus]);
	// What was created an hour before a first look is old, whenever it appears: a list may be late by that much.
	const forgottenUntil = Math.max(before ? (before.forgottenUntil ?? 0) : look.now - LATE_MS_MAX, old[0]?.[2] ?? 0);
	const state: TransactionState = {
		version: STATE_VERSION,
		known: entries.filter((entry) => !dropped.has(entry)),
		...(forgottenUntil > 0 ? { forgottenUntil } : {}),
	};
	return { state, notes: surplus.length > 0 ? [TOO_MANY] : [] };
}

const TOO_MANY = `More than ${KEPT_MAX} transactions may still change or have no time. The ones not seen for longest are forgotten: they may be reported again, and the end of one may not be reported`;

const isDated = (entry: KnownTransaction): entry is [string, string, number, More?] => typeof entry[2] === 'number';

export function isForgotten(item: Item, { forgottenUntil }: TransactionState): boolean {
	const time = createdAtOf(item);
	return forgottenUntil !== undefined && time !== undefined && time <= forgottenUntil;
}

const updatedAtOf = (item: Item): number | undefined => instantOf(item.updated_at);

/** The status that is meant, in the interface's spelling. */
export const transactionStatus = (item: Item): string => shownStatus(item) ?? 'unknown';

export const idOf = (item: Item): string | undefined => firstOf(item, ['id', 'transaction_id']);

export const isFinal = (status: string): boolean => transactionFinality(status) === 'final';

const isOpen = (status: string): boolean => transactionFinality(status) === 'open';

/** Whether a transaction may still change, and may be found. */
export const isAwaited = ([, status, , more]: KnownTransaction): boolean => !isFinal(status) && !more?.isLetGo;

export const isTransactionState = ({ known, forgottenUntil }: Item): boolean =>
	isListOf(isEntry, known) && mayBe(isTime, forgottenUntil);

const isEntry = (entry: unknown): boolean => {
	if (!Array.isArray(entry)) return false;
	const [id, status, createdAt, more = {}] = entry as unknown[];
	return isText(id) && isText(status) && mayBe(isTime, createdAt ?? undefined) && isItem(more) && isMore(more);
};

const isMore = ({ updatedAt, before, missingSince, isLetGo }: Item): boolean =>
	mayBe(isTime, updatedAt) &&
	mayBe((each) => isListOf(isText, each), before) &&
	mayBe(isTime, missingSince) &&
	mayBe((each) => each === true, isLetGo);

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isListOf = (is: Check, value: unknown): boolean => Array.isArray(value) && value.every(is);
const mayBe = (is: Check, value: unknown): boolean => value === undefined || is(value);
