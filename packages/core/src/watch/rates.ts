import { listeners } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { isDecimal, positiveDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { instantOf, isItem, plainWord, type Item } from '../wire/payload';
import { factIn } from '../wire/records';
import { pollLines, type Line, type LineKind, type LineState, type LineEvent, type LineWithDefaults } from './lines';
import type { PollOptions } from './stored-state';

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
export type RateEvent = LineEvent<RateThreshold, Facts>;

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
export const pollRates = (
	client: Pick<UntypedClient, 'call' | 'now'>,
	stored: unknown,
	thresholds: readonly RateThreshold[],
	options: PollOptions = {},
): Promise<{ events: RateEvent[]; state: LineState; learned: boolean }> =>
	pollLines(rateLines, client, { stored, thresholds, options });

export const rateLines: LineKind<RateThreshold, Facts> = {
	value: 'rate',
	form: listeners.rates,
	whose: 'pair_id',
	isPositive: true,
	nameOf: ({ pair_id: pair, field }) => `${plainWord(pair)}:${field}`,
	look: (client, signal) => {
		const tickers = new Map<string, Promise<unknown>>();
		return async (line) => {
			const { pair_id } = line;
			const read = tickers.get(pair_id) ?? client.call('market.ticker', { pair_id }, { signal });
			tickers.set(pair_id, read);
			return lookAt(await read, line);
		};
	},
};

function lookAt(ticker: unknown, line: LineWithDefaults<RateThreshold>) {
	const generatedAt = factIn('ticker', 'timestamp', ticker) ?? null;
	const value = rateIn(ticker, line);
	const shown = value === undefined ? undefined : { value, at: instantOf(generatedAt) };
	return { shown, facts: { ticker: isItem(ticker) ? ticker : {}, generated_at: generatedAt } };
}

/** A price that is never shown would never cross, so it is an error and not passed over. */
function rateIn(ticker: unknown, { pair_id: pair, field }: LineWithDefaults<RateThreshold>): string | undefined {
	const price = factIn('ticker', field, ticker);
	if (price === null) return undefined;
	if (isDecimal(price)) return positiveDecimal(price);
	const { label } = listeners.rates.options.field.named[field];
	throw new ExchangeError('malformed_response', {
		operation: rateLines.form.label,
		what: `The ticker of ${pair} shows no ${label.toLowerCase()}${price === undefined ? '' : ' that is a number'}, so it is not known whether it crossed`,
		advice: 'Look at Get Ticker, and choose a price that it shows; the next poll reads it again',
	});
}
