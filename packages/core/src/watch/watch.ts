/** What is watched by polling, whichever of it: a host reads its form, polls, and tells what happened. */
import type { Client } from '../client/contract';
import type { Item } from '../wire/payload';
import { exampleOfBalance, pollBalances, type BalanceEvent, type Threshold } from './balances';
import { pollRates, rateLines, type RateEvent, type RateThreshold } from './rates';
import { exampleOfLine, type LineState } from './lines';
import { STATE_VERSION, type PollOptions } from './stored-state';
import { pollTransactions, type TransactionEvent, type TransactionFilters } from './transactions';

/** What a trigger watches. */
export type Watch =
	| { event: 'transaction'; filters: TransactionFilters }
	| { event: 'balance'; threshold: Threshold }
	| { event: 'rate'; threshold: RateThreshold };

/** What happened: its key, the record it happened to, and what says what it was. */
export interface WatchEvent {
	eventKey: string;
	/** `wallet.transaction`, `wallet.balance` or `market.rate`. */
	topic: string;
	/** As the service sent it. */
	record: Item;
	facts: Item;
}

/** Polls once, and says on which side of its line the value is. See {@link pollTransactions}, {@link pollBalances} and {@link pollRates}. */
export async function pollWatch(
	client: Client,
	before: unknown,
	watch: Watch,
	asked: PollOptions = {},
): Promise<{ events: WatchEvent[]; state: object; learned: boolean; side?: Side | undefined }> {
	const options = { ...asked, isForm: true } as const;
	if (watch.event === 'transaction') {
		const polled = await pollTransactions(client, before, watch.filters, options);
		return { ...polled, events: polled.events.map(ofTransaction) };
	}
	if (watch.event === 'balance') {
		const polled = await pollBalances(client, before, [watch.threshold], options);
		return { ...polled, events: polled.events.map(ofBalance), side: sideIn(polled.state) };
	}
	const polled = await pollRates(client, before, [watch.threshold], options);
	return { ...polled, events: polled.events.map(ofRate), side: sideIn(polled.state) };
}

type Side = LineState['lines'][string]['side'];

/** A form watches one line. It has no side before a value was shown. */
const sideIn = ({ lines }: LineState): Side | undefined => Object.values(lines)[0]?.side;

const nothingKnown = { version: STATE_VERSION, known: [] };

/** What a test of a form shows: the latest transaction that passes, if there is one, or an example of the crossing. */
export async function exampleOf(client: Client, watch: Watch): Promise<WatchEvent | undefined> {
	if (watch.event === 'balance') return ofBalance(await exampleOfBalance(client, watch.threshold));
	if (watch.event === 'rate') return ofRate(await exampleOfLine(rateLines, client, watch.threshold));
	return (await pollWatch(client, nothingKnown, watch)).events.at(-1);
}

const ofTransaction = ({ eventKey, transaction, ...facts }: TransactionEvent): WatchEvent => ({
	eventKey,
	topic: 'wallet.transaction',
	record: transaction,
	facts,
});

const ofBalance = ({ eventKey, balance, threshold, ...facts }: BalanceEvent): WatchEvent => ({
	eventKey,
	topic: 'wallet.balance',
	record: balance,
	facts: { ...facts, ...lineOf(threshold) },
});

const ofRate = ({ eventKey, ticker, threshold, ...facts }: RateEvent): WatchEvent => ({
	eventKey,
	topic: 'market.rate',
	record: ticker,
	facts: { ...facts, pair_id: threshold.pair_id, ...lineOf(threshold) },
});

/** The line in place of all that was set of it. */
const lineOf = ({ amount, field }: { amount: string; field: string }) => ({ threshold: amount, field });
