import { transactionStatuses, type OperationId } from '../catalogue';
import type { Client } from '../client/client';
import { listedValue } from '../client/listed';
import { unknownShape } from '../wire/list-shape';
import { createListWalk } from '../wire/list-walk';
import { withPageLength } from '../wire/page-length';
import { firstOf, instantOf, isItem, textOf, type Item } from '../wire/payload';
import { isExchangeError } from '../errors';

/** A transaction that is new, or whose status changed since the last poll. */
export interface TransactionEvent {
	/** Identical each time the same status of the transaction is reported. */
	eventKey: string;
	change: 'new' | 'status';
	previous_status: string | null;
	/** The previous status was a final one, after which no change is expected. */
	unexpected?: true;
	transaction: Item;
}

/** Only transactions that match are reported; all are followed. */
export interface TransactionFilters {
	statuses?: readonly string[];
	currencies?: readonly string[];
	/** The rail or the settlement rail. */
	rails?: readonly string[];
}

/** Plain JSON of bounded size, to be stored and passed unchanged to the next poll. */
export interface TransactionState {
	version: 1;
	/** Transactions by id, with status, creation time and earlier statuses, sorted by when they were last seen. */
	known: Known[];
	/** Creation time of the newest transaction that is no longer kept: an unknown one that is older is not new. */
	forgottenUntil?: number;
	/** Counts the polls, so that single reads of open transactions take turns. */
	turn: number;
}

type Known = [id: string, status: string, createdAt?: number | null, before?: string[]];

/** How many final transactions are kept; as many of those that may still change are kept, too. */
const KEPT_MAX = 1_000;
/** Without creation times nothing tells old transactions from new ones, so all that are listed are kept. */
const KEPT_TIMELESS_MAX = 20_000;
const BASELINE_ITEMS_MAX = 1_000;
const READ_ITEMS_MAX = 20_000;
/** Known transactions in a row, after which nothing new is expected further back. */
const KNOWN_IN_A_ROW = 50;
/** How far before the newest transaction a poll reads at least, because a list shows some transactions late. */
const LATE_MS_MAX = 60_000;
const SINGLE_READS_MAX = 20;
/** How many earlier statuses of one transaction are kept. */
const STATUSES_MAX = 10;

type Reader = Pick<Client, 'page' | 'call'>;

/**
 * Polls the wallet's transactions and returns the new and changed ones. The first poll treats all of them as known.
 * Store the state only after the events were delivered, so that the next poll after a failure finds them again.
 */
export async function pollTransactions(
	client: Reader,
	given: unknown,
	filters: TransactionFilters = {},
	{ signal }: { signal?: AbortSignal } = {},
): Promise<{ events: TransactionEvent[]; state: TransactionState }> {
	const before = readState(given);
	if (!before) await refuseCurrencies(client, filters, signal);
	const known = new Map(before?.known.map((entry) => [entry[0], entry]));
	const found = await readTransactions(client, before, known, signal);
	const events: TransactionEvent[] = [];
	for (const transaction of found) {
		const id = idOf(transaction)!;
		const status = statusOf(transaction);
		const [, previous, , past = []] = known.get(id) ?? [];
		if (before && previous === undefined && isFinal(status) && isForgotten(transaction, before)) continue;
		const earlier = previous === undefined || previous === status ? past : [...past, previous].slice(-STATUSES_MAX);
		// Moved to the end, so that the ones not seen for longest are evicted first.
		known.delete(id);
		const createdAt = timeOf(transaction) ?? null;
		known.set(id, earlier.length > 0 ? [id, status, createdAt, earlier] : [id, status, createdAt]);
		if (!before || previous === status || (previous === undefined && isForgotten(transaction, before))) continue;
		if (passes(transaction, filters)) events.push(eventOf(transaction, id, status, { previous, earlier }));
	}
	return { events, state: trimmed(known, found, before) };
}

