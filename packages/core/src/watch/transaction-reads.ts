/** One look at the transactions of a wallet: the list, back to what is known, then the open ones that were not in it. */
import { operationOf, transactionFinality, transactionStatuses } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { ExchangeError, isExchangeError } from '../errors';
import { unknownShape, type ListShape } from '../wire/list-shape';
import { createListWalk } from '../wire/list-walk';
import { withPageLength } from '../wire/page-length';
import { identityOf, isItem, transactionIn, type Item } from '../wire/payload';
import { createdAtOf } from '../wire/records';
import {
	BASELINE_ITEMS_MAX,
	idOf,
	isAwaited,
	isForgotten,
	LATE_MS_MAX,
	fewOf,
	transactionStatus,
	type WalletReading,
	type TransactionState,
} from './transaction-log';

const transactions = operationOf('transaction.list');

export type WalletReader = Pick<UntypedClient, 'page' | 'call' | 'now'>;

/** A poll reads this many rows, because a list may have no end. Rows beyond are not reported, and a warning says so. */
const READ_ITEMS_MAX = 20_000;
/** Known transactions in a row, after which nothing new is expected further back. */
const KNOWN_IN_A_ROW = 50;
/** A page that failed for a moment is asked for again so often, as its answer says when. */
const PAGE_RETRIES = 4;
/** A poll asks for this many open transactions one by one, to spare the service. The next poll asks for the others. */
const SINGLE_READS_MAX = 20;
/** Failed reads of single transactions after which a poll asks for no more; the next poll asks for others first. */
const SINGLE_FAILURES_MAX = 3;

interface LookOptions {
	signal: AbortSignal | undefined;
	warn(text: string): void;
}

/** What was read so far in one look. */
interface Reading extends LookOptions {
	client: WalletReader;
	page: ReturnType<typeof withPageLength<{ signal: AbortSignal | undefined; retries: number }>>;
	before: TransactionState | undefined;
	/** What is known, and of it what may still change and was not read. */
	entries: ReadonlyMap<string, TransactionState['known'][number]>;
	open: Set<string>;
	rows: Map<string, Item>;
	shape: ListShape;
	/** The newest time of a row, or now where one is dated ahead. */
	newest: number;
	/** A row showed no id, by which alone a transaction can be followed. (Interface, part 2.) */
	isNameless: boolean;
}

/** Throws where the list cannot be read, so that the next poll reads it from where this one began. */
export async function readTransactions(
	client: WalletReader,
	before: TransactionState | undefined,
	options: LookOptions,
): Promise<WalletReading> {
	const beganAt = client.now();
	const reading: Reading = {
		client,
		before,
		entries: new Map(before?.known.map((entry) => [entry[0], entry])),
		...options,
		page: withPageLength(client.page),
		rows: new Map(),
		shape: unknownShape(),
		open: new Set(before?.known.filter(isAwaited).map(([id]) => id)),
		newest: Number.NEGATIVE_INFINITY,
		isNameless: false,
	};
	const isWhole = await walkList(reading);
	// A first look that did not read the whole list asks for what may still change behind it, to tell its end.
	const isCut = !before && !isWhole && reading.rows.size < READ_ITEMS_MAX;
	const open = isCut ? Object.keys(transactionStatuses) : [];
	for (const status of open.filter((each) => transactionFinality(each) === 'open')) await walkOpen(reading, status);
	const inVain = await readOpen(reading);
	if (reading.isNameless)
		options.warn('A transaction in the list shows no id: it cannot be followed, and is not reported');
	const rows = [...reading.rows.values()].reverse().sort((a, b) => (createdAtOf(a) ?? 0) - (createdAtOf(b) ?? 0));
	// Before the first reply the service's time is only guessed. What is created while a first look is under way is new.
	return { rows, inVain, now: Math.min(beganAt, client.now()) };
}

/** Reads the open transactions behind a first look, which a service may not be able to list by themselves. */
async function walkOpen(reading: Reading, status: string): Promise<void> {
	try {
		await walkList(reading, status);
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		reading.warn(`The end of old ${status} transactions may not be reported: ${error.what}`);
	}
}

/**
 * Walks over the list, or over the one of a status, until what follows is known, or to the most that one poll reads.
 * Returns whether it was read whole.
 */
