/**
 * The subscription of an events node. It outlives the node: a deploy replaces the node, while the subscription holds
 * new events back and then sends those that may have been lost through the new node.
 */
import {
	acceptSelection,
	inBackground,
	lastingNotices,
	SELECTION_MS_MAX,
	type OpenAccount,
} from '@partner-exchange/core/adapters';
import type {
	Account,
	Consumer,
	Counters,
	ExchangeError,
	StoredCheckpoint,
	Stream,
	StreamEvent,
	StreamNotice,
} from '@partner-exchange/core';
import { createOutbox, stalledText, type AttachedNode, type Outbox, type OutboxSettings } from '../delivery/outbox';
import { notify } from '../host/host-node';
import { reportOnce, type NodeStatus } from '../host/status';
import type { Settings } from '../host/types';
import type { DebouncedSave } from '../checkpoints/debounced-save';
import { ownedStore, checkpointStore, type CheckpointStore } from '../checkpoints/checkpoints';
import { senderOf, type SendingNode } from './event-sender';
import { batchMaxOf, outboxSettings, signatureOf, streamOf } from './event-settings';

/** A subscription without a node is closed after this time: its node was removed, or its flow is disabled. */
const ORPHAN_MS = 60_000;
/** Most former topics of which the checkpoint keeps what is known, because a control message may select them again. */
const FORMER_TOPICS_MAX = 100;

const READY: StreamNotice = { kind: 'state', state: 'live', text: 'Connected' };

/** The events node that is attached to a subscription. */
interface EventsNode extends AttachedNode<StreamEvent> {
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
	/** Whether the latest checkpoint could be stored. */
	isStored(): boolean;
	attach(node: EventsNode): void;
	/** Called when the node closes. Resolves when its checkpoint is stored. */
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

/** Subscriptions of this process by node id. They outlive the nodes, which a deploy replaces. */
const subscriptions = new Map<string, NodeSubscription>();

export const subscriptionOf = (nodeId: string): NodeSubscription | undefined => subscriptions.get(nodeId);

/** `settings` are those of the form, with the topics and pairs of the last control message. */
export interface Listener extends SendingNode, Pick<OpenAccount, 'client' | 'share'> {
	status: NodeStatus;
	account: Account;
}

/** Takes over the subscription of the previous node with this id, or opens one at the stored checkpoint. */
export async function listen(listener: Listener, isGone: () => boolean): Promise<NodeSubscription> {
	const { node, settings, account } = listener;
	const signature = signatureOf(settings, account);
	const predecessor = subscriptions.get(node.id);
	if (predecessor && predecessor.signature !== signature) await predecessor.close();
	const subscription = subscriptions.get(node.id) ?? (await open(listener, signature));
	if (isGone()) return subscription;
	listener.status.state('connecting');
	subscription.attach(attachedNode(listener));
	return subscription;
}

/** Resolves topics and pairs to those the service lists; throws on a pair that the service does not list. */
export const selectionOf = async ({ client }: Pick<Listener, 'client'>, settings: Settings) =>
	await acceptSelection(client, streamOf(settings), { signal: AbortSignal.timeout(SELECTION_MS_MAX) });

async function open(listener: Listener, signature: string): Promise<NodeSubscription> {
	const { node, settings, completions } = listener;
	const store = ownedStore(checkpointStore(listener), listener);
	const checkpoint = (await store.load()) as Topical | undefined;
	const selection = await selectionOf(listener, settings);
	const keeping = settings.control === true ? withFormerTopics(store, checkpoint, selection.topics) : store;
	const shared = listener.share();
	const subscription = openSubscription({
		signature,
		stream: shared.stream,
		consumer: {
			...selection,
			checkpoint,
			batchMax: batchMaxOf(settings),
		},
		...outboxSettings(listener, keeping),
		ended: () => {
			completions.forget(node);
			shared.release();
			if (subscriptions.get(node.id) === subscription) subscriptions.delete(node.id);
		},
	});
	subscriptions.set(node.id, subscription);
	return subscription;
}

/** The part of a checkpoint that holds what is known of each topic. */
type Topical = StoredCheckpoint & { topics?: Readonly<Record<string, unknown>> };

/** Keeps what is known of topics that a control message removed, so that a later one can resume them. */
function withFormerTopics(
	store: CheckpointStore,
	before: Topical | undefined,
	topics: readonly string[],
): CheckpointStore {
	const former = Object.entries(before?.topics ?? {}).filter(([topic]) => !topics.includes(topic));
	const latest = Object.fromEntries(former.slice(-FORMER_TOPICS_MAX));
	return {
		load: store.load,
		save: async (value) => {
			const checkpoint = value as Topical;
			await store.save({ ...checkpoint, topics: { ...latest, ...checkpoint.topics } });
		},
	};
}

const AWAY =
	'The Stream Address does not answer, so no event arrives until it does; it is tried again and again. Check the Stream Address, that the service is running, and that a proxy in between lets WebSockets through.';

function attachedNode(listener: Listener): EventsNode {
	const { node, status, completions } = listener;
	const sayLasting = lastingNotices((text) => node.warn(text));
	const send = senderOf(listener, (keys) => subscriptions.get(node.id)?.acknowledge(keys));
	return {
		send,
		resend: (events) => {
			completions.forget(node);
			send(events);
		},
		notice: (notice) => {
			if (notice.kind === 'state') status.state(notice.state);
			sayLasting(notice);
			// A gap is sent as a message of its own.
			if (notice.kind !== 'gap') notify(listener, { ...notice, ...subscriptions.get(node.id)?.counters() });
		},
		away: () => {
			node.warn(AWAY);
			notify(listener, { kind: 'degraded', state: 'waiting', text: AWAY });
		},
		failed: (error) => void reportOnce(listener, error),
		stalled: (events) => {
			const text = stalledText(events.length);
			node.warn(text);
			const payload = { kind: 'handed_over', text, event_keys: events.map(({ eventKey }) => eventKey) };
			notify(listener, payload);
		},
	};
}
