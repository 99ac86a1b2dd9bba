/** Opens the subscription of an events node, which outlives the node, and connects the node to it. */
import type { Account, StoredCheckpoint } from '@partner-exchange/core';
import { acceptSelection, lastingNotices, SELECTION_MS_MAX, type OpenAccount } from '@partner-exchange/core/adapters';
import { batchMaxOf, signatureOf, streamOf } from './event-settings';
import { senderOf, type SendingNode } from './event-sender';
import type { Settings } from '../host/types';
import { notify } from '../host/notices';
import { ownedStore, positionStore, type PositionStore } from '../positions/positions';
import { reportOnce, type NodeStatus } from '../host/status';
import { stalledText } from '../delivery/outbox';
import { outboxSettings } from './outbox-settings';
import { openSubscription, type EventsNode, type NodeSubscription } from './subscription';

/** Most former topics whose positions are kept, because a control message may select them again. */
const FORMER_TOPICS_MAX = 100;

/** Subscriptions of this process by node id. They outlive the nodes, which a deploy replaces. */
const subscriptions = new Map<string, NodeSubscription>();

export const subscriptionOf = (nodeId: string): NodeSubscription | undefined => subscriptions.get(nodeId);

/** `settings` are those of the form, with the topics and pairs of the last control message. */
export interface Listener extends SendingNode, Pick<OpenAccount, 'client' | 'share'> {
	status: NodeStatus;
	account: Account;
}

/** Takes over the subscription of the previous node with this id, or opens one at the stored position. */
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
	const store = ownedStore(positionStore(listener), listener);
	const checkpoint = (await store.load()) as Positions | undefined;
	const selection = await selectionOf(listener, settings);
	const positions = settings.control === true ? withFormerTopics(store, checkpoint, selection.topics) : store;
	const shared = listener.share();
	const subscription = openSubscription({
		signature,
		stream: shared.stream,
		consumer: {
			...selection,
			checkpoint,
			batchMax: batchMaxOf(settings),
		},
		...outboxSettings(listener, positions),
		ended: () => {
			completions.forget(node);
			shared.release();
			if (subscriptions.get(node.id) === subscription) subscriptions.delete(node.id);
		},
	});
	subscriptions.set(node.id, subscription);
	return subscription;
}

/** The part of a checkpoint that holds positions by topic. */
type Positions = StoredCheckpoint & { topics?: Readonly<Record<string, unknown>> };

/** Keeps the positions of topics that a control message removed, so that a later one can resume them. */
function withFormerTopics(
	store: PositionStore,
	before: Positions | undefined,
	topics: readonly string[],
): PositionStore {
	const former = Object.entries(before?.topics ?? {}).filter(([topic]) => !topics.includes(topic));
	const latest = Object.fromEntries(former.slice(-FORMER_TOPICS_MAX));
	return {
		load: store.load,
		save: async (value) => {
			const checkpoint = value as Positions;
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
