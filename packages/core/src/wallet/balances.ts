import type { Client } from '../client/contract';
import { isItem, itemsIn, textOf, type Item } from '../wire/payload';
import { add, compare, isDecimal, readDecimal, subtract } from '../decimal';
import { ExchangeError } from '../errors';
import { listeners, type ListenerField } from '../catalogue';

const { fields, options } = listeners.balances;

/** An amount, and which crossings of it by a balance are reported. */
export interface Threshold {
	/** Currency of the balance: `NGN`. */
	currency: string;
	/** Default `available`, which is what can be spent. */
	field?: 'available' | 'locked' | 'total';
	/** Decimal text. */
	amount: string;
	/** Which crossing is reported. Default `below`. */
	direction?: 'below' | 'above' | 'both';
	/** How far the balance must come back before another crossing counts. Decimal text, default nothing. */
	hysteresis?: string;
	/** Whether a balance that is past the threshold at the first poll is reported too. Default false. */
	initial?: boolean;
}

/** A balance crossed a threshold. */
export interface BalanceEvent {
	/** Identical each time the same crossing is reported. */
	eventKey: string;
	/** The side the balance is on now. */
	crossing: 'below' | 'above';
	/** The balance did not cross: it was past the threshold at the first poll. */
	initial?: true;
	/** The threshold that was crossed. */
	threshold: Threshold;
	/** The value that crossed, as the service wrote it. */
	value: string;
	/** The value at the poll before; null at the first. */
	previous_value: string | null;
	/** The balance as the service sent it. */
	balance: Item;
	/** When the service made the answer, as it wrote it. */
	generated_at: string | null;
}

/** Plain JSON of bounded size, to be stored and passed unchanged to the next poll. */
export interface BalanceState {
	/** Version of this shape. */
	version: 1;
	/** By threshold: on which side the balance is, how often it crossed, its last value. */
	lines: Record<string, { side: 'below' | 'above'; crossings: number; value: string }>;
}

const THRESHOLDS_MAX = 100;

/**
 * Reads the balances once and returns the thresholds crossed since the last poll. The first poll finds the sides and
 * reports nothing, unless a threshold says `initial`. Pass the state of the poll before, and store the new one only after
 * the events were handed over. (Interface, part 5.)
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a threshold that cannot be right, an unknown currency, or more than 100
 * thresholds; `malformed_response` for a balance that is no amount; the codes of {@link Client.call}.
 *
 * @example
 * const low = [{ currency: 'NGN', amount: '100000', hysteresis: '5000' }];
 * const { events, state } = await pollBalances(client, previousState, low);
 */
export async function pollBalances(
	client: Pick<Client, 'call'>,
	stored: unknown,
	thresholds: readonly Threshold[],
	{ signal }: { signal?: AbortSignal } = {},
): Promise<{ events: BalanceEvent[]; state: BalanceState }> {
	const accepted = thresholds.map(acceptThreshold);
	if (accepted.length > THRESHOLDS_MAX) throw invalid('thresholds', `There are more than ${THRESHOLDS_MAX} thresholds`);
	const { balances, generatedAt } = await readBalances(client, signal);
	const before = readLines(stored);
	const lines: BalanceState['lines'] = {};
	const events: BalanceEvent[] = [];
	for (const threshold of accepted) {
		const name = nameOf(threshold);
		const line = before[name];
		const balance = balances.find((item) => sameCurrency(item, threshold));
		if (!balance && !line) refuseCurrency(threshold, balances);
		// A missing balance is not a balance of zero.
		if (!balance) {
			if (line) lines[name] = line;
			continue;
		}
		const value = amountIn(balance, threshold);
		const side = sideOf(value, threshold, line?.side);
		const crossed = line === undefined ? isPast(side, threshold) : line.side !== side;
		const crossings = (line?.crossings ?? 0) + (crossed ? 1 : 0);
		lines[name] = { side, crossings, value };
		if (!crossed || (threshold.direction !== 'both' && threshold.direction !== side)) continue;
		const eventKey = `balance:${name}:${side}:${crossings}`;
		const facts = { threshold, value, previous_value: line?.value ?? null, balance, generated_at: generatedAt };
		events.push({ eventKey, crossing: side, ...(line ? {} : { initial: true }), ...facts });
	}
	return { events, state: { version: 1, lines } };
}

/**
 * What a test of a form shows: the crossing that the threshold asks for, with the balance as it is where it is past the
 * line, and with an amount just past the line where it is not. The mark `example` and the key tell it from an event.
 */
