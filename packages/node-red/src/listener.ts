/** The subscription of an events node, which outlives it, and the node as the subscription sees it. */
import type { Account, Client, StoredCheckpoint } from '@partner-exchange/core';
import { acceptSelection } from '@partner-exchange/core/adapters';
import { debouncedSave } from './debounced-save';
import { acknowledgementOf, batchMaxOf, filtersOf, signatureOf, topicsOf } from './event-settings';
import { senderOf, type SendingNode } from './event-sender';
import { failureOf } from './failure';
import type { Settings } from './host';
import { positionStore, scoped, type PositionStore } from './positions';
import type { NodeStatus } from './status';
import { inWords } from './status-words';
import { ports, shareStream } from './streams';
import type { AttachedNode } from './outbox';
import { openSubscription, type NodeSubscription } from './subscription';

/** A start does not wait longer for the list of markets. */
const SELECTION_MS_MAX = 5_000;
/** Positions kept of topics that messages have chosen before and may choose again. */
const FORMER_TOPICS_MAX = 100;

/** The subscriptions of this process, by node. They outlive the nodes, which a deploy replaces. */
const subscriptions = new Map<string, NodeSubscription>();

export const subscriptionOf = (nodeId: string): NodeSubscription | undefined => subscriptions.get(nodeId);

/** `settings` say what is listened to: those of the form, or what messages have made of them. */
export interface Listener extends SendingNode {
	status: NodeStatus;
	account: Account;
	client: Client;
}

/** Takes over the subscription of the node's predecessor, or opens one at the position the node stored last. */
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

/** What is chosen, with its pairs as the service lists them; refused by name where it lists no such thing. */
export const selectionOf = async ({ client }: Pick<Listener, 'client'>, settings: Settings) =>
	await acceptSelection(
		client,
		{ topics: topicsOf(settings), filters: filtersOf(settings) },
		{ signal: AbortSignal.timeout(SELECTION_MS_MAX) },
	);

async function open(listener: Listener, signature: string): Promise<NodeSubscription> {
	const { RED, node, settings, account, deploys, completions } = listener;
	// A position is valid only for the service it was reached on: another address starts anew.
	const { wsUrl } = account;
	const store = scoped(positionStore(RED, node, settings.store), { wsUrl });
	const checkpoint = (await store.load()) as Positions | undefined;
	const selection = await selectionOf(listener, settings);
	const kept = settings.control === true ? withFormerTopics(store, checkpoint, selection.topics) : store;
	const shared = shareStream(account);
	const subscription = openSubscription({
		signature,
		stream: shared.stream,
		consumer: {
			...selection,
			checkpoint,
			deliverMissed: settings.missed !== false,
			batchMax: batchMaxOf(settings),
		},
		place: { id: node.id, z: node.z },
		acknowledgement: acknowledgementOf(settings),
		save: debouncedSave(kept, ports.clock, () =>
			node.warn('The position cannot be stored, so a restart may send events again'),
		),
		deploys,
		clock: ports.clock,
		turn: () => new Promise((resolve) => setImmediate(resolve)),
		ended: () => {
			completions.forget(node);
			shared.release();
			if (subscriptions.get(node.id) === subscription) subscriptions.delete(node.id);
		},
	});
	subscriptions.set(node.id, subscription);
	return subscription;
}

/** The part of a checkpoint that tells topics apart. */
type Positions = StoredCheckpoint & { topics?: Readonly<Record<string, unknown>> };

/** A topic that a message takes away may come back with the next one, and goes on where it stood. */
function withFormerTopics(
	store: PositionStore,
	before: Positions | undefined,
	topics: readonly string[],
): PositionStore {
	const former = Object.entries(before?.topics ?? {}).filter(([topic]) => !topics.includes(topic));
	const kept = Object.fromEntries(former.slice(-FORMER_TOPICS_MAX));
	return {
		load: store.load,
		save: async (value) => {
			const checkpoint = value as Positions;
			await store.save({ ...checkpoint, topics: { ...kept, ...checkpoint.topics } });
		},
	};
}

function attachedNode(listener: Listener): AttachedNode {
	const { node, settings, status, completions } = listener;
	const send = senderOf(listener, (keys) => subscriptions.get(node.id)?.acknowledge(keys));
	return {
		send,
		resend: (events) => {
			completions.forget(node);
			send(events);
		},
		notice: (notice) => {
			if (notice.kind === 'state') status.state(notice.state);
			// What is known of a gap is a message of its own.
			if (settings.notices === true && notice.kind !== 'gap')
				node.send([null, { topic: 'notice', payload: { ...notice, ...subscriptions.get(node.id)?.counters() } }]);
		},
		failed: (error) => report(listener, error),
	};
}

/** No message caused this error, so Catch nodes get a new one. */
export function report({ node, status }: Pick<Listener, 'node' | 'status'>, error: unknown): void {
	const failure = failureOf(error);
	status.show('red', 'ring', inWords(failure.code));
	node.error(failure, { payload: failure.cause });
}