async function walkList(reading: Reading, status?: string): Promise<boolean> {
	const { page, rows, signal, shape, warn } = reading;
	const walk = createListWalk({
		shape: status === undefined ? shape : unknownShape(),
		read: async (offset) => {
			const context = { signal, retries: PAGE_RETRIES };
			const read = await page('transaction.list', { offset, ...(status && { status }) }, context);
			if (status !== undefined && read.some((row) => transactionStatus(row) !== status)) throw isUnfiltered();
			return note(reading, read);
		},
		identityOf: (item) => identityOf(item, transactions),
		timeOf: createdAtOf,
		settledInARow: KNOWN_IN_A_ROW,
		isToTheEnd: status !== undefined,
		isSettled: (item) => isSettled(reading, item),
	});
	const end = (why: string): void => warn(`The list of transactions was not read to its end: ${why}`);
	try {
		while (rows.size < READ_ITEMS_MAX && (await walk.next()));
		if (rows.size >= READ_ITEMS_MAX) end(`one poll reads ${READ_ITEMS_MAX} rows, and the rest is not reported`);
		return walk.isWhole();
	} catch (error) {
		// A service may not let anybody read so far back, which is then the end of the list for good.
		if (rows.size === 0 || !isExchangeError(error, 'refused')) throw error;
		end(`${error.what}, and the rest counts as old`);
		return false;
	}
}

const isUnfiltered = (): ExchangeError =>
	new ExchangeError('not_available', { what: 'The service does not filter transactions by status' });

/** Takes the rows of a page, and returns them. */
function note(reading: Reading, rows: Item[]): Item[] {
	const now = reading.client.now();
	for (const row of rows) {
		const id = idOf(row);
		reading.isNameless ||= id === undefined;
		if (id === undefined) continue;
		reading.rows.set(id, row);
		reading.open.delete(id);
		reading.newest = Math.max(reading.newest, Math.min(createdAtOf(row) ?? reading.newest, now));
	}
	return rows;
}

/**
 * Whether a row says that nothing new lies behind it. While many open transactions are unread, the list is read on,
 * because one read for each would take too long.
 */
function isSettled({ before, entries, open, rows, shape, newest }: Reading, item: Item): boolean {
	const time = createdAtOf(item);
	if (time !== undefined && time >= newest - LATE_MS_MAX) return false;
	if (!before) return time !== undefined && shape.order === 'newest_first' && rows.size >= BASELINE_ITEMS_MAX;
	const known = entries.get(idOf(item) ?? '');
	const isOld = known ? known[1] === transactionStatus(item) : isForgotten(item, before);
	return isOld && open.size <= SINGLE_READS_MAX;
}

/** Reads open transactions that were not in the list, the one that was asked for longest ago first. */
async function readOpen(reading: Reading): Promise<WalletReading['inVain']> {
	const { open, rows, signal, warn } = reading;
	const inVain: { id: string; isMissing: boolean }[] = [];
	const failed = new Map<string, string>();
	for (const id of [...open].slice(0, SINGLE_READS_MAX)) {
		const read = await readOne(reading, id);
		if (read instanceof ExchangeError) failed.set(id, read.what);
		if (read === undefined || read instanceof ExchangeError) inVain.push({ id, isMissing: read === undefined });
		else rows.set(id, { ...read, id });
		const isOver = signal?.aborted === true || isExchangeError(read, 'rate_limited');
		if (failed.size >= SINGLE_FAILURES_MAX || isOver) break;
	}
	if (failed.size > 0) warn(failedText(failed));
	return inVain;
}

const failedText = (failed: ReadonlyMap<string, string>): string =>
	`Transaction ${fewOf([...failed.keys()])} cannot be read (${[...new Set(failed.values())].join('; ')}): the next polls ask again, and all others are reported`;

/**
 * Reads one transaction. Undefined where the service does not know it, which it may for a moment (Interface, part 7); an
 * answer of any other kind is this transaction's, and must not stop those beside it.
 */
async function readOne({ client, signal }: Reading, id: string): Promise<Item | ExchangeError | undefined> {
	try {
		const read = await client.call('transaction.get', { transaction_id: id }, { signal });
		return isItem(read) ? transactionIn(read) : undefined;
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return ['not_found', 'refused', 'invalid_input'].includes(error.code) ? undefined : error;
	}
}
