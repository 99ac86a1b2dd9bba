import { compare, isDecimal, isZero, positiveDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { assertKind, oneOf } from '../given';
import { filledText, instantOf, isItem, listIn, shortText, textOf, type Item } from './payload';

/**
 * Field names that records of undocumented shape may use for each fact, most likely first, in any spelling that
 * `spelling.ts` knows. The records are passed on with all that they show.
 */
export const recordNames = {
	list: {
		total: ['count', 'total', 'total_count', 'total_items', 'total_orders', 'total_results'],
		more: ['has_more', 'has_next', 'has_next_page'],
		next: ['next', 'next_cursor', 'next_page', 'next_offset'],
	},
	ticker: {
		pair_id: ['pair_id', 'pair', 'symbol', 'market'],
		best_bid: ['best_bid', 'bid', 'bid_price', 'best_bid_price', 'highest_bid'],
		best_ask: ['best_ask', 'ask', 'ask_price', 'best_ask_price', 'lowest_ask'],
		last_price: ['last_price', 'last', 'close', 'price'],
		high: ['high', 'high_24h', 'high_price'],
		low: ['low', 'low_24h', 'low_price'],
		volume: ['volume', 'volume_24h', 'base_volume', 'volume_base'],
		timestamp: ['timestamp', 'ts', 'time', 'updated_at', 'generated_at', 'created_at'],
	},
	fill: {
		fill_id: ['fill_id', 'id', 'execution_id', 'trade_id'],
		order_id: ['order_id', 'order'],
		pair_id: ['pair_id', 'pair', 'symbol', 'market'],
		side: ['side'],
		price: ['price', 'fill_price', 'execution_price'],
		quantity: ['quantity', 'filled_quantity', 'fill_quantity', 'size', 'qty', 'amount'],
		created_at: ['created_at', 'executed_at', 'filled_at', 'timestamp', 'ts', 'time'],
	},
	transaction: {
		id: ['id', 'transaction_id', 'public_id'],
		status: ['status', 'state'],
		amount: ['amount', 'value', 'quantity'],
		currency: ['currency', 'currency_code', 'asset'],
		rail: ['rail', 'settlement_rail', 'network', 'type'],
	},
	chain: { chain: ['chain', 'code', 'id', 'network', 'name'], name: ['name', 'display_name', 'label', 'chain'] },
	bank: { bank_code: ['bank_code', 'code', 'id'], bank_name: ['bank_name', 'name', 'label'] },
	depositAccount: {
		account_name: ['account_name', 'name', 'beneficiary_name'],
		account_number: ['account_number', 'number', 'nuban', 'iban'],
		bank_name: ['bank_name', 'bank'],
	},
	confirmation: {
		account_name: [
			'account_name',
			'name',
			'holder',
			'holder_name',
			'account_holder',
			'account_holder_name',
			'beneficiary_name',
			'customer_name',
			'full_name',
		],
		account_number: ['account_number', 'number'],
		bank_code: ['bank_code'],
		bank_name: ['bank_name', 'bank'],
	},
} as const satisfies Record<string, Record<string, readonly string[]>>;

const createdNames = [...recordNames.fill.created_at, 'date'];

/** When a record of any list was created: by the first of the names that holds a time. */
export const createdAtOf = (record: Item): number | undefined =>
	createdNames.map((name) => instantOf(record[name])).find((time) => time !== undefined);

/** A kind of record whose fields may carry several names, such as `recipient`. */
export type RecordKind = keyof typeof recordNames;
/** The facts {@link named} finds in a record of one kind, each as text. */
export type Named<K extends RecordKind> = { [Name in keyof (typeof recordNames)[K]]?: string };

/**
 * Finds the facts of a record whose field names the interface does not show, and returns them under our names. A fact that
 * is missing is left out.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a kind that there is not.
 *
 * @example
 * const { account_number, bank_name } = named('depositAccount', await client.wallet.depositAccount({}));
 */
export function named<K extends RecordKind>(kind: K, data: unknown): Named<K> {
	assertKind(kind, oneOf(...Object.keys(recordNames)), { of: 'The kind of a record', field: 'kind' });
	const names = Object.keys(recordNames[kind]) as (keyof (typeof recordNames)[K] & string)[];
	const fields = names.map((name) => [name, factIn(kind, name, data)]).filter(([, value]) => value);
	return Object.fromEntries(fields) as Named<K>;
}

/**
 * One fact of a record as text: null where the record shows the field and nothing in it, empty for what is no plain
 * value, and undefined where it shows no such field. An empty field is not looked for elsewhere, because what another
 * field or part says, such as the name of the bank or the prices of yesterday, is another fact.
 */
export function factIn<K extends RecordKind>(
	kind: K,
	name: keyof (typeof recordNames)[K] & string,
	data: unknown,
): string | null | undefined {
	const candidates = (recordNames[kind] as Record<string, readonly string[]>)[name]!;
	for (const part of recordAndParts(kind, data)) {
		const shown = candidates.find((candidate) => part[candidate] !== undefined);
		if (shown !== undefined) return isNothing(part[shown]) ? null : (plainValue(part, shown) ?? '');
	}
	return undefined;
}

const isNothing = (value: unknown): boolean =>
	isItem(value) ? 'price' in value && isNothing(value.price) : value === null || value === '';

/** A record and the parts of it that may hold its facts. */
const recordAndParts = (kind: RecordKind, data: unknown): Item[] =>
	isItem(data)
		? [data, ...Object.entries(data).flatMap(([name, part]) => (isItem(part) && !isOther(kind, name) ? [part] : []))]
		: [];

export const isOfBank = (part: string): boolean => /bank(?!.*account)|institution/i.test(part);

/** A part that stands for one fact of the record, such as its bank, has a name and a number of its own. */
const isOther = (kind: RecordKind, part: string): boolean =>
	(kind !== 'bank' && isOfBank(part)) ||
	Object.values<readonly string[]>(recordNames[kind]).some((candidates) => candidates.includes(part));

/** A plain value, or the name, id or price when a record holds it: `bid: { price }`, `bank: { name }`. */
function plainValue(record: Item, name: string): string | undefined {
	const value = record[name];
	if (isItem(value))
		return textOf(value, 'price') ?? textOf(value, 'name') ?? textOf(value, 'id') ?? textOf(value, 'code');
	const text = textOf(record, name);
	return text === '' ? undefined : text;
}

export interface Level {
	price: string;
	quantity: string;
}

/**
 * One side of an order book, best price first, without levels that offer nothing.
 *
 * @throws An {@link ExchangeError}: `malformed_response` for a book, a side or a level that cannot be read, because a book
 * without it would show another price.
 */
export function levelsOf(book: unknown, side: 'bids' | 'asks'): Level[] {
	const better = side === 'bids' ? -1 : 1;
	const shown = Array.isArray(book) ? book : bookIn(book);
	const rows = listIn(isItem(shown) ? (shown[side] ?? []) : shown, side);
	if (rows === undefined)
		throw new ExchangeError('malformed_response', { what: `The ${side} of the order book are no list of levels` });
	return rows.flatMap(levelIn).sort((a, b) => better * compare(a.price, b.price));
}

/** The record with the sides of a book, which may be in others. */
const bookIn = (part: unknown): Item | undefined =>
	!isItem(part) || 'bids' in part || 'asks' in part ? (part as Item) : Object.values(part).map(bookIn).find(isItem);

function levelIn(row: unknown): Level[] {
	const shown = isItem(row) ? row : {};
	const [price, quantity] = [shown.price, shown.quantity].map((value) => positiveDecimal(shortText(value)));
	if (price !== undefined && quantity !== undefined) return [{ price, quantity }];
	const offered = shown.quantity === undefined ? undefined : shortText(shown.quantity || '0');
	if (isDecimal(offered) && isZero(offered)) return [];
	throw new ExchangeError('malformed_response', {
		what: `A level of the order book cannot be read: ${JSON.stringify(row).slice(0, LEVEL_LENGTH_MAX)}`,
	});
}

/** Characters of a level that an error shows. */
const LEVEL_LENGTH_MAX = 80;

/**
 * What an answer says of the list beside its rows, by whatever name: how many orders there are, and whether more follow. A
 * yes or no decides, because some services name a next page behind the last one too.
 */
export function summaryIn(data: unknown): { count: number; hasMore: boolean } {
	const parts = isItem(data) ? [data, ...Object.values(data).filter(isItem)] : [];
	const valuesUnder = (names: readonly string[]): unknown[] =>
		parts.flatMap((part) => names.map((name) => part[name] ?? undefined)).filter((value) => value !== undefined);
	const { total, more, next } = recordNames.list;
	const counts = valuesUnder(total).map((value) => Number(filledText(value)));
	const count = counts.filter(Number.isSafeInteger).reduce((most, each) => Math.max(most, each), 0);
	const said = valuesUnder(more);
	return { count, hasMore: (said.length > 0 ? said : valuesUnder(next)).some((value) => value && value !== 'false') };
}
