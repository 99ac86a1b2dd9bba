/** One look at the transactions of a wallet: the list, back to what is known, then the open ones that were not in it. */
import { transactionFinality, transactionStatuses } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { ExchangeError, isExchangeError } from '../errors';
import { unknownShape, type ListShape } from '../wire/list-shape';
import { createListWalk } from '../wire/list-walk';
import { withPageLength } from '../wire/page-length';
import { isItem, type Item } from '../wire/payload';
import {
	BASELINE_ITEMS_MAX,
	idOf,
	isAwaited,
	isForgotten,
	LATE_MS_MAX,
	fewOf,
	newestOf,
	statusOf,
	timeOf,
	type WalletLook,
	type TransactionState,
	type Unread,
} from './transaction-log';

export type WalletReader = Pick<UntypedClient, 'page' | 'call' | 'now'>;

/** A poll reads this many rows, because a list may have no end. Rows beyond are not reported, and a warning says so. */
const READ_ITEMS_MAX = 20_000;
/** Known transactions in a row, after which nothing new is expected further back. */
const KNOWN_IN_A_ROW = 50;
/** How far before the newest transaction every poll reads at least, because rows overtake each other. */
const OVERTAKEN_MS_MAX = 60_000;
/** A poll reads back as far as a transaction may come late: every poll where an hour has few rows, otherwise one in ten. */
const FEW_ROWS = 300;
const POLLS_PER_LONG_ONE = 10;
/** A poll asks for this many open transactions one by one, to spare the service. The next poll asks for the others. */
const SINGLE_READS_MAX = 20;
/** After this many failed reads of single transactions a poll asks for no more; the next poll asks for others first. */
const SINGLE_FAILURES_MAX = 3;

interface LookOptions {
	signal: AbortSignal | undefined;
	warn(text: string): void;
}

/** What was read so far in one look. */
interface Reading extends LookOptions {
	client: WalletReader;
	page: ReturnType<typeof withPageLength<{ signal: AbortSignal | undefined }>>;
	before: TransactionState | undefined;
	/** What is known, and of it what may still change and was not read. */
	entries: ReadonlyMap<string, TransactionState['known'][number]>;
	open: Set<string>;
	rows: Map<string, Item>;
	shape: ListShape;
	lateMs: number;
	/** The newest times, which suffice to tell the newest that is not dated ahead. */
	latest: number[];
	/** Whether the rows read from the beginning of the list joined those known before. */
	isJoined: boolean;
	knownInARow: number;
	/** Why the list was not read to its end. */
	ended?: unknown;
}

/** Throws where nothing could be read; what was read is kept wherever the read ends. */
export async function lookAt(
	client: WalletReader,
	before: TransactionState | undefined,
	options: LookOptions,
): Promise<WalletLook> {
	const entries = new Map(before?.known.map((entry) => [entry[0], entry]));
	const beganAt = client.now();
	const reading: Reading = {
		client,
		before,
		entries,
		...options,
		page: withPageLength(client.page),
		rows: new Map(),
		shape: unknownShape(),
		open: new Set(before?.known.filter(isAwaited).map(([id]) => id)),
		lateMs: lateMsOf(before),
		latest: [],
		isJoined: false,
		knownInARow: 0,
	};
	const unread = await readList(reading);
	const inVain = endsAll(reading.ended, options.signal) ? [] : await readOpen(reading);
	const rows = [...reading.rows.values()].reverse().sort((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0));
	const endedAt = reading.shape.order === 'newest_first' ? timeOf(rows[0]!) : undefined;
	// Before the first reply the service's time is only guessed. What is created while a first look is under way is new.
	return { rows, inVain, now: Math.min(beganAt, client.now()), ...(unread ? { unread, endedAt } : {}) };
}

