/**
 * One subscription of a listening node. It outlives the node: a deploy replaces the node, while the feed keeps the
 * subscription, holds back new events and hands what may have been lost to the node's successor.
 */
import type {
	Clock,
	Consumer,
	Counters,
	ExchangeError,
	Stream,
	StreamEvent,
	StreamNotice,
} from '@partner-exchange/core';
import type { Deploys, Place } from './deploys';
import { createFlow, type Flow } from './flow';
import type { Saving } from './saving';

/** A feed without a node ends after this time: the node was removed, or its flow is disabled. */
const ORPHAN_MS = 60_000;

const READY: StreamNotice = { kind: 'state', state: 'live', text: 'Connected' };

/** The node as the feed sees it. */
export interface Receiver {
	send(events: readonly StreamEvent[]): void;
	notice(notice: StreamNotice): void;
	failed(error: ExchangeError): void;
}

export interface Feed {
	/** What it was made from: a successor with other settings needs another feed. */
	signature: string;
	counters(): Counters;
	/** The flow finished with the events of these keys. */
	acknowledge(keys: readonly string[]): void;
	/** Messages the flow keeps for long. */
	late(): number;
	attach(receiver: Receiver): void;
	/** The node is gone for now. Resolves when its settled position is stored. */
	detach(): Promise<void>;
	close(): Promise<void>;
}

/** When what was sent counts as taken. One of the two is `Infinity`. */
export interface Taking {
	/** Time the flow has to finish with an event. */
	settleMs: number;
	/** Messages sent before the oldest of them is acknowledged. */
	underWayMax: number;
}

export interface FeedSettings {
	signature: string;
	/** Where the node stands, which tells what a deploy means to it. */
	place: Place;
	stream: Pick<Stream, 'subscribe'>;
	consumer: Pick<Consumer, 'topics' | 'checkpoint' | 'deliverMissed' | 'filters' | 'batchMax'>;
	taking: Taking;
	saving: Saving;
	deploys: Deploys;
	clock: Clock;
	/** Resolves when the host has had a turn to deliver what was sent. */
	turn: () => Promise<void>;
	ended: () => void;
}

export function openFeed(settings: FeedSettings): Feed {
	const { saving, clock } = settings;
	const flow = createFlow(settings);
	const subscription = subscribe(settings, flow, () => void close());
	let cancelOrphan: (() => void) | undefined;
	let closing: Promise<void> | undefined;

	function close(): Promise<void> {
		closing ??= (async () => {
			cancelOrphan?.();
			flow.end();
			settings.ended();
			await subscription.close();
			await saving.flush();
		})();
		return closing;
	}
	return {
		signature: settings.signature,
		counters: () => subscription.counters(),
		acknowledge: flow.acknowledge,
		late: flow.late,
		attach: (receiver) => {
			cancelOrphan?.();
			const present = subscription.state();
			if (present) receiver.notice(present);
			flow.attach(receiver);
		},
		detach: async () => {
			flow.attach(undefined);
			cancelOrphan = clock.after(ORPHAN_MS, () => void close());
			await saving.flush();
		},
		close,
	};
}

/** The subscription of a flow, which remembers its state for the node that comes next. */
function subscribe({ stream, consumer }: FeedSettings, flow: Flow, ended: () => void) {
	let state: StreamNotice | undefined;
	let closed = false;
	const subscription = stream.subscribe({
		...consumer,
		// A host that starts while the service is away waits for it, as it does when the service goes away later.
		retriesFirstConnection: true,
		deliver: (events) => flow.take(events),
		onCheckpoint: (positions) => flow.moved(positions),
		onNotice: tell,
		onFailed: fail,
	});
	// Who joins a connection that is open already hears of no change of its state.
	subscription.ready.then(() => tell(READY), fail);

	function tell(notice: StreamNotice): void {
		if (notice.kind === 'state') {
			if (notice.state === state?.state) return;
			state = notice;
		}
		flow.receiver()?.notice(notice);
	}
	/** A reason only a person can remove: the deploy after they did makes a new feed. */
	function fail(error: ExchangeError): void {
		if (closed) return;
		flow.receiver()?.failed(error);
		ended();
	}
	return {
		state: () => state,
		counters: () => subscription.counters(),
		close: async () => {
			closed = true;
			await subscription.close();
		},
	};
}
