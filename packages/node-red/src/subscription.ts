/**
 * The subscription of a listening node. It outlives the node: a deploy replaces the node, while the subscription stays,
 * holds new events back and sends those that may have been lost through the node's successor.
 */
import type { Consumer, Counters, ExchangeError, Stream, StreamNotice } from '@partner-exchange/core';
import { createOutbox, type AttachedNode, type Outbox, type OutboxSettings } from './outbox';

/** A subscription without a node ends after this time: the node was removed, or its flow is disabled. */
const ORPHAN_MS = 60_000;

const READY: StreamNotice = { kind: 'state', state: 'live', text: 'Connected' };

export interface NodeSubscription {
	/** The settings it was made from: a successor with other settings needs another subscription. */
	signature: string;
	counters(): Counters;
	/** The flow finished with the events of these keys. */
	acknowledge(keys: readonly string[]): void;
	/** Pending batches, once the oldest of them is overdue. */
	overdue(): number;
	attach(node: AttachedNode): void;
	/** The node is gone for now. Resolves when its position is stored. */
	detach(): Promise<void>;
	close(): Promise<void>;
}

export interface SubscriptionSettings extends OutboxSettings {
	signature: string;
	stream: Pick<Stream, 'subscribe'>;
	consumer: Pick<Consumer, 'topics' | 'checkpoint' | 'deliverMissed' | 'filters' | 'batchMax'>;
	ended: () => void;
}

export function openSubscription(settings: SubscriptionSettings): NodeSubscription {
	const { save, clock } = settings;
	const outbox = createOutbox(settings);
	const subscription = subscribe(settings, outbox, () => void close());
	let cancelOrphan: (() => void) | undefined;
	let closing: Promise<void> | undefined;

	function close(): Promise<void> {
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
		attach: (node) => {
			cancelOrphan?.();
			const state = subscription.state();
			if (state) node.notice(state);
			outbox.attach(node);
		},
		detach: async () => {
			outbox.attach(undefined);
			cancelOrphan = clock.after(ORPHAN_MS, () => void close());
			await save.flush();
		},
		close,
	};
}

/** Subscribes the outbox to the stream, and remembers the state of the connection for the node that comes next. */
function subscribe({ stream, consumer }: SubscriptionSettings, outbox: Outbox, ended: () => void) {
	let state: StreamNotice | undefined;
	let closed = false;
	const subscription = stream.subscribe({
		...consumer,
		// A host that starts while the service is away waits for it, as it does when the service goes away later.
		retriesFirstConnection: true,
		deliver: (events) => outbox.deliver(events),
		onCheckpoint: (checkpoint) => outbox.onCheckpoint(checkpoint),
		onNotice,
		// The stream goes on trying, so the subscription stays.
		onRefused: (error) => outbox.node()?.failed(error),
		onFailed: fail,
	});
	// A subscriber that joins an open connection hears of no change of its state.
	subscription.ready.then(() => onNotice(READY), fail);

	function onNotice(notice: StreamNotice): void {
		if (notice.kind === 'state') {
			if (notice.state === state?.state) return;
			state = notice;
		}
		outbox.node()?.notice(notice);
	}
	/** A reason that only a person can remove: the deploy afterwards makes a new subscription. */
	function fail(error: ExchangeError): void {
		if (closed) return;
		outbox.node()?.failed(error);
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
