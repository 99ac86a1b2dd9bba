import { statusMeant, type OperationId } from '../catalogue';
import { listedValue } from '../client/listed';
import { assertGiven, texts } from '../given';
import { statusOf, textOf, type Item } from '../wire/payload';
import { acceptPoll, openState, type PollOptions } from './stored-state';
import { changesSince, isFinal, isTransactionState, type StatusChange, type TransactionState } from './transaction-log';
import { readTransactions, type WalletReader } from './transaction-reads';

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

/**
 * Polls the wallet's transactions and returns the new and changed ones. The first poll treats all of them as known.
 * Store the state only after the events were delivered, so that the next poll after a failure finds them again;
 * `learned` says whether it holds more than the one before, reported or not. A transaction that cannot be read by
 * itself stops no other one. It is said through `warn`, as is a list of more than the 20,000 rows that one poll reads.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a currency the wallet does not have or a damaged state, and the codes of
 * {@link Client.call}. A poll that throws changes nothing.
 *
 * @example
 * const { events, state } = await pollTransactions(client, previousState, { statuses: ['completed'] });
 */
export async function pollTransactions(
	client: WalletReader,
	stored: unknown,
	filters: TransactionFilters = {},
	options: PollOptions = {},
): Promise<{ events: TransactionEvent[]; state: TransactionState; learned: boolean }> {
	const { signal, warn } = acceptPoll(client, options);
	assertGiven(filters, { statuses: texts, currencies: texts, rails: texts }, { of: 'A filter of transactions' });
	const before = openState<TransactionState>(stored, isTransactionState, warn);
	if (!before) await refuseCurrencies(client, filters, signal);
	const { changes, notes, ...looked } = changesSince(before, await readTransactions(client, before, { signal, warn }));
	notes.forEach(warn);
	return { events: changes.filter(({ transaction }) => passesForm(transaction, filters)).map(eventOf), ...looked };
}

/**
 * A status that returns is a new event, so its key says when it did. So is a transaction that is given the id of a
 * forgotten one.
 */
function eventOf({ transaction, id, createdAt, status, previous, returnedAt }: StatusChange): TransactionEvent {
	const again = returnedAt === undefined ? '' : `:${returnedAt}`;
	return {
		eventKey: `transaction:${withoutColon(id)}:${withoutColon(status)}:${createdAt ?? ''}${again}`,
		change: previous === undefined ? 'new' : 'status',
		previous_status: previous ?? null,
		...(previous !== undefined && isFinal(previous) ? { unexpected: true } : {}),
		transaction,
	};
}

/** So that no two ids and statuses make the same text. */
const withoutColon = (text: string): string => text.replace(/[%:]/g, encodeURIComponent);

/** A filter on a currency that does not exist would never match. */
async function refuseCurrencies(
	client: WalletReader,
	{ currencies }: TransactionFilters,
	signal?: AbortSignal,
): Promise<void> {
	const read = (id: OperationId) => client.call(id, {}, { signal });
	for (const value of currencies ?? [])
		await listedValue({ operation: 'Wallet Transactions', field: 'currency', picker: 'currency', value }, read);
}

const passesForm = (item: Item, { statuses, currencies, rails }: TransactionFilters): boolean =>
	among(statuses?.map(statusMeant), { status: statusOf(item) }, ['status']) &&
	among(currencies, item, ['currency']) &&
	among(rails, item, ['rail', 'settlement_rail']);

/** Whether a field has one of these values, however its letters are written. A record without the field passes. */
function among(allowed: readonly string[] | undefined, item: Item, names: readonly string[]): boolean {
	const words = names.flatMap((name) => textOf(item, name) ?? []).map(plain);
	return (
		!allowed || allowed.length === 0 || words.length === 0 || allowed.some((value) => words.includes(plain(value)))
	);
}

const plain = (word: string): string => word.trim().toLowerCase();