/** Reads the list back to what is known. Returns what it did not get to. */
async function readList(reading: Reading): Promise<Unread | undefined> {
	const { before, shape } = reading;
	const head = await walkList(reading, {
		from: 0,
		behind: before ? 'the next poll reads on' : 'the rest counts as old',
	});
	const isNewestFirst = shape.order === 'newest_first';
	const unread = before?.unread;
	if (head.stoppedAt !== undefined) {
		const from = unread && reading.isJoined ? unread.from : head.stoppedAt;
		return { ...(unread ?? placeOf(before)), from: isNewestFirst ? from : 0 };
	}
	if (!before && !head.isWhole && reading.rows.size < READ_ITEMS_MAX) await readOpenBehind(reading);
	if (!unread || !isNewestFirst) return undefined;
	const from = Math.max(0, unread.from - KNOWN_IN_A_ROW);
	const { stoppedAt } = await walkList(reading, { from, behind: 'the next poll reads on' });
	return stoppedAt === undefined ? undefined : { ...unread, from: stoppedAt };
}

/** A first look that did not read the whole list asks for what may still change behind it, to tell its end. */
async function readOpenBehind(reading: Reading): Promise<void> {
	for (const status of Object.keys(transactionStatuses).filter((each) => transactionFinality(each) === 'open'))
		await walkList(reading, { from: 0, status, behind: `the end of old ${status} ones may not be reported` });
}

/** Where a walk begins, which status it asks for, and what becomes of the rows it does not get to. */
interface Walk {
	from: number;
	status?: string;
	behind: string;
}

/** One walk over the list. It ends at known rows, at the most one poll reads, or where a page fails. */
async function walkList(
	reading: Reading,
	{ from, status, behind }: Walk,
): Promise<{ stoppedAt?: number; isWhole: boolean }> {
	const { page, rows, signal, shape, warn } = reading;
	const isHead = from === 0 && status === undefined;
	let at = from;
	const walk = createListWalk({
		shape: isHead ? shape : status === undefined ? { ...shape } : unknownShape(),
		read: async (offset) => {
			at = from + offset;
			const read = await page('transaction.list', { offset: at, ...(status && { status }) }, { signal });
			if (status !== undefined && read.some((row) => statusOf(row) !== status)) throw isUnfiltered();
			return note(reading, read);
		},
		identityOf,
		timeOf,
		settledInARow: KNOWN_IN_A_ROW,
		isToTheEnd: status !== undefined,
		isSettled: (item) => isSettled(reading, item, !isHead || shape.order !== 'newest_first'),
	});
	const text = (why: string, then: string): string =>
		`The list of transactions was not read to its end (${why}): ${then}`;
	try {
		while (rows.size < READ_ITEMS_MAX && (await walk.next()));
		if (rows.size >= READ_ITEMS_MAX) warn(text(`one poll reads ${READ_ITEMS_MAX} rows`, 'the rest is not reported'));
		return { isWhole: walk.isWhole() };
	} catch (error) {
		const isKept = rows.size > 0 && (reading.before || [...rows.values()].every((row) => timeOf(row) !== undefined));
		if (!isExchangeError(error) || !isKept) throw error;
		reading.ended = error;
		warn(text(error.what, behind));
	}
	return { stoppedAt: at, isWhole: false };
}

const isUnfiltered = (): ExchangeError =>
	new ExchangeError('not_available', { what: 'The service does not filter transactions by status' });

const identityOf = (item: Item): string => idOf(item) ?? JSON.stringify(item);

/** Takes the rows of a page, and returns them. */
function note(reading: Reading, rows: Item[]): Item[] {
	for (const row of rows) {
		const id = idOf(row);
		if (id === undefined) continue;
		reading.knownInARow = reading.entries.has(id) ? reading.knownInARow + 1 : 0;
		reading.isJoined ||= reading.knownInARow >= KNOWN_IN_A_ROW;
		reading.rows.set(id, row);
		reading.open.delete(id);
	}
	const times = [...reading.latest, ...rows.flatMap((row) => timeOf(row) ?? [])];
	reading.latest = times.sort((a, b) => b - a).slice(0, KNOWN_IN_A_ROW);
	return rows;
}

