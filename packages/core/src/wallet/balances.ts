import type { Client } from '../client/contract';
import { instantOf, isItem, itemsIn, textOf, type Item } from '../wire/payload';
import { add, compare, isDecimal, readDecimal, subtract, withoutZeros } from '../decimal';
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
	/** Identical each time the same crossing is reported, and no other one's. */
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
	/** By currency, part of the balance and amount: on which side the balance is, and its last value. */
	lines: Record<string, { side: 'below' | 'above'; value: string }>;
	/** How many polls learned a side. It never goes back, though lines come and go, so no key comes twice. */
	changes: number;
	/** When the service made the first answer. */
	beganAt?: number;
	/** When the service made the latest answer; an older one changes nothing. */
	answeredAt?: number;
}

const THRESHOLDS_MAX = 100;
/** By how much an answer may be older than the one before. One that is older by more is of a clock that was set back. */
const BEHIND_MS_MAX = 600_000;

/**
 * Reads the balances once and returns the thresholds crossed since the last poll. The first poll finds the sides and
 * reports nothing, unless a threshold says `initial`. Pass the state of the poll before, and store the new one only after
 * the events were handed over; `learned` says whether it holds a side that the one before does not. An answer that is
 * older than the last one changes nothing. (Interface, part 5.)
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a threshold that cannot be right, an unknown currency, one line
 * twice, or more than 100 thresholds; `malformed_response` for a balance that is no amount; the codes of {@link Client.call}.
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
): Promise<{ events: BalanceEvent[]; state: BalanceState; learned: boolean }> {
	const accepted = thresholds.map(acceptThreshold);
	if (accepted.length > THRESHOLDS_MAX) throw invalid('thresholds', `There are more than ${THRESHOLDS_MAX} thresholds`);
	if (new Set(accepted.map(nameOf)).size < accepted.length)
		throw invalid('thresholds', 'One line is watched twice', 'Watch it once, with the direction Both');
	const answer = await readBalances(client, signal);
	const before = readState(stored);
	if (isOlder(answer, before)) return { events: [], state: before, learned: false };
	const state: BalanceState = {
		...{ version: 1, lines: {}, changes: before.changes },
		...(answer.at === undefined ? {} : { beganAt: before.beganAt ?? answer.at, answeredAt: answer.at }),
	};
	const events = accepted.flatMap((threshold) => look(threshold, { answer, before, state }));
	const sides = ({ lines }: BalanceState): string =>
		Object.entries(lines)
			.map(([name, { side }]) => name + side)
			.join();
	if (sides(state) !== sides(before)) state.changes += 1;
	return {
		events: events.filter(({ crossing, threshold: { direction } }) => direction === 'both' || direction === crossing),
		...{ state, learned: state.changes > before.changes },
	};
}

/** Notes in the new state on which side the balance is, and returns the crossing, whichever way. */
function look(
	threshold: Required<Threshold>,
	{ answer, before, state }: { answer: Balances; before: BalanceState; state: BalanceState },
): BalanceEvent[] {
	const { balances, generatedAt } = answer;
	const name = nameOf(threshold);
	const line = before.lines[name];
	const balance = balances.find((item) => sameCurrency(item, threshold));
	if (!balance && !line) refuseCurrency(threshold, balances);
	// A missing balance is not a balance of zero.
	if (!balance && line) state.lines[name] = line;
	if (!balance) return [];
	const value = amountIn(balance, threshold);
	const side = sideOf(value, threshold, line?.side);
	state.lines[name] = { side, value };
	if (line ? line.side === side : !isPast(side, threshold)) return [];
	const eventKey = `balance:${name}:${side}:${state.beganAt ?? 0}:${before.changes + 1}`;
	const facts = { threshold, value, previous_value: line?.value ?? null, balance, generated_at: generatedAt };
	return [{ eventKey, crossing: side, ...(line ? {} : { initial: true }), ...facts }];
}

const isOlder = ({ at }: Balances, { answeredAt }: BalanceState): boolean =>
	at !== undefined && answeredAt !== undefined && at < answeredAt && answeredAt - at <= BEHIND_MS_MAX;

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
		balance: withAmount(balance, threshold.field, value),
		generated_at: generatedAt,
	};
}

/** Total is what is available and what is locked, so in an example two of the three change together. */
function withAmount(balance: Item, field: Threshold['field'] & string, value: string): Item {
	const beside = field === 'total' ? 'available' : 'total';
	const [was, other] = [balance[field], balance[beside]];
	const moved = isDecimal(was) && isDecimal(other) ? { [beside]: add(other, subtract(value, was)) } : {};
	return { ...balance, ...moved, [field]: value };
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
	/** The same in milliseconds. */
	at: number | undefined;
}

async function readBalances(client: Pick<Client, 'call'>, signal: AbortSignal | undefined): Promise<Balances> {
	const read = await client.call('wallet.balances', {}, { signal });
	const generatedAt = (isItem(read) && textOf(read, 'generated_at')) || null;
	return { balances: itemsIn(read, 'balances'), generatedAt, at: instantOf(generatedAt) };
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

/** A line is the same one however it is written, and whatever else is changed of it. */
const nameOf = ({ currency, field, amount }: Required<Threshold>): string =>
	[currency.toUpperCase(), field, withoutZeros(amount)].join(':');

function readState(stored: unknown): BalanceState {
	if (!isItem(stored) || !isItem(stored.lines)) return { version: 1, lines: {}, changes: 0 };
	const lines = Object.entries(stored.lines).filter((entry): entry is [string, BalanceState['lines'][string]] =>
		isLine(entry[1]),
	);
	const { changes, beganAt, answeredAt } = stored;
	return {
		...{ version: 1, lines: Object.fromEntries(lines) },
		changes: Number.isSafeInteger(changes) ? (changes as number) : 0,
		...(typeof beganAt === 'number' ? { beganAt } : {}),
		...(typeof answeredAt === 'number' ? { answeredAt } : {}),
	};
}

const isLine = (line: unknown): boolean =>
	isItem(line) && (line.side === 'below' || line.side === 'above') && isDecimal(line.value);
