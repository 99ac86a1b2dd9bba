import { type StreamEvent, type StreamNotice, isExchangeError } from '@partner-exchange/core';
import { lastingNotices, noticeText } from '@partner-exchange/core/adapters';
import type { ITriggerFunctions, IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';
import { noticeOutputs } from '../delivery/outputs';
import { inOneText, nodeError, isTransient } from '../host/errors';
import { log } from '../host/log';
import type { TriggerParameters } from './subscription';

/** What a stream trigger says beside events: log lines, notices on its last output, and failed executions. */
export interface Reports {
	/** Logs the notices among events that are about to be handed over. */
	events(events: readonly StreamEvent[]): void;
	notice(notice: StreamNotice): void;
	/** Logs a sentence and emits it as a notice. */
	warn(text: string): void;
	/** The trigger does not listen, because the service is away. */
	waiting(text?: string): void;
	/** The trigger cannot listen. If somebody has to correct something, the error workflow is started, once. */
	failed(error: unknown): void;
	listening(): void;
	isListening(): boolean;
	/** Resolves once it is known whether the trigger listens. */
	firstState: Promise<void>;
	/** The workflow is active: notices are emitted from now on. */
	open(): void;
	close(): void;
}

const WAITING: StreamNotice = {
	kind: 'state',
	state: 'waiting',
	text: 'The trigger does not listen yet; it waits for the service, and then delivers what it missed',
};

export function createReports(host: ITriggerFunctions, { notices, failure }: TriggerParameters): Reports {
	const firstState = host.helpers.createDeferredPromise<void>();
	let isListening = false;
	let isWaiting = false;
	let isOpen = false;
	/** What failed before the workflow was active: n8n 1 cannot take a trigger down while it activates it. */
	let early: unknown;
	const sayLasting = lastingNotices((text) => log(host, text));

	function emit(notice: StreamNotice): void {
		// A gap is delivered as an item of its own.
		if (!notices || !isOpen || notice.kind === 'gap') return;
		host.emit(noticeOutputs([noticeItem(notice, new Date().toISOString())], failure));
	}

	function waiting(text = WAITING.text): void {
		if (!isWaiting) log(host, text);
		isWaiting = true;
	}

	function listening(): void {
		if (recovered(host) || isWaiting) log(host, 'The trigger listens again');
		[isListening, isWaiting] = [true, false];
		firstState.resolve();
	}

	function failed(error: unknown): void {
		firstState.resolve();
		const { message } = inOneText(nodeError(host.getNode(), error));
		if (isTransient(error)) return waiting(message);
		if (!isOpen) return void (early = error);
		if (!isNews(host, error)) return;
		log(host, message);
		saveFailure(host, error);
	}

	return {
		events: (events) => events.flatMap((event) => noticeText(event) ?? []).forEach((text) => log(host, text)),
		notice: (notice) => {
			if (notice.kind === 'state' && notice.state === 'live') listening();
			else if (notice.state === 'waiting' || notice.state === 'refused') firstState.resolve();
			sayLasting(notice);
			emit(notice);
		},
		warn: (text) => {
			log(host, text);
			emit({ kind: 'degraded', state: 'live', text });
		},
		waiting,
		failed,
		listening,
		isListening: () => isListening,
		firstState: firstState.promise,
		open: () => {
			isOpen = true;
			if (isWaiting) emit(WAITING);
			if (early) failed(early);
		},
		close: () => void (isOpen = false),
	};
}

/** A notice as an item: the shape of an event, under a topic name that no event has. */
const noticeItem = (notice: StreamNotice, ts: string) => ({
	json: { topic: 'connection', seq: null, epoch: null, ts, data: { ...notice }, delivery: 'live', eventKey: null },
});

type Host = Pick<ITriggerFunctions | IPollFunctions, 'getWorkflow' | 'getNode' | 'getActivationMode'>;

/** When n8n activates triggers by itself. In the other modes a person publishes, who is there to read why it failed. */
const BY_ITSELF: readonly WorkflowActivateMode[] = ['init', 'leadershipChange'];

/**
 * Whether n8n knows of the present outage of a trigger, by node. Outlives an activation, so that an outage is reported
 * once.
 */
const reported = new Map<string, string>();
/** Triggers that n8n 1 took down because they reported an error; it activates them again a second later. */
const takenDown = new Set<string>();

const nameOf = (host: Host): string => JSON.stringify([host.getWorkflow().id, host.getNode().id]);

/** Whether n8n activates this trigger, rather than a person. Asked once for each activation. */
export const isActivatedByN8n = (host: Host): boolean =>
	takenDown.delete(nameOf(host)) || BY_ITSELF.includes(host.getActivationMode());

/** Whether this outage still has to be reported to n8n. A service that is away fails in many ways, which are one outage. */
export function isNews(host: Host, error: unknown): boolean {
	const kind = isTransient(error) ? 'away' : isExchangeError(error) ? error.code : 'unexpected';
	if (reported.get(nameOf(host)) === kind) return false;
	reported.set(nameOf(host), kind);
	return true;
}

/** Notes that the outage is over; returns whether n8n knew of one. */
export const recovered = (host: Host): boolean => reported.delete(nameOf(host));

/** Saves a failed execution, for which n8n starts the error workflow. n8n 1 offers a trigger nothing but to fail. */
export function saveFailure(host: ITriggerFunctions, error: unknown): undefined {
	const failure = nodeError(host.getNode(), error);
	const save = (host as Partial<ITriggerFunctions>).saveFailedExecution;
	if (save) return void save.call(host, failure);
	takenDown.add(nameOf(host));
	host.emitError(failure);
}
