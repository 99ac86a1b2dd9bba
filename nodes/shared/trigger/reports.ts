import type { StreamEvent, StreamNotice } from '@partner-exchange/core';
import { lastingNotices, noticeText } from '@partner-exchange/core/adapters';
import type { ITriggerFunctions } from 'n8n-workflow';
import { noticeOutputs } from '../delivery/outputs';
import { inOneText, nodeError } from '../host/errors';
import { isTransient } from '../host/error-kinds';
import { log } from '../host/log';
import { isNews, recovered, saveFailure } from './outages';
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
	let [isListening, isWaiting, isOpen] = [false, false, false];
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
