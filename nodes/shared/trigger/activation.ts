import { sleep, inBackground } from '@partner-exchange/core/adapters';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { nodeError } from '../host/errors';
import { listen, type Listener } from './listen';
import { isActivatedByN8n } from './outages';
import { createReports } from './reports';
import { readSubscription } from './subscription';

/** A start of n8n waits for each trigger at most this long. */
const START_MS_MAX = 1_000;
/** The pause before a subscription that ended is made again. */
const AGAIN_MS = 60_000;

/**
 * Keeps a stream trigger listening from its activation to its deactivation. n8n gives a failed activation, and a trigger
 * that reports a fatal error, 15 seconds to recover, and leaves it dead after that. So only a person who publishes is
 * answered with a failure. Otherwise the trigger stays, says why it does not listen, and goes on when it can.
 */
export async function activate(host: ITriggerFunctions): Promise<ITriggerResponse> {
	const choice = readSubscription(host);
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