/**
 * Whether a row says that nothing new lies behind it. While many open transactions are unread, the list is read on,
 * because one read for each would take too long.
 */
function isSettled(
	{ before, entries, open, rows, shape, ...reading }: Reading,
	item: Item,
	isBehind: boolean,
): boolean {
	const time = timeOf(item);
	if (time !== undefined && time >= newestOf(reading.latest) - reading.lateMs) return false;
	if (!before) return time !== undefined && shape.order === 'newest_first' && rows.size >= BASELINE_ITEMS_MAX;
	const { unread } = before;
	if (isBehind && unread && !(time !== undefined && time <= (unread.until ?? Number.NEGATIVE_INFINITY))) return false;
	const known = entries.get(idOf(item) ?? '');
	const isOld = known ? known[1] === statusOf(item) : isForgotten(item, before);
	return isOld && open.size <= SINGLE_READS_MAX;
}

/** The time back to which everything was read before this look: a row may be late by an hour. */
function placeOf(before: TransactionState | undefined): { until?: number } {
	const newest = newestOf(timesOf(before)) - LATE_MS_MAX;
	const until = Math.max(newest, before?.forgottenUntil ?? newest);
	return Number.isFinite(until) ? { until } : {};
}

const timesOf = (before: TransactionState | undefined): number[] =>
	before?.known.flatMap(([, , createdAt]) => createdAt ?? []) ?? [];

/**
 * How far back a poll reads at least: everything of that time is looked at, known or not. While there are unread rows,
 * each other poll goes on to them at once.
 */
function lateMsOf(before: TransactionState | undefined): number {
	if (before?.unread && before.turn % 2 === 0) return 0;
	const times = timesOf(before);
	const since = newestOf(times) - LATE_MS_MAX;
	const isShort = times.filter((time) => time >= since).length <= FEW_ROWS;
	return !before || isShort || before.turn % POLLS_PER_LONG_ONE === 0 ? LATE_MS_MAX : OVERTAKEN_MS_MAX;
}

/** Reads open transactions that were not in the list, the one that was asked for longest ago first. */
async function readOpen(reading: Reading): Promise<NonNullable<WalletLook['inVain']>> {
	const { open, rows, signal, warn } = reading;
	const inVain: { id: string; isMissing: boolean }[] = [];
	const failed = new Map<string, string>();
	for (const id of [...open].slice(0, SINGLE_READS_MAX)) {
		const read = await readOne(reading, id);
		if (read instanceof ExchangeError) failed.set(id, read.what);
		if (read === undefined || read instanceof ExchangeError) inVain.push({ id, isMissing: read === undefined });
		else rows.set(id, { ...read, id });
		if (failed.size >= SINGLE_FAILURES_MAX || endsAll(read, signal)) break;
	}
	if (failed.size > 0) warn(failedText(failed));
	return inVain;
}

const failedText = (failed: ReadonlyMap<string, string>): string =>
	`Transaction ${fewOf([...failed.keys()])} cannot be read (${[...new Set(failed.values())].join('; ')}): the next polls ask again, and all others are reported`;

/** Whether nothing more is to be asked for in this poll. */
const endsAll = (ended: unknown, signal: AbortSignal | undefined): boolean =>
	signal?.aborted === true || isExchangeError(ended, 'rate_limited');

/**
 * Reads one transaction. Undefined where the service does not know it, which it may for a moment (Interface, part 7); an
 * answer of any other kind is this transaction's, and must not stop those beside it.
 */
async function readOne({ client, signal }: Reading, id: string): Promise<Item | ExchangeError | undefined> {
	try {
		const read = await client.call('transaction.get', { transaction_id: id }, { signal });
		const inner = isItem(read) && isItem(read.transaction) ? read.transaction : read;
		return isItem(inner) ? inner : undefined;
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return ['not_found', 'refused', 'invalid_input'].includes(error.code) ? undefined : error;
	}
}
