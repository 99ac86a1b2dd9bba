import { ExchangeError, type StreamEvent } from '@partner-exchange/core';
import {
	acceptSelection,
	inBackground,
	isLost,
	ownCheckpoint,
	SELECTION_MS_MAX,
	sleep,
	withAccount,
} from '@partner-exchange/core/adapters';
import { isPrivate } from '@partner-exchange/core/catalogue';
import type { ITriggerFunctions } from 'n8n-workflow';
import { connect, type Connection } from '../account/connection';
import { deliver, soon } from '../delivery/delivery';
import { storedState } from '../delivery/checkpoint-writer';
import { hostClock } from '../host/clock';
import { saveFailure, type Reports } from './reports';
import type { TriggerParameters } from './subscription';

/** How often the credential is read again, which takes n8n about a millisecond. */
const CREDENTIAL_EVERY_MS = 10_000;

/** One subscription of a stream trigger. */
export interface Listener {
	/** Resolves when every topic is confirmed; rejects with the reason. */
	ready: Promise<void>;
	/** Resolves with true when the credential has another key or address now; rejects when the subscription failed. */
	ended: Promise<true>;
	close(): Promise<void>;
}

export interface ListenOptions {
	choice: TriggerParameters;
	reports: Reports;
	/** Resolves once events may be handed over. */
	opened: Promise<void>;
	/** Whether to wait for a service that is away or refuses the key. */
	retriesFirstConnection: boolean;
}

/** The choice of the form with its pairs as the service lists them. */
export const accept = async (connection: Connection, choice: TriggerParameters): Promise<TriggerParameters> =>
	await acceptSelection(connection.client, choice, { signal: AbortSignal.timeout(SELECTION_MS_MAX) });

/** Subscribes to the stream and hands over its events. */
export async function listen(host: ITriggerFunctions, options: ListenOptions): Promise<Listener> {
	const { reports, opened, retriesFirstConnection } = options;
	const connection = await connect(host);
	const wanted = await accept(connection, options.choice);
	const closed = new AbortController();
	const ended = host.helpers.createDeferredPromise<true>();
	// The caller may await `ended` only after it was rejected.
	inBackground(ended.promise);
	const { owner, stored } = await ownCheckpoint(connection.client, storedState(host), reports.warn);
	const delivery = deliver(host, owner, {
		failure: wanted.failure,
		output: wanted.output,
		executionMsMax: wanted.executionMsMax,
		eventsPerSecond: wanted.eventsPerSecond,
		opened,
		began: reports.events,
		warn: reports.warn,
		giveUp: (events) => saveFailure(host, notDelivered(events)),
		// Storing a checkpoint at the end of an execution adds a line to n8n's log; public topics change too often for that.
		isLast: (isPausing) => wanted.topics.some(isPrivate) && (isPausing || subscription.counters().waiting === 0),
	});
	inBackground(watchCredential(connection, closed.signal, () => ended.resolve(true)));
	const subscription = connection.stream().subscribe({
		topics: wanted.topics,
		filters: wanted.filters,
		deliverMissed: wanted.deliverMissed,
		batchMax: wanted.batchMax,
		checkpoint: isLost(stored) ? stored : stored?.checkpoint,
		deliver: delivery.deliver,
		onCheckpoint: delivery.onCheckpoint,
		retriesFirstConnection,
		onNotice: reports.notice,
		onRefused: reports.failed,
		onFailed: ended.reject,
	});
	inBackground(subscription.ready.then(reports.listening));
	// Loaded only now, so that no start of n8n waits for it.
	inBackground(subscription.ready.then(async () => Object.assign(owner, await withAccount(connection.client, owner))));
	return {
		ready: subscription.ready,
		ended: ended.promise,
		close: async () => {
			closed.abort();
			await soon(subscription.close());
			await delivery.close();
			connection.release();
		},
	};
}

/**
 * n8n does not tell a running trigger that its credential changed. Events of the account before would start workflows
 * whose orders go to the present one, and its own would never come.
 */
async function watchCredential(connection: Connection, closed: AbortSignal, changed: () => void): Promise<void> {
	while (!closed.aborted) {
		await sleep(hostClock, CREDENTIAL_EVERY_MS, closed);
		if (!closed.aborted && (await connection.isOutdated())) return changed();
	}
}

const notDelivered = (events: readonly StreamEvent[]): ExchangeError =>
	new ExchangeError('aborted', {
		operation: 'Trigger',
		what: `n8n started no execution for ${events.length} events although they were handed over again and again`,
		advice: 'Look at the executions before this one for the reason, and process these events by hand',
		details: { eventKeys: events.map(({ eventKey }) => eventKey).join(', ') },
	});
