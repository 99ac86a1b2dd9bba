import type { OperationId } from '../catalogue';
import type { Client } from '../client/contract';
import { listedValue } from '../client/listed';
import { unknownShape } from '../wire/list-shape';
import { createListWalk } from '../wire/list-walk';
import { withPageLength } from '../wire/page-length';
import { isItem, textOf, type Item } from '../wire/payload';
import { isExchangeError } from '../errors';
import {
	afterLook,
	BASELINE_ITEMS_MAX,
	idOf,
	isFinal,
	isForgotten,
	LATE_MS_MAX,
	newestOf,
	readState,
	statusOf,
	timeOf,
	type StatusChange,
	type TransactionState,
} from './transaction-state';

/** A transaction that is new, or whose status changed since the last poll. */
export interface TransactionEvent {
	/** Identical each time the same status of the transaction is reported. */
	eventKey: string;
	/** `new`, or `status` for a changed one. */
	change: 'new' | 'status';
	/** The status of the poll before; null for a new transaction. */
	previous_status: string | null;
	/** The previous status was a final one, after which no change is expected. */
	unexpected?: true;
	/** The transaction as the service sent it. */
	transaction: Item;
}

/** Only transactions that match are reported; all are followed. */
export interface TransactionFilters {
	/** Statuses, such as `completed`. */
	statuses?: readonly string[];
	/** Currencies, such as `NGN`. */
	currencies?: readonly string[];
	/** The rail or the settlement rail. */
	rails?: readonly string[];
}

const READ_ITEMS_MAX = 20_000;
/** Known transactions in a row, after which nothing new is expected further back. */
const KNOWN_IN_A_ROW = 50;
/** How far before the newest transaction every poll reads at least, because rows overtake each other. */
const OVERTAKEN_MS_MAX = 60_000;
/** A poll reads back for as long as a transaction may come late: each one where an hour has few rows, else one in ten. */
const FEW_ROWS = 300;
const POLLS_PER_LONG_ONE = 10;
const SINGLE_READS_MAX = 20;

type Reader = Pick<Client, 'page' | 'call'>;

/** Settings of one poll. */
export interface PollOptions {
	/** Stops the poll. Its state is lost; poll again with the one before. */
	signal?: AbortSignal;
	/** Receives the limits that were reached, as sentences without a final period. */
	warn?(text: string): void;
}

/**
 * Polls the wallet's transactions and returns the new and changed ones. The first poll treats all of them as known.
 * Store the state only after the events were delivered, so that the next poll after a failure finds them again. One poll
 * reads up to 20,000 rows, and says through `warn` when there are more.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a currency the wallet does not have, and the codes of
 * {@link Client.call}. A poll that throws changes nothing.
 *
 * @example
 * const { events, state } = await pollTransactions(client, previousState, { statuses: ['completed'] });
 */
export async function pollTransactions(
	client: Reader,
	stored: unknown,
	filters: TransactionFilters = {},
	{ signal, warn = () => undefined }: PollOptions = {},
): Promise<{ events: TransactionEvent[]; state: TransactionState }> {
	const before = readState(stored);
	if (!before) await refuseCurrencies(client, filters, signal);
	const { changes, state, limits } = afterLook(before, await readTransactions(client, before, { signal, warn }));
	limits.forEach(warn);
	return { events: changes.filter(({ transaction }) => passes(transaction, filters)).map(eventOf), state };
}

/** A status that returns is a new event, so its key counts how often the transaction had it. */
function eventOf({ transaction, id, status, previous, earlier }: StatusChange): TransactionEvent {
	const times = earlier.filter((past) => past === status).length + 1;
	return {
		eventKey: `transaction:${id}:${status}${times > 1 ? `:${times}` : ''}`,
		change: previous === undefined ? 'new' : 'status',
		previous_status: previous ?? null,
		...(previous !== undefined && isFinal(previous) ? { unexpected: true } : {}),
		transaction,
	};
}

