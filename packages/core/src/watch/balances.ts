import { listeners } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { add, isDecimal, subtract } from '../decimal';
import { ExchangeError } from '../errors';
import { instantOf, isItem, itemsIn, textOf, type Item } from '../wire/payload';
import {
	exampleOfLine,
	invalidLine,
	pollLines,
	type Example,
	type Line,
	type LineKind,
	type LineState,
	type LineEvent,
	type LineWithDefaults,
} from './lines';
import type { PollOptions } from './stored-state';

/** An amount, and which crossings of it by a balance are reported. */
export interface Threshold extends Line {
	/** Currency of the balance: `NGN`. */
	currency: string;
	/** Default `available`, which is what can be spent. */
	field?: 'available' | 'locked' | 'total';
}

/** The fields of an event beside those of the crossing. */
type Facts = {
	/** The balance as the service sent it. */
	balance: Item;
	/** When the service made the answer, as it wrote it. */
	generated_at: string | null;
};

/** A balance crossed a threshold. */
export type BalanceEvent = LineEvent<Threshold, Facts>;

/**
 * Reads the balances once and returns the thresholds crossed since the last poll. The first poll finds the sides and
 * reports nothing, unless a threshold says `initial`. Pass the state of the poll before, and store the new one only after
 * the events were handed over; `learned` says whether it holds a side that the one before does not. An answer that is
 * older than the last one changes nothing. (Interface, part 5.)
 *
 * @throws An {@link ExchangeError}: `invalid_input` for a threshold that cannot be right, an unknown currency, one line
 * twice, more than 100 thresholds, or a damaged state; `malformed_response` where no balance is an amount. A single one
 * among others causes a warning instead. Also the codes of {@link Client.call}.
 *
 * @example
 * const low = [{ currency: 'NGN', amount: '100000', hysteresis: '5000' }];
 * const { events, state } = await pollBalances(client, previousState, low);
 */
export const pollBalances = (
	client: Pick<UntypedClient, 'call' | 'now'>,
	stored: unknown,
	thresholds: readonly Threshold[],
	options: PollOptions = {},
): Promise<{ events: BalanceEvent[]; state: LineState; learned: boolean }> =>
	pollLines(kind, client, { stored, thresholds, options });

/** What a test of a form shows. The mark `example` and the key tell it from an event. */
export async function exampleOfBalance(
	client: Pick<UntypedClient, 'call'>,
	settings: Threshold,
): Promise<BalanceEvent & Example> {
	const example = await exampleOfLine(kind, client, settings);
	return { ...example, balance: withAmount(example.balance, example.threshold.field, example.value) };
}

/** Total is what is available and what is locked, so in an example two of the three change together. */
function withAmount(balance: Item, field: Threshold['field'] & string, value: string): Item {
	const beside = field === 'total' ? 'available' : 'total';
	const [was, other] = [balance[field], balance[beside]];
	if (!isDecimal(was) || !isDecimal(other)) return { ...balance, [field]: value };
	return { ...balance, [beside]: add(other, subtract(value, was)), [field]: value };
}

const kind: LineKind<Threshold, Facts> = {
	value: 'balance',
	form: listeners.balances,
	whose: 'currency',
	nameOf: ({ currency, field }) => `${currency.toUpperCase()}:${field}`,
	look: (client, signal) => {
		let answer: Promise<unknown> | undefined;
		return async (line, isNew) =>
			lookAt(await (answer ??= client.call('wallet.balances', {}, { signal })), line, isNew);
	},
};

/** A missing balance is not a balance of zero, though some services list no currency of which nothing is left. */
function lookAt(answer: unknown, line: LineWithDefaults<Threshold>, isNew: boolean) {
	const balances = itemsIn(answer, 'balances');
	const generatedAt = (isItem(answer) && textOf(answer, 'generated_at')) || null;
	const balance = balances.find((item) => textOf(item, 'currency')?.toUpperCase() === line.currency.toUpperCase());
	if (!balance && isNew) refuseCurrency(line, balances);
	const shown = { value: amountIn(balance, line), at: instantOf(generatedAt) };
	return { shown, facts: { balance: balance!, generated_at: generatedAt } };
}

/** A balance that is missing or no amount would never cross, so it is an error and not passed over. */
function amountIn(balance: Item | undefined, { currency, field }: LineWithDefaults<Threshold>): string {
	const value = textOf(balance, field);
	if (isDecimal(value)) return value;
	throw new ExchangeError('malformed_response', {
		operation: kind.form.label,
		what: `The answer shows no amount as the ${field} balance in ${currency}, so it is not known whether it crossed`,
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
	const what = `The wallet has no balance in ${currency}`;
	throw invalidLine(kind.form.label, 'currency', what, `Choose one of ${offered.join(', ')}`);
}
