import { ExchangeError, type StreamEvent, type StreamNotice, type Subscription } from '@partner-exchange/core';
import { acceptSelection, noticeText, sampleEvent, sleep } from '@partner-exchange/core/adapters';
import { isPrivate } from '@partner-exchange/core/catalogue';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { ownerOf } from './account';
import { hostClock } from './clock';
import { connect, type Connection } from './connection';
import { deliver, soon } from './delivery';
import { nodeError } from './errors';
import { itemOf, noticeOutputs, outputsOf } from './outputs';
import { noticeItem, readSubscription, type TriggerParameters } from './subscription';

/** Most time an activation waits for the list of markets. */
const SELECTION_MS_MAX = 5_000;

/** Runs a stream trigger: for a published workflow while it is active, in the editor until the first event. */
export async function listen(host: ITriggerFunctions): Promise<ITriggerResponse> {
	try {
		const connection = await connect(host);
		const wanted = await acceptSelection(connection.client, readSubscription(host), {
			signal: AbortSignal.timeout(SELECTION_MS_MAX),
		});
		return host.getMode() === 'manual'
			? runManually(host, wanted, connection)
			: await runActive(host, wanted, connection);
	} catch (error) {
		throw nodeError(host.getNode(), error);
	}
}

async function runActive(
	host: ITriggerFunctions,
	wanted: TriggerParameters,
	connection: Connection,
): Promise<ITriggerResponse> {
	const delivery = deliver(host, ownerOf(host, connection.client.account), {
		...wanted,
		warn: (text) => {
			log(text);
			tell({ kind: 'degraded', state: 'live', text });
		},
		giveUp: (events) => void host.saveFailedExecution(nodeError(host.getNode(), notDelivered(events))),
		// Storing a position at the end of an execution adds a line to n8n's log; public topics change too often for that.
		isLast: (isPausing) => wanted.topics.some(isPrivate) && (isPausing || subscription.counters().waiting === 0),
	});
	const log = (text: string): void =>
		host.logger.warn(`${host.getNode().name}: ${text}`, { workflowId: host.getWorkflow().id });
	function tell(notice: StreamNotice): void {
		// A gap is delivered as an item of its own.
		if (!wanted.notices || !isOpen || notice.kind === 'gap') return;
		host.emit(noticeOutputs([noticeItem(notice, new Date().toISOString())], wanted.failure));
	}
	const opened = host.helpers.createDeferredPromise<void>();
	let isOpen = false;
	const subscription = connection.stream().subscribe({
		...wanted,
		...delivery,
		// No event is delivered before the activation has completed.
		deliver: async (events) => {
			await opened.promise;
			for (const text of events.flatMap((event) => noticeText(event) ?? [])) log(text);
			await delivery.deliver(events);
		},
		onNotice: tell,
		// n8n reactivates the workflow with backoff after `emitError`; a failed activation must reject instead.
		onRefused: (error) => void (isOpen && host.emitError(nodeError(host.getNode(), error))),
		onFailed: (error) => void (isOpen && host.emitError(nodeError(host.getNode(), error))),
	});
	try {
		await subscription.ready;
	} catch (error) {
		await subscription.close();
		connection.release();
		throw nodeError(host.getNode(), error);
	}
	let isClosed = false;
	// n8n must receive the response first: an event emitted before starts a workflow that is not active yet.
	void sleep(hostClock, 0).then(() => {
		if (isClosed) return;
		isOpen = true;
		opened.resolve();
	});
	return {
		closeFunction: async () => {
			isClosed = true;
			isOpen = false;
			await soon(subscription.close());
			await delivery.close();
			connection.release();
		},
	};
}

/**
 * A test in the editor emits the latest event there is, or waits for the next. It stores no position and does not
 * affect the published workflow.
 */
function runManually(host: ITriggerFunctions, wanted: TriggerParameters, connection: Connection): ITriggerResponse {
	let subscription: Subscription | undefined;
	return {
		manualTriggerFunction: async () => {
			try {
				const latest = await sampleEvent(connection.client, wanted);
				if (latest) return host.emit([[itemOf(latest)]]);
				subscription = connection.stream().subscribe({
					topics: wanted.topics,
					filters: wanted.filters,
					deliverMissed: false,
					deliver: async (events) => await Promise.resolve(host.emit(outputsOf(events, wanted.failure))),
					onFailed: (error) => host.emitError(nodeError(host.getNode(), error)),
				});
				await subscription.ready;
			} catch (error) {
				throw nodeError(host.getNode(), error);
			}
		},
		closeFunction: async () => {
			if (subscription) await soon(subscription.close());
			connection.release();
		},
	};
}

const notDelivered = (events: readonly StreamEvent[]): ExchangeError =>
	new ExchangeError('aborted', {
		operation: 'Trigger',
		what: `n8n started no execution for ${events.length} events although they were handed over again and again`,
		advice: 'Look at the executions before this one for the reason, and process these events by hand',
		details: { eventKeys: events.map(({ eventKey }) => eventKey).join(', ') },
	});
