/** The forms of the two nodes that listen as the core takes them, and events as the flow takes them. Pure. */
import {
	ExchangeError,
	type Account,
	type BalanceEvent,
	type EventFilters,
	type StreamEvent,
	type Threshold,
	type TransactionEvent,
	type TransactionFilters,
} from '@partner-exchange/core';
import { exactTopics, topics, type TopicId } from '@partner-exchange/core/catalogue';
import type { NodeMessage } from 'node-red';
import { jsonCopy } from './json-copy';
import type { Acknowledgement } from './outbox';
import type { Settings } from './host';

const BATCH_MAX = 1_000;
/** Time a flow has to finish with an event, unless its form says otherwise. */
const SETTLE_S = 1;
const SETTLE_S_MAX = 600;
/** Messages a flow gets before the oldest of them has come back. */
const UNACKNOWLEDGED_MAX = 50;
/** Events taken from the stream at once; a node that sends each on its own still sends each on its own. */
const EVENTS_PER_BATCH = 50;

/** Between two looks at the wallet. */
const SECONDS_DEFAULT = 30;
const SECONDS_MAX = 86_400;
/** Characters of a refused value that are quoted. */
const SHOWN_MAX = 40;

/**
 * One event as a message, or several as one message of arrays. The flow may change what it gets, and the same event may
 * have to be sent again, so nothing of a message is shared with the event.
 */
export function messageOf(events: readonly StreamEvent[], batch: number): NodeMessage {
	if (batch === 1) {
		const event = events[0]!;
		return { topic: event.topic, payload: jsonCopy(event.data), event: factsOf(event) };
	}
	const [first, ...others] = new Set(events.map(({ topic }) => topic));
	return {
		topic: others.length === 0 ? first : undefined,
		payload: events.map(({ data }) => jsonCopy(data)),
		event: events.map(factsOf),
	};
}

/** Everything but the payload, name by name: taking one out of all takes longer. */
const factsOf = ({
	topic,
	seq,
	epoch,
	ts,
	delivery,
	kind,
	stale,
	eventKey,
}: StreamEvent): Omit<StreamEvent, 'data'> => ({
	...{ topic, seq, epoch, ts, delivery },
	...(kind === undefined ? {} : { kind }),
	...(stale === undefined ? {} : { stale }),
	eventKey,
});

/** Keys of the events that a message carries, also after a join put several in one. */
export const keysOf = (message: { event?: unknown }): string[] =>
	[message.event].flat(2).flatMap((one) => {
		const key = (one as { eventKey?: unknown } | null | undefined)?.eventKey;
		return typeof key === 'string' ? [key] : [];
	});

/** Everything that makes a subscription what it is. */
export function signatureOf(settings: Settings, { environment, baseUrl, wsUrl, apiKey }: Account): string {
	const { missed, store, settle } = settings;
	return JSON.stringify([
		environment,
		baseUrl,
		wsUrl,
		apiKey,
		topicsOf(settings),
		filtersOf(settings),
		batchOf(settings),
		missed,
		store,
		settle,
		acknowledgedBy(settings),
	]);
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export const topicsOf = ({ topics: chosen, pairs }: Settings): string[] =>
	exactTopics(
		listOf(chosen).filter((topic): topic is TopicId => Object.hasOwn(topics, topic)),
		listOf(pairs),
	);

const textOr = (value: unknown): string | undefined =>
	typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

export function filtersOf({ statuses, side, pair, minQuantity }: Settings): EventFilters {
	const onlySide = textOr(side);
	const onlyPairs = (textOr(pair) ?? '')
		.split(',')
		.map((one) => one.trim())
		.filter((one) => one !== '');
	return {
		statuses: listOf(statuses).length > 0 ? listOf(statuses) : undefined,
		sides: onlySide ? [onlySide] : undefined,
		pairs: onlyPairs.length > 0 ? onlyPairs : undefined,
		minQuantity: textOr(minQuantity),
	};
}

export const batchOf = ({ batch }: Settings): number =>
	Math.min(BATCH_MAX, Math.max(1, Math.trunc(Number(batch)) || 1));

/** What acknowledges an event: Node-RED's reports of completion, its message coming back, or a time. */
export type AcknowledgedBy = 'complete' | 'back' | 'time';

export const acknowledgedBy = ({ taken }: Settings): AcknowledgedBy =>
	taken === 'back' || taken === 'time' ? taken : 'complete';

/** Where messages come back, each is acknowledged on its own, and the bound counts messages. */
export const batchMaxOf = (settings: Settings): number =>
	acknowledgedBy(settings) === 'back' ? batchOf(settings) : Math.max(batchOf(settings), EVENTS_PER_BATCH);

export const acknowledgementOf = (settings: Settings): Acknowledgement =>
	acknowledgedBy(settings) === 'time'
		? { timeoutMs: settleMsOf(settings), batchesMax: Infinity }
		: { timeoutMs: Infinity, batchesMax: UNACKNOWLEDGED_MAX };

const settleMsOf = ({ settle }: Settings): number => {
	const seconds = settle === undefined || settle === '' ? SETTLE_S : Number(settle);
	return (Number.isFinite(seconds) ? Math.min(SETTLE_S_MAX, Math.max(0, seconds)) : SETTLE_S) * 1_000;
};

export type WalletEvent = TransactionEvent | BalanceEvent;

/** The record with what happened to it. */
export function walletMessageOf(event: WalletEvent): NodeMessage {
	if ('transaction' in event) {
		const { eventKey, transaction, ...facts } = event;
		return { topic: 'wallet.transaction', payload: { ...transaction, ...facts }, event: { eventKey } };
	}
	const { eventKey, balance, ...facts } = event;
	return { topic: 'wallet.balance', payload: { ...balance, ...facts }, event: { eventKey } };
}

/** What the node watches: a balance and its threshold, or the transactions that pass. */
export function watchedBy(settings: Settings): { threshold: Threshold } | { filters: TransactionFilters } {
	const currency = textOr(settings.currency);
	if (settings.event === 'balance') {
		const direction = settings.direction === 'above' || settings.direction === 'both' ? settings.direction : 'below';
		const threshold = {
			currency: currency ?? '',
			amount: textOr(settings.threshold) ?? '',
			direction,
			hysteresis: textOr(settings.hysteresis),
			initial: settings.initial === true,
		} as const;
		return { threshold };
	}
	const status = textOr(settings.status_value);
	return { filters: { statuses: status ? [status] : undefined, currencies: currency ? [currency] : undefined } };
}

/** State of another service, or of the other kind of event, means nothing. */
export const tagOf = ({ baseUrl }: Account, { event }: Settings) => ({
	baseUrl,
	event: String(event),
});

/**
 * An interval that cannot be read stops the node with the reason, because any default would look like the one chosen.
 */
export function secondsOf({ seconds }: Settings): { value: number } | { problem: ExchangeError } {
	if (seconds === undefined || seconds === '') return { value: SECONDS_DEFAULT };
	const value = Number(seconds);
	if (Number.isFinite(value) && value >= 1 && value <= SECONDS_MAX) return { value };
	return {
		problem: new ExchangeError('invalid_input', {
			field: 'seconds',
			what: `The interval ${String(seconds).slice(0, SHOWN_MAX)} is not a number of seconds from 1 to ${SECONDS_MAX}`,
			advice: `Enter a value such as ${SECONDS_DEFAULT}; nothing is watched`,
		}),
	};
}
