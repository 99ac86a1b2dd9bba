import { sleep, inBackground, exampleEvent, sampleEvent } from '@partner-exchange/core/adapters';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { inOneText, nodeError } from '../host/errors';
import { listen, type Listener, accept } from './listen';
import { isActivatedByN8n, createReports } from './reports';
import { readSubscription, type TriggerParameters } from './subscription';
import type { Form } from '../form/property';
import type { Subscription } from '@partner-exchange/core';
import { connect } from '../account/connection';
import { soon } from '../delivery/delivery';
import { itemOf, outputsOf } from '../delivery/outputs';

/** A start of n8n waits for each trigger at most this long. */
const START_MS_MAX = 1_000;
/** The pause before a subscription that ended is made again. */
const AGAIN_MS = 60_000;

/** Listens for a published workflow, or for one test in the editor. */
export async function trigger(host: ITriggerFunctions, form: Form): Promise<ITriggerResponse> {
	const isManual = host.getMode() === 'manual';
	try {
		return await (isManual ? testManually : activate)(host, readSubscription(host, form));
	} catch (error) {
		const failure = nodeError(host.getNode(), error);
		throw isManual ? failure : inOneText(failure);
	}
}

/**
 * Keeps a stream trigger listening from its activation to its deactivation. n8n gives a failed activation, and a trigger
 * that reports a fatal error, 15 seconds to recover, and leaves it dead after that. So only a person who publishes is
 * answered with a failure. Otherwise the trigger stays, says why it does not listen, and goes on when it can.
 */
async function activate(host: ITriggerFunctions, choice: TriggerParameters): Promise<ITriggerResponse> {
	const reports = createReports(host, choice);
	const stopped = new AbortController();
	const opened = host.helpers.createDeferredPromise<void>();
	let listener: Listener | undefined;

	async function begin(retriesFirstConnection: boolean): Promise<Listener> {
		listener = await listen(host, { choice, reports, opened: opened.promise, retriesFirstConnection });
		if (stopped.signal.aborted) await listener.close();
		return listener;
	}

	/** Whatever ends a subscription, another one follows. */
	async function keep(first: Promise<Listener>): Promise<void> {
		for (let next = first; ; next = begin(true)) {
			const isChanged = await next.then(({ ended }) => ended).catch(reports.failed);
			if (stopped.signal.aborted) return;
			await listener?.close();
			listener = undefined;
			if (!isChanged) await sleep(hostClock, AGAIN_MS, stopped.signal);
			if (stopped.signal.aborted) return;
		}
	}

	const isByN8n = isActivatedByN8n(host);
	const first = begin(isByN8n);
	if (!isByN8n) await published(host, first);
	inBackground(keep(first));
	if (isByN8n) {
		await Promise.race([reports.firstState, sleep(hostClock, START_MS_MAX)]);
		if (!reports.isListening()) reports.waiting();
	}
	// n8n must have the response first: an event emitted before starts a workflow that is not active yet.
	const open = (): void => {
		if (stopped.signal.aborted) return;
		reports.open();
		opened.resolve();
	};
	inBackground(sleep(hostClock, 0).then(open));
	return {
		closeFunction: async () => {
			stopped.abort();
			reports.close();
			await listener?.close();
		},
	};
}

/** The activation of a person's workflow: it succeeds, or says why not. */
async function published(host: ITriggerFunctions, first: Promise<Listener>): Promise<void> {
	try {
		await (
			await first
		).ready;
	} catch (error) {
		await first.then(({ close }) => close()).catch(() => undefined);
		throw nodeError(host.getNode(), error);
	}
}

/**
 * A test in the editor emits the latest event, or an example if the account has no order or fill yet, or waits for the
 * next event. It stores no checkpoint and does not affect the published workflow.
 */
async function testManually(host: ITriggerFunctions, choice: TriggerParameters): Promise<ITriggerResponse> {
	const connection = await connect(host);
	const wanted = await accept(connection, choice);
	let subscription: Subscription | undefined;
	return {
		manualTriggerFunction: async () => {
			try {
				const latest = await sampleEvent(connection.client, wanted);
				const shown = latest ?? exampleEvent(wanted);
				if (shown) return host.emit([[itemOf(shown, wanted.output)]]);
				let isListening = false;
				subscription = connection.stream().subscribe({
					topics: wanted.topics,
					filters: wanted.filters,
					deliverMissed: false,
					deliver: async (events) =>
						await Promise.resolve(host.emit(outputsOf(events, { ...wanted.failure, output: wanted.output }))),
					// Before that the error is thrown below.
					onFailed: (error) => void (isListening && host.emitError(nodeError(host.getNode(), error))),
				});
				await subscription.ready;
				isListening = true;
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
