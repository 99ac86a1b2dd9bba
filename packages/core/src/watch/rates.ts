import { listeners } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { isDecimal, positiveDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { instantOf, isItem, plainWord, type Item } from '../wire/payload';
import { factIn } from '../wire/records';
import {
	acceptLines,
	crossLines,
	exampleCrossing,
	givenLines,
	lookAtEach,
	openLines,
	type Example,
	type Line,
	type LineKind,
	type LineState,
	type LookedAt,
	type Told,
	type Watched,
} from './lines';
import { acceptPoll, type PollOptions } from './stored-state';

/** A line that the rate of a pair may cross, and which crossings are reported. */
export interface RateThreshold extends Line {
	/** The pair whose rate it is: `USD/NGN`. */
	pair_id: string;
	/** Default `last_price`, at which the latest trade was made. */
	field?: 'last_price' | 'best_bid' | 'best_ask';
}

/** The fields of an event beside those of the crossing. */
type Facts = {
	/** The ticker as the service sent it. Its field names are not shown; `value` is the rate that crossed. */
	ticker: Item;
	/** When the service made the ticker, as it wrote it; null where it does not say so. */
	generated_at: string | null;
};

/** The rate of a pair crossed a line. */
export type RateEvent = Told<Required<RateThreshold>, Facts>;

/**
 * Reads the ticker of each pair once and returns the lines crossed since the last poll, as {@link pollBalances} does
 * for balances. A pair that has no such price now, such as a book without bids, crosses nothing: a missing price, or a
 * price of zero, is not a low one.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a line that cannot be right, one line twice, or more than 100;
 * `malformed_response` where no ticker shows a price. A single one without a price causes a warning instead. Also the
 * codes of {@link Client.call}.
 *
 * @example
 * const high = [{ pair_id: 'USD/NGN', amount: '1650', direction: 'above', hysteresis: '5' } as const];
 * const { events, state } = await pollRates(client, previousState, high);
 */
export async function pollRates(
	client: Pick<UntypedClient, 'call' | 'now'>,
	stored: unknown,
	thresholds: readonly RateThreshold[],
	options: PollOptions = {},
): Promise<{ events: RateEvent[]; state: LineState; learned: boolean }> {
	const { signal, warn, isForm } = acceptPoll(client, options);
	const accepted = acceptLines(givenLines(thresholds, kind).map(withField), kind, isForm);
	const before = openLines(stored, warn);
	const tickers = new Map<string, Promise<Ticker>>();
	const looks = await lookAtEach(
		accepted,
		before,
		async (each) => {
			const { pair_id: pair } = each.line;
			const ticker = tickers.get(pair) ?? readTicker(client, pair, signal);
			tickers.set(pair, ticker);
			return lookAt(await ticker, each);
		},
		warn,
	);
	return crossLines(before, looks, { kind: 'rate', whose: 'pair_id', now: client.now(), warn, isForm });
}

/** What a test of a form shows. The mark `example` and the key tell it from an event. */
export async function exampleOfRate(
	client: Pick<UntypedClient, 'call'>,
	settings: RateThreshold,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<RateEvent & Example> {
	const [accepted] = acceptLines([withField(settings)], kind, true);
	const look = lookAt(await readTicker(client, accepted!.line.pair_id, signal), accepted!);
	return exampleCrossing(look, { kind: 'rate', whose: 'pair_id' });
}

interface Ticker {
	ticker: Item;
	generatedAt: string | null;
	/** When the service made the ticker, in milliseconds. */
	at: number | undefined;
}

async function readTicker(
	client: Pick<UntypedClient, 'call'>,
	pair: string,
	signal: AbortSignal | undefined,
): Promise<Ticker> {
	const read = await client.call('market.ticker', { pair_id: pair }, { signal });
	const generatedAt = factIn('ticker', 'timestamp', read) ?? null;
	return { ticker: isItem(read) ? read : {}, generatedAt, at: instantOf(generatedAt) };
}

type Accepted = Watched<ReturnType<typeof withField>>;

function lookAt({ ticker, generatedAt, at }: Ticker, accepted: Accepted): LookedAt<Accepted['line'], Facts> {
	const value = priceIn(ticker, accepted.line);
	const shown = value === undefined ? undefined : { value, at };
	return { ...accepted, shown, facts: { ticker, generated_at: generatedAt } };
}

/** A price that is never shown would never cross, so it is an error and not passed over. */
function priceIn(ticker: Item, { pair_id: pair, field }: Required<RateThreshold>): string | undefined {
	const price = factIn('ticker', field, ticker);
	if (price === null) return undefined;
	if (isDecimal(price)) return positiveDecimal(price);
	const { label } = listeners.rates.options.field.named[field];
	throw new ExchangeError('malformed_response', {
		operation: kind.form.label,
		what: `The ticker of ${pair} shows no ${label.toLowerCase()}${price === undefined ? '' : ' that is a number'}, so it is not known whether it crossed`,
		advice: 'Look at Get Ticker, and choose a price that it shows; the next poll reads it again',
	});
}

const kind: LineKind<Required<Pick<RateThreshold, 'pair_id' | 'field'>> & Line> = {
	form: listeners.rates,
	whose: 'pair_id',
	isPositive: true,
	choices: ['last_price', 'best_bid', 'best_ask'],
	nameOf: ({ pair_id: pair, field }) => `${plainWord(pair)}:${field}`,
};

const withField = ({ field = 'last_price', ...line }: RateThreshold) => ({ ...line, field });
