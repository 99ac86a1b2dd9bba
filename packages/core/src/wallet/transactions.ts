import { transactionStatuses, type OperationId } from '../catalogue';
import type { Client } from '../client/client';
import { listedValue } from '../client/listed';
import { firstOf, isItem, textOf, type Item } from '../wire/payload';
import { isExchangeError } from '../errors';

/** A transaction that is new, or whose status changed since it was last looked at. */
export interface TransactionEvent {
	/** The same for the same status of the same transaction. */
	eventKey: string;
	change: 'new' | 'status';
	previous_status: string | null;
	/** The status left was one of the final ones, which the service does not announce. */
	unexpected?: true;
	transaction: Item;
}

/** Only these are reported; all are followed. */
export interface TransactionFilters {
	statuses?: readonly string[];
	currencies?: readonly string[];
	/** The rail or the settlement rail. */
	rails?: readonly string[];
}

/** Plain JSON of bounded size, to be stored and handed back unread. */
export interface TransactionState {
	version: 1;
	/** Identity and status, the one touched last at the end. */
	known: [id: string, status: string][];
	/** When the newest of those no longer kept was created: what is older and unknown is not new. */
	forgottenUntil?: number;
	/** Counts the runs, so that single reads take turns. */
	turn: number;
}

/** Final transactions kept. Those that may still change are kept up to the same number. */
const KEPT_MAX = 1_000;
const BASELINE_ITEMS_MAX = 1_000;
const READ_ITEMS_MAX = 20_000;
/** Known ones in a row after which nothing new is expected further back. */
const KNOWN_IN_A_ROW = 50;
const SINGLE_READS_MAX = 20;

type Reader = Pick<Client, 'items' | 'call'>;

/**
 * Reads the wallet's transactions and answers what is new in them. The first run takes everything for old. Nothing is
 * lost when the caller stores the state only after it passed the events on: the next run then finds them again.
 */
export async function pollTransactions(
	client: Reader,
	given: unknown,
	filters: TransactionFilters = {},
	{ signal }: { signal?: AbortSignal } = {},
): Promise<{ events: TransactionEvent[]; state: TransactionState }> {
	const before = readState(given);
	if (!before) await refuseCurrencies(client, filters, signal);
	const known = new Map(before?.known ?? []);
	const found = await readTransactions(client, before, known, signal);
	const events: TransactionEvent[] = [];
	for (const transaction of found) {
		const id = idOf(transaction)!;
		const status = textOf(transaction, 'status') ?? 'unknown';
		const previous = known.get(id);
		// Touched last, so that the ones nobody has seen for longest are forgotten first.
		known.delete(id);
		known.set(id, status);
		if (!before || previous === status || (previous === undefined && isForgotten(transaction, before))) continue;
		if (passes(transaction, filters)) events.push(eventOf(transaction, id, status, previous));
	}
	return { events, state: trimmed(known, found, before) };
}

function eventOf(transaction: Item, id: string, status: string, previous: string | undefined): TransactionEvent {
	return {
		eventKey: `transaction:${id}:${status}`,
		change: previous === undefined ? 'new' : 'status',
		previous_status: previous ?? null,
		...(previous !== undefined && isFinal(previous) ? { unexpected: true } : {}),
		transaction,
	};
}

/** The list from its newest item back to what is known, and one by one what may change and was not in it. Oldest first. */
async function readTransactions(
	client: Reader,
	before: TransactionState | undefined,
	known: ReadonlyMap<string, string>,
	signal?: AbortSignal,
) {
	const found: Item[] = [];
	let knownInARow = 0;
	for await (const item of client.items(
		'transaction.list',
		{},
		{ signal, limit: before ? READ_ITEMS_MAX : BASELINE_ITEMS_MAX },
	)) {
		const id = idOf(item);
		if (id === undefined) continue;
		found.push(item);
		const status = textOf(item, 'status') ?? 'unknown';
		knownInARow = known.get(id) === status ? knownInARow + 1 : 0;
		if (knownInARow >= KNOWN_IN_A_ROW && isNewestFirst(found)) break;
	}
	found.reverse();
	const listed = new Set(found.map(idOf));
	const open = [...known].filter(([id, status]) => !isFinal(status) && !listed.has(id)).map(([id]) => id);
	const first = open.length > SINGLE_READS_MAX ? ((before?.turn ?? 0) * SINGLE_READS_MAX) % open.length : 0;
	for (const id of [...open.slice(first), ...open.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		const read = await readOne(client, id, signal);
		if (read) found.push({ ...read, id });
	}
	return found;
}

/** A transaction may be read before it appears, so one that is not found is simply asked for again. (Interface, part 7.) */
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
	known: Map<string, string>,
	found: readonly Item[],
	before: TransactionState | undefined,
): TransactionState {
	const entries = [...known];
	const final = entries.filter(([, status]) => isFinal(status));
	const open = entries.filter(([, status]) => !isFinal(status));
	const dropped = new Set([...final.slice(0, -KEPT_MAX), ...open.slice(0, -KEPT_MAX)].map(([id]) => id));
	const times = found.filter((item) => dropped.has(idOf(item)!)).flatMap((item) => timeOf(item) ?? []);
	// What the first run did not reach is as old as what it forgot.
	const oldest = !before && found.length >= BASELINE_ITEMS_MAX ? (timeOf(found[0]!) ?? 0) : 0;
	const forgottenUntil = Math.max(before?.forgottenUntil ?? 0, oldest, ...times);
	return {
		version: 1,
		known: entries.filter(([id]) => !dropped.has(id)),
		...(forgottenUntil > 0 ? { forgottenUntil } : {}),
		turn: (before?.turn ?? 0) + 1,
	};
}

/** A transaction in a currency nobody has would be waited for without end. */
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

/** A filter on something the transaction does not tell lets it pass. */
function among(allowed: readonly string[] | undefined, values: readonly (string | undefined)[]): boolean {
	const told = values.filter((value) => value !== undefined);
	return !allowed || allowed.length === 0 || told.length === 0 || told.some((value) => allowed.includes(value));
}

function isForgotten(item: Item, { forgottenUntil }: TransactionState): boolean {
	const time = timeOf(item);
	return forgottenUntil !== undefined && time !== undefined && time <= forgottenUntil;
}

function isNewestFirst(found: readonly Item[]): boolean {
	const [first, last] = [timeOf(found[0]!), timeOf(found.at(-1)!)];
	return first === undefined || last === undefined || first >= last;
}

function timeOf(item: Item): number | undefined {
	const time = Date.parse(firstOf(item, ['created_at', 'timestamp', 'date', 'time']) ?? '');
	return Number.isNaN(time) ? undefined : time;
}

const idOf = (item: Item): string | undefined => firstOf(item, ['id', 'transaction_id']);

/** A status never heard of may still change. */
const isFinal = (status: string): boolean =>
	Object.hasOwn(transactionStatuses, status) &&
	transactionStatuses[status as keyof typeof transactionStatuses] === 'final';

function readState(given: unknown): TransactionState | undefined {
	if (!isItem(given) || given.version !== 1 || !Array.isArray(given.known)) return undefined;
	const isEntry = (entry: unknown): entry is [string, string] =>
		Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string';
	return {
		version: 1,
		known: given.known.filter(isEntry),
		forgottenUntil: typeof given.forgottenUntil === 'number' ? given.forgottenUntil : undefined,
		turn: typeof given.turn === 'number' && Number.isSafeInteger(given.turn) ? given.turn : 0,
	};
}