/** Reads the list back to known transactions, then one by one the open ones that were not in it. Oldest first. */
async function readTransactions(
	client: Reader,
	before: TransactionState | undefined,
	{ signal, warn }: Required<Pick<PollOptions, 'warn'>> & PollOptions,
): Promise<Item[]> {
	const entries = new Map(before?.known.map((entry) => [entry[0], entry]));
	const unique = new Map<string, Item>();
	const open = new Set([...entries.values()].flatMap(([id, status]) => (isFinal(status) ? [] : [id])));
	const lateMs = lateMsOf(before);
	let latest: number[] = [];
	let newest = newestOf(latest);

	/** While many open transactions are unread, the list is read on, because one read for each would take too long. */
	const isSettled = (item: Item): boolean => {
		const time = timeOf(item);
		if (time !== undefined && time >= newest - lateMs) return false;
		if (!before) return time !== undefined && shape.order === 'newest_first' && unique.size >= BASELINE_ITEMS_MAX;
		const isKnown = entries.get(idOf(item) ?? '')?.[1] === statusOf(item) || isForgotten(item, before);
		return isKnown && open.size <= SINGLE_READS_MAX;
	};

	const shape = unknownShape();
	const page = withPageLength(client.page);
	const walk = createListWalk({
		shape,
		read: async (offset) => {
			const rows = await page('transaction.list', { offset }, { signal });
			for (const row of rows) {
				const id = idOf(row);
				if (id === undefined) continue;
				unique.set(id, row);
				open.delete(id);
			}
			// The few newest suffice to tell the newest that is not dated ahead.
			latest = [...latest, ...rows.flatMap((row) => timeOf(row) ?? [])].sort((a, b) => b - a).slice(0, KNOWN_IN_A_ROW);
			newest = newestOf(latest);
			return rows;
		},
		identityOf: (item) => idOf(item) ?? JSON.stringify(item),
		timeOf,
		isSettled,
		settledInARow: KNOWN_IN_A_ROW,
	});
	while (unique.size < READ_ITEMS_MAX && (await walk.next()));
	if (unique.size >= READ_ITEMS_MAX) warn(LONG_LIST);
	const sorted = [...unique.values()].reverse().sort((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0));
	return [...sorted, ...(await readOpen(client, [...open], before?.turn ?? 0, signal))];
}

const LONG_LIST = `The list of transactions was read for ${READ_ITEMS_MAX} rows and not to its end: later rows are not reported`;

/** How far back a poll reads at least: everything of that time is looked at, known or not. */
function lateMsOf(before: TransactionState | undefined): number {
	const times = before?.known.flatMap(([, , createdAt]) => createdAt ?? []) ?? [];
	const since = newestOf(times) - LATE_MS_MAX;
	const isShort = times.filter((time) => time >= since).length <= FEW_ROWS;
	return before && (isShort || before.turn % POLLS_PER_LONG_ONE === 0) ? LATE_MS_MAX : OVERTAKEN_MS_MAX;
}

async function readOpen(client: Reader, open: string[], turn: number, signal?: AbortSignal): Promise<Item[]> {
	const rows: Item[] = [];
	const first = open.length > SINGLE_READS_MAX ? (turn * SINGLE_READS_MAX) % open.length : 0;
	for (const id of [...open.slice(first), ...open.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		const read = await readOne(client, id, signal);
		if (read) rows.push({ ...read, id });
	}
	return rows;
}

/** A transaction may take a moment to appear, so one that is not found is read again later. (Interface, part 7.) */
async function readOne(client: Reader, id: string, signal?: AbortSignal): Promise<Item | undefined> {
	try {
		const read = await client.call('transaction.get', { transaction_id: id }, { signal });
		const inner = isItem(read) && isItem(read.transaction) ? read.transaction : read;
		return isItem(inner) ? inner : undefined;
	} catch (error) {
		if (
			isExchangeError(error, 'not_found') ||
			isExchangeError(error, 'refused') ||
			isExchangeError(error, 'invalid_input')
		)
			return undefined;
		throw error;
	}
}

/** A filter on a currency that does not exist would never match. */
async function refuseCurrencies(
	client: Reader,
	{ currencies }: TransactionFilters,
	signal?: AbortSignal,
): Promise<void> {
	const read = (id: OperationId) => client.call(id, {}, { signal });
	for (const value of currencies ?? [])
		await listedValue({ operation: 'Wallet Transactions', field: 'currency', picker: 'currency', value }, read);
}

const upper = (word: string): string => word.toUpperCase();

const passes = (item: Item, { statuses, currencies, rails }: TransactionFilters): boolean =>
	among(statuses, [textOf(item, 'status')]) &&
	among(currencies?.map(upper), [textOf(item, 'currency')?.toUpperCase()]) &&
	among(rails, [textOf(item, 'rail'), textOf(item, 'settlement_rail')]);

/** A transaction that does not show the filtered field passes. */
function among(allowed: readonly string[] | undefined, values: readonly (string | undefined)[]): boolean {
	const filled = values.filter((value) => value !== undefined);
	return !allowed || allowed.length === 0 || filled.length === 0 || filled.some((value) => allowed.includes(value));
}
