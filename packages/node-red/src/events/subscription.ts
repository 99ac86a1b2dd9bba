/**
 * The subscription of an events node. It outlives the node: a deploy replaces the node, while the subscription holds
 * new events back and then sends those that may have been lost through the new node.
 */
import { inBackground } from '@partner-exchange/core/adapters';
import type { Consumer, Counters, ExchangeError, Stream, StreamEvent, StreamNotice } from '@partner-exchange/core';

import type { DebouncedSave } from '../positions/debounced-save';
import { createOutbox, type AttachedNode, type Outbox, type OutboxSettings } from '../delivery/outbox';

/** A subscription without a node is closed after this time: its node was removed, or its flow is disabled. */
const ORPHAN_MS = 60_000;

const READY: StreamNotice = { kind: 'state', state: 'live', text: 'Connected' };

/** The events node that is attached to a subscription. */
export interface EventsNode extends AttachedNode<StreamEvent> {
	notice(notice: StreamNotice): void;
	/** Called once per outage: a connection could not be opened, and is tried again. */
	away(): void;
	failed(error: ExchangeError): void;
}

export interface NodeSubscription {
	/** The settings of the subscription; a node with another signature needs a new one. */
	signature: string;
	counters(): Counters;
	/** Acknowledges the events with these keys. */
	acknowledge(keys: readonly string[]): void;
	/** Pending batches, or 0 while the oldest of them is not overdue. */
	overdue(): number;
	/** Whether the latest position could be stored. */
	isStored(): boolean;
	attach(node: EventsNode): void;
	/** Called when the node closes. Resolves when its position is stored. */
	detach(): Promise<void>;
	/** Called when the node is removed: the subscription ends as well. */
	close(): Promise<void>;
}

export interface SubscriptionSettings extends OutboxSettings {
	signature: string;
	save: DebouncedSave;
	stream: Pick<Stream, 'subscribe'>;
	consumer: Pick<Consumer, 'topics' | 'checkpoint' | 'deliverMissed' | 'filters' | 'batchMax'>;
	ended: () => void;
}

export function openSubscription(settings: SubscriptionSettings): NodeSubscription {
	const { save, clock } = settings;
	const outbox = createOutbox<StreamEvent, EventsNode>(settings);
	const subscription = subscribe(settings, outbox, () => inBackground(end()));
	let cancelOrphan: (() => void) | undefined;
	let closing: Promise<void> | undefined;

	function end(): Promise<void> {
		closing ??= (async () => {
			cancelOrphan?.();
			outbox.end();
			settings.ended();
			await subscription.close();
			await save.flush();
		})();
		return closing;
	}
	return {
		signature: settings.signature,
		counters: () => subscription.counters(),
		acknowledge: outbox.acknowledge,
		overdue: outbox.overdue,
		isStored: () => !save.isFailing(),
		attach: (node) => {
			cancelOrphan?.();
			subscription.tellMissed(node);
			outbox.attach(node);
		},
		detach: async () => {
			cancelOrphan = clock.after(ORPHAN_MS, () => inBackground(end()));
			await outbox.detach();
			await save.flush();
		},
		close: async () => {
			await outbox.detach();
			await end();
		},
	};
}

/** Subscribes to the stream, and keeps the connection state for the next node to attach. */
function subscribe(
	{ stream, consumer }: SubscriptionSettings,
	outbox: Outbox<StreamEvent, EventsNode>,
	ended: () => void,
) {
	let state: StreamNotice | undefined;
	let closed = false;
	/** What the next node has to be told: what went wrong before the first one attached, or between two of a deploy. */
	let untold: ((node: EventsNode) => void) | undefined;
	/** Whether the present outage was reported. A connection that is lost and opens again at once is no outage. */
	let isAway = false;
	const subscription = stream.subscribe({
		...consumer,
		// If the service is down at the start, keep trying, as after a lost connection.
		retriesFirstConnection: true,
		deliver: (events) => outbox.deliver(events),
		onCheckpoint: (checkpoint) => outbox.onCheckpoint(checkpoint),
		onNotice,
		// The stream retries a refused key, so the subscription stays.
		onRefused: (error) => tell((node) => node.failed(error)),
		onFailed: fail,
	});
	// A subscriber on an open connection gets no state notice, so one is issued when it is ready.
	inBackground(subscription.ready.then(() => onNotice(READY)));

	function onNotice(notice: StreamNotice): void {
		if (notice.kind === 'state') {
			const before = state?.state ?? 'connecting';
			if (notice.state === state?.state) return;
			state = notice;
			if (notice.state === 'live') [isAway, untold] = [false, undefined];
			if (notice.state === 'waiting' && before === 'connecting' && !isAway) {
				isAway = true;
				tell((node) => node.away());
			}
		}
		outbox.node()?.notice(notice);
	}
	/** Ends the subscription on an error that only a user can fix; the deploy that fixes it subscribes again. */
	function fail(error: ExchangeError): void {
		if (closed) return;
		tell((node) => node.failed(error));
		ended();
	}
	function tell(trouble: (node: EventsNode) => void): void {
		const node = outbox.node();
		if (node) trouble(node);
		else untold = trouble;
	}
	return {
		tellMissed: (node: EventsNode) => {
			if (state) node.notice(state);
			untold?.(node);
			untold = undefined;
		},
		counters: () => subscription.counters(),
		close: async () => {
			closed = true;
			await subscription.close();
		},
	};
}
