/** The node that watches the wallet: it asks regularly, because the wallet has no topic on the stream. */
import {
	ExchangeError,
	pollBalances,
	pollTransactions,
	sleep,
	type Account,
	type BalanceEvent,
	type Client,
	type TransactionEvent,
} from '@partner-exchange/core';
import type { NodeAPI, NodeMessage } from 'node-red';
import { accountNamed } from './account';
import type { Deploys, Place } from './deploys';
import { failureOf } from './failure';
import type { Node, Settings } from './host';
import { positionStore, scoped, type PositionStore } from './positions';
import { inWords, nodeStatus, type NodeStatus } from './status';
import { ports } from './streams';
import { WALLET_EVENTS_TYPE } from './types';

const SECONDS_DEFAULT = 30;
const SECONDS_MAX = 86_400;
/** Characters of a refused value that are quoted. */
const SHOWN_MAX = 40;
/** Looks are spread a little, so that many nodes do not all ask at the same moment. */
const JITTER = 0.1;
/** Time the flow has for what was sent, before it counts as taken. */
const SETTLE_MS = 1_000;
const RUNNING_CHECK_MS = 100;

export function registerWalletEvents(RED: NodeAPI, deploys: Deploys): void {
	RED.nodes.registerType(WALLET_EVENTS_TYPE, function (this: Node, settings: Settings) {
		RED.nodes.createNode(this, settings);
		const opened = accountNamed(RED, settings.account);
		const status = nodeStatus(this, 'account' in opened ? opened.account : undefined);
		const stop = new AbortController();
		this.on('close', () => {
			stop.abort();
			status.clear();
		});
		if ('problem' in opened) return status.show('red', 'ring', inWords(opened.problem.code));
		const store = scoped(positionStore(RED, this, settings.store), tagOf(opened.account, settings));
		const watching = { node: this, settings, status, deploys, store, client: opened.client, signal: stop.signal };
		const seconds = secondsOf(settings);
		if ('problem' in seconds) return void reportOnce(watching, seconds.problem, '');
		void watch({ ...watching, seconds: seconds.value });
	});
}

interface Watch {
	node: Node;
	settings: Settings;
	status: NodeStatus;
	deploys: Deploys;
	store: PositionStore;
	client: Client;
	signal: AbortSignal;
	/** Between two polls. */
	seconds: number;
}

type WalletEvent = TransactionEvent | BalanceEvent;

/** Looks, sends, and remembers what it sent once the flow had time for it. Ends with the node, and never throws. */
async function watch(given: Watch): Promise<void> {
	const { status, signal } = given;
	let known: { state: unknown } | undefined;
	let lastError = '';
	status.show('grey', 'dot', 'starting');
	while (!signal.aborted) {
		try {
			known ??= { state: await given.store.load() };
			known = { state: await pollOnce(given, known.state) };
			lastError = '';
			if (!stopped(signal)) status.show('green', 'dot', 'watching');
		} catch (error) {
			if (!stopped(signal)) lastError = reportOnce(given, error, lastError);
		}
		await sleep(ports.clock, waitMsOf(given.seconds), signal);
	}
}

/** One look. Answers what is known now, which is the old state when nobody can say whether the flow got the news. */
async function pollOnce({ node, settings, deploys, store, client, signal }: Watch, before: unknown): Promise<unknown> {
	const place = { id: node.id, z: node.z };
	const { events, state } = await poll(client, settings, before, signal);
	if (events.length > 0) {
		const kept = await sendEvents({ node, deploys, place, signal }, events);
		if (!kept) return before;
	}
	if (!signal.aborted) await store.save(state);
	return state;
}

/** Sends, and waits until the flow had its time. Answers whether nothing came in between. */
async function sendEvents(
	{ node, deploys, place, signal }: Pick<Watch, 'node' | 'deploys' | 'signal'> & { place: Place },
	events: readonly WalletEvent[],
): Promise<boolean> {
	while (!deploys.running(place) && !signal.aborted) await sleep(ports.clock, RUNNING_CHECK_MS, signal);
	if (signal.aborted) return false;
	let deployed = false;
	const stopListening = deploys.onStarted(place, (mayHaveLost) => (deployed ||= mayHaveLost));
	for (const event of events) node.send(messageOf(event));
	await sleep(ports.clock, SETTLE_MS, signal);
	stopListening();
	return !deployed && !stopped(signal);
}

/** The record with what happened to it. */
function messageOf(event: WalletEvent): NodeMessage {
	if ('transaction' in event) {
		const { eventKey, transaction, ...facts } = event;
		return { topic: 'wallet.transaction', payload: { ...transaction, ...facts }, event: { eventKey } };
	}
	const { eventKey, balance, ...facts } = event;
	return { topic: 'wallet.balance', payload: { ...balance, ...facts }, event: { eventKey } };
}

async function poll(client: Client, settings: Settings, before: unknown, signal: AbortSignal) {
	const currency = textOf(settings.currency);
	if (settings.event === 'balance') {
		const direction = settings.direction === 'above' || settings.direction === 'both' ? settings.direction : 'below';
		const threshold = {
			currency,
			amount: textOf(settings.threshold),
			direction,
			hysteresis: textOf(settings.hysteresis),
			initial: settings.initial === true,
		} as const;
		return await pollBalances(client, before, [threshold], { signal });
	}
	const status = textOf(settings.status_value);
	const filters = { statuses: status ? [status] : undefined, currencies: currency ? [currency] : undefined };
	return await pollTransactions(client, before, filters, { signal });
}

/** Says a problem once, and again when it changes; looking goes on. */
function reportOnce({ node, status }: Pick<Watch, 'node' | 'status'>, error: unknown, before: string): string {
	const failure = failureOf(error);
	status.show('red', 'ring', inWords(failure.code));
	if (failure.message !== before) node.error(failure, { payload: failure.cause });
	return failure.message;
}

/** What was known of another service, or of the other thing to watch, is of no use. */
const tagOf = ({ baseUrl }: Account, { event }: Settings) => ({
	baseUrl,
	event: String(event),
});

/** An interval that cannot be read would look like one that can, so it stops the node with its reason. */
function secondsOf({ seconds }: Settings): { value: number } | { problem: ExchangeError } {
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

const waitMsOf = (seconds: number): number => seconds * 1_000 * (1 + JITTER * ports.random());

/** Read through a function, because it changes while something else is awaited. */
const stopped = (signal: AbortSignal): boolean => signal.aborted;
const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