export async function exampleCrossing(
	client: Pick<Client, 'call'>,
	settings: Threshold,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<BalanceEvent & { example: true }> {
	const threshold = acceptThreshold(settings);
	const { balances, generatedAt } = await readBalances(client, signal);
	const balance = balances.find((item) => sameCurrency(item, threshold));
	if (!balance) {
		refuseCurrency(threshold, balances);
		throw new ExchangeError('not_found', {
			what: `The wallet has no balance in ${threshold.currency}`,
			advice: 'Make one, for example with Simulate Fiat Deposit, or choose another currency, and test again',
		});
	}
	const amount = amountIn(balance, threshold);
	const side = sideOf(amount, threshold, undefined);
	const crossing = threshold.direction === 'both' ? side : threshold.direction;
	const value = side === crossing ? amount : justPast(threshold.amount, crossing);
	return {
		example: true,
		eventKey: `example:${nameOf(threshold)}:${crossing}`,
		...{ crossing, threshold, value, previous_value: side === crossing ? threshold.amount : amount },
		balance: { ...balance, [threshold.field]: value },
		generated_at: generatedAt,
	};
}

/** The amount plus or minus one unit of its last digit. */
function justPast(amount: string, crossing: 'below' | 'above'): string {
	const [, fraction = ''] = amount.split('.');
	const unit = fraction === '' ? '1' : `0.${'1'.padStart(fraction.length, '0')}`;
	return crossing === 'below' ? subtract(amount, unit) : add(amount, unit);
}

interface Balances {
	balances: Item[];
	generatedAt: string | null;
}

async function readBalances(client: Pick<Client, 'call'>, signal: AbortSignal | undefined): Promise<Balances> {
	const read = await client.call('wallet.balances', {}, { signal });
	return {
		balances: itemsIn(read, 'balances'),
		generatedAt: (isItem(read) && textOf(read, 'generated_at')) || null,
	};
}

const sameCurrency = (balance: Item, { currency }: Threshold): boolean =>
	textOf(balance, 'currency')?.toUpperCase() === currency.toUpperCase();

/** A balance that is no amount would never cross, so it is an error and not passed over. */
function amountIn(balance: Item, { currency, field }: Required<Threshold>): string {
	const value = textOf(balance, field);
	if (isDecimal(value)) return value;
	throw new ExchangeError('malformed_response', {
		operation: 'Balance Threshold',
		what: `The ${field} of the balance in ${currency} is no amount, so it is not known whether it crossed`,
		advice: 'Look at Get Balances; the next poll reads it again',
	});
}

/**
 * A threshold on a currency the wallet does not have would never be crossed, so it is refused. An empty list of
 * balances does not prove that the wallet lacks it.
 */
function refuseCurrency({ currency }: Threshold, balances: readonly Item[]): void {
	const offered = balances.flatMap((balance) => textOf(balance, 'currency') ?? []);
	if (offered.length === 0) return;
	throw invalid('currency', `The wallet has no balance in ${currency}`, `Choose one of ${offered.join(', ')}`);
}

/** With the direction `both` either side would be past the threshold, so `initial` needs a single direction. */
const isPast = (side: 'below' | 'above', { direction, initial }: Required<Threshold>): boolean =>
	initial && side === direction;

/** A balance crosses at the amount, and crosses back further away, by the hysteresis. */
function sideOf(
	value: string,
	{ amount, direction, hysteresis }: Required<Threshold>,
	side: 'below' | 'above' | undefined,
): 'below' | 'above' {
	if (direction === 'above') {
		if (compare(value, amount) > 0) return 'above';
		return side === 'above' && compare(value, subtract(amount, hysteresis)) > 0 ? 'above' : 'below';
	}
	if (compare(value, amount) < 0) return 'below';
	return side === 'below' && compare(value, add(amount, hysteresis)) < 0 ? 'below' : 'above';
}

function acceptThreshold({
	currency,
	field = 'available',
	amount,
	direction = 'below',
	hysteresis = '0',
	initial = false,
}: Threshold): Required<Threshold> {
	if (typeof currency !== 'string' || currency.trim() === '')
		throw invalid(
			'currency',
			`${fields.currency.label} is missing`,
			`Enter a currency such as ${fields.currency.example}`,
		);
	return {
		...{ currency: currency.trim(), field, direction, initial },
		amount: acceptAmount('amount', fields.threshold, amount),
		hysteresis: acceptAmount('hysteresis', options.hysteresis, hysteresis === '' ? '0' : hysteresis),
	};
}

/** In an error an amount is called as forms call it. */
function acceptAmount(name: string, { label, example }: ListenerField, value: string): string {
	const read = readDecimal(value);
	if ('reason' in read) throw invalid(name, `${label} ${read.reason}`, `Enter an amount such as ${example}`);
	return read.text;
}

const invalid = (field: string, what: string, advice?: string): ExchangeError =>
	new ExchangeError('invalid_input', { operation: 'Balance Threshold', field, what, ...(advice ? { advice } : {}) });

const nameOf = ({ currency, field, amount, direction, hysteresis }: Required<Threshold>): string =>
	[currency, field, amount, direction, hysteresis].join(':');

function readLines(stored: unknown): BalanceState['lines'] {
	if (!isItem(stored) || !isItem(stored.lines)) return {};
	const isLine = (line: unknown): line is BalanceState['lines'][string] =>
		isItem(line) &&
		(line.side === 'below' || line.side === 'above') &&
		Number.isSafeInteger(line.crossings) &&
		isDecimal(line.value);
	return Object.fromEntries(
		Object.entries(stored.lines).filter((entry): entry is [string, BalanceState['lines'][string]] => isLine(entry[1])),
	);
}