/** A status that returns is a new event, so its key counts how often the transaction had it. */
function eventOf(
	transaction: Item,
	id: string,
	status: string,
	{ previous, earlier }: { previous: string | undefined; earlier: readonly string[] },
): TransactionEvent {
	const times = earlier.filter((one) => one === status).length + 1;
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
	known: ReadonlyMap<string, Known>,
	signal?: AbortSignal,
): Promise<Item[]> {
	const found = new Map<string, Item>();
	const open = new Set([...known.values()].flatMap(([id, status]) => (isFinal(status) ? [] : [id])));
	let newest = Number.NEGATIVE_INFINITY;

	/** While many open transactions are unread, the list is read on, because one read for each would take too long. */
	const isSettled = (item: Item): boolean => {
		const time = timeOf(item);
		if (time === undefined || time >= newest - LATE_MS_MAX) return false;
		if (!before) return shape.order === 'newest_first' && found.size >= BASELINE_ITEMS_MAX;
		const isKnown = known.get(idOf(item) ?? '')?.[1] === statusOf(item) || isForgotten(item, before);
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
				found.set(id, row);
				open.delete(id);
				newest = Math.max(newest, timeOf(row) ?? newest);
			}
			return rows;
		},
		identityOf: (item) => idOf(item) ?? JSON.stringify(item),
		timeOf,
		isSettled,
		settledInARow: KNOWN_IN_A_ROW,
	});
	while (found.size < READ_ITEMS_MAX && (await walk.next()));
	const sorted = [...found.values()].reverse().sort((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0));
	return [...sorted, ...(await readOpen(client, [...open], before?.turn ?? 0, signal))];
}

async function readOpen(client: Reader, open: string[], turn: number, signal?: AbortSignal): Promise<Item[]> {
	const found: Item[] = [];
	const first = open.length > SINGLE_READS_MAX ? (turn * SINGLE_READS_MAX) % open.length : 0;
	for (const id of [...open.slice(first), ...open.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		const read = await readOne(client, id, signal);
		if (read) found.push({ ...read, id });
	}
	return found;
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

function trimmed(
	known: Map<string, Known>,
	found: readonly Item[],
	before: TransactionState | undefined,
): TransactionState {
	const entries = [...known.values()];
	const final = entries.filter(([, status]) => isFinal(status));
	const open = entries.filter(([, status]) => !isFinal(status));
	const times = found.flatMap((item) => timeOf(item) ?? []).sort((a, b) => b - a);
	const keptMax = times.length === 0 ? KEPT_TIMELESS_MAX : KEPT_MAX;
	const dropped = new Set([...final.slice(0, -keptMax), ...open.slice(0, -keptMax)].map(([id]) => id));
	const droppedTimes = entries.flatMap(([id, , createdAt]) => (dropped.has(id) && createdAt ? [createdAt] : []));
	// Transactions older than the last row of the first poll existed before it, so they are not new.
	const oldest = before ? 0 : (times[BASELINE_ITEMS_MAX - 1] ?? 0);
	const forgottenUntil = droppedTimes.reduce(
		(most, time) => Math.max(most, time),
		Math.max(before?.forgottenUntil ?? 0, oldest),
	);
	return {
		version: 1,
		known: entries.filter(([id]) => !dropped.has(id)),
		...(forgottenUntil > 0 ? { forgottenUntil } : {}),
		turn: (before?.turn ?? 0) + 1,
	};
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
	const told = values.filter((value) => value !== undefined);
	return !allowed || allowed.length === 0 || told.length === 0 || told.some((value) => allowed.includes(value));
}

function isForgotten(item: Item, { forgottenUntil }: TransactionState): boolean {
	const time = timeOf(item);
	return forgottenUntil !== undefined && time !== undefined && time <= forgottenUntil;
}

const timeOf = (item: Item): number | undefined =>
	['created_at', 'timestamp', 'date', 'time'].map((name) => instantOf(item[name])).find((time) => time !== undefined);

const statusOf = (item: Item): string => textOf(item, 'status') ?? 'unknown';

const idOf = (item: Item): string | undefined => firstOf(item, ['id', 'transaction_id']);

/** An unknown status may still change. */
const isFinal = (status: string): boolean =>
	Object.hasOwn(transactionStatuses, status) &&
	transactionStatuses[status as keyof typeof transactionStatuses] === 'final';

function readState(given: unknown): TransactionState | undefined {
	if (!isItem(given) || given.version !== 1 || !Array.isArray(given.known)) return undefined;
	const isText = (value: unknown): boolean => typeof value === 'string';
	const isEntry = (entry: unknown): entry is Known =>
		Array.isArray(entry) &&
		isText(entry[0]) &&
		isText(entry[1]) &&
		(entry[2] === undefined || entry[2] === null || typeof entry[2] === 'number') &&
		(entry[3] === undefined || (Array.isArray(entry[3]) && entry[3].every(isText)));
	return {
		version: 1,
		known: given.known.filter(isEntry),
		forgottenUntil: typeof given.forgottenUntil === 'number' ? given.forgottenUntil : undefined,
		turn: typeof given.turn === 'number' && Number.isSafeInteger(given.turn) ? given.turn : 0,
	};
}
