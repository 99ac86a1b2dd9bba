import { listeners } from '../catalogue';
import type { Client } from '../client/contract';
import { compare, isDecimal, isZero, positiveDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { instantOf, isItem, plainWord, type Item } from '../wire/payload';
import { factIn } from '../wire/records';
import {
	acceptLines,
	crossLines,
	exampleCrossing,
	readLines,
	type Crossing,
	type Line,
	type LineKind,
	type LineState,
	type LookedAt,
} from './lines';

const { fields, options } = listeners.rates;

/** A rate, and which crossings of it by the rate of a pair are told. */
export interface RateThreshold extends Line {
	/** The pair whose rate it is: `USD/NGN`. */
	pair_id: string;
	/** Default `last_price`, at which the latest trade was made. */
	field?: 'last_price' | 'best_bid' | 'best_ask';
}

/** The rate of a pair crossed a line. */
export interface RateEvent extends Crossing {
	/** The threshold that was crossed. */
	threshold: Required<RateThreshold>;
	/** The ticker as the service sent it. Its field names are not shown; `value` is the rate that crossed. */
	ticker: Item;
	/** When the service made the ticker, as it wrote it; null where it does not say so. */
	generated_at: string | null;
}

/**
 * Reads the ticker of each pair once and returns the lines crossed since the last poll, as {@link pollBalances} does for
 * balances. A pair that has no such price now, such as a book without bids, crosses nothing: no price, and a price of
 * nought, is not a low one.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a line that cannot be right, one line twice, or more than 100;
 * `malformed_response` for a ticker that does not show the price, or shows one that is no price; the codes of
 * {@link Client.call}.
 *
 * @example
 * const high = [{ pair_id: 'USD/NGN', amount: '1650', direction: 'above', hysteresis: '5' } as const];
 * const { events, state } = await pollRates(client, previousState, high);
 */
export async function pollRates(
	client: Pick<Client, 'call' | 'serviceTime'>,
	stored: unknown,
	thresholds: readonly RateThreshold[],
	{ signal }: { signal?: AbortSignal } = {},
): Promise<{ events: RateEvent[]; state: LineState; learned: boolean }> {
	const accepted = acceptLines(thresholds.map(acceptThreshold), kind);
	const tickers = await readTickers(client, new Set(accepted.map(({ line }) => line.pair_id)), signal);
	const looks = accepted.map((each) => lookAt(tickers.get(each.line.pair_id)!, each));
	const [first] = tickers.values();
	const { told, ...polled } = crossLines(readLines(stored), looks, {
		...{ kind: 'rate', now: first?.at ?? client.serviceTime() },
	});
	return { events: told.map(({ look, crossing }) => eventOf(look, crossing)), ...polled };
}

/** What a test of a form shows. The mark `example` and the key tell it from an event. */
export async function exampleOfRate(
	client: Pick<Client, 'call'>,
	settings: RateThreshold,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<RateEvent & { example: true }> {
	const [accepted] = acceptLines([acceptThreshold(settings)], kind);
	const { pair_id: pair } = accepted!.line;
	const look = lookAt((await readTickers(client, new Set([pair]), signal)).get(pair)!, accepted!);
	return eventOf(look, exampleCrossing(look));
}

interface Ticker {
	ticker: Item;
	generatedAt: string | null;
	/** The same in milliseconds. */
	at: number | undefined;
}

async function readTickers(
	client: Pick<Client, 'call'>,
	pairs: ReadonlySet<string>,
	signal: AbortSignal | undefined,
): Promise<Map<string, Ticker>> {
	const tickers = new Map<string, Ticker>();
	for (const pair of pairs) {
		const read = await client.call('market.ticker', { pair_id: pair }, { signal });
		const generatedAt = factIn('ticker', 'timestamp', read) ?? null;
		tickers.set(pair, { ticker: isItem(read) ? read : {}, generatedAt, at: instantOf(generatedAt) });
	}
	return tickers;
}

type Look = LookedAt<Required<RateThreshold>> & Ticker;

function lookAt(read: Ticker, accepted: LookedAt<Required<RateThreshold>>): Look {
	const value = priceIn(read.ticker, accepted.line);
	return { ...accepted, ...read, shown: value === undefined ? undefined : { value, at: read.at } };
}

const eventOf = <C extends Crossing>({ line, ticker, generatedAt }: Look, crossing: C) => ({
	...crossing,
	...{ threshold: line, ticker, generated_at: generatedAt },
});

/** A price that is never shown would never cross, so it is an error and not passed over. */
function priceIn(ticker: Item, { pair_id: pair, field }: Required<RateThreshold>): string | undefined {
	const price = factIn('ticker', field, ticker);
	if (price === null) return undefined;
	if (isDecimal(price)) return positiveDecimal(price);
	const { label } = options.field.named[field];
	throw new ExchangeError('malformed_response', {
		operation: kind.operation,
		what: `The ticker of ${pair} shows no ${label.toLowerCase()}${price === undefined ? '' : ' that is a number'}, so it is not known whether it crossed`,
		advice: 'Look at Get Ticker, and choose a price that it shows; the next poll reads it again',
	});
}

const kind: LineKind<Required<Pick<RateThreshold, 'pair_id' | 'field'>> & Line> = {
	operation: 'Rate Threshold',
	fields: { amount: fields.threshold, hysteresis: options.hysteresis },
	/** A line is the same one however it is written, and whatever else is changed of it. */
	nameOf: ({ pair_id: pair, field }) => `${plainWord(pair)}:${field}`,
};

function acceptThreshold({ pair_id: pair, field = 'last_price', ...line }: RateThreshold) {
	if (typeof pair !== 'string' || pair.trim() === '')
		throw invalid('pair_id', `${fields.pair_id.label} is missing`, `Enter a pair such as ${fields.pair_id.example}`);
	if (isDecimal(line.amount) && isZero(line.amount))
		throw invalid('amount', `${fields.threshold.label} is nought, which no rate crosses`, 'Enter a rate above nought');
	// A rate never comes back to nought or below it, so after one crossing no other would count.
	const [margin, from] = [line.hysteresis, line.direction === 'above' ? line.amount : undefined];
	if (isDecimal(margin) && isDecimal(from) && compare(margin, from) >= 0)
		throw invalid(
			'hysteresis',
			`${options.hysteresis.label} is not smaller than ${fields.threshold.label}, so only one crossing would ever count`,
			`Enter a margin such as ${options.hysteresis.example}`,
		);
	return { ...line, pair_id: pair.trim(), field };
}

const invalid = (field: string, what: string, advice: string): ExchangeError =>
	new ExchangeError('invalid_input', { operation: kind.operation, field, what, advice });
