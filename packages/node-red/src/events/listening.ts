/** A running events node: subscribes as its form or the last control message says. */
import {
	doubled,
	inBackground,
	isLost,
	sleep,
	acceptSelection,
	lastingNotices,
	SELECTION_MS_MAX,
	type OpenAccount,
} from '@partner-exchange/core/adapters';
import {
	actionOf,
	asListed,
	choiceAfter,
	choiceOfForm,
	isChoice,
	sameChoice,
	withChoice,
	type TopicChoice,
	type ControlAction,
} from './control';
import { streamOf, batchMaxOf, signatureOf, outboxSettings } from './event-settings';
import { failedText } from '../host/failure';
import { reportOnce, type NodeStatus } from '../host/status';
import { notify } from '../host/host-node';
import { ports } from '../host/ports';
import type { Message, Settings } from '../host/types';
import { isPositionLost, positionStore, ownedStore, type PositionStore } from '../positions/positions';
import { type NodeSubscription, openSubscription, type EventsNode } from './subscription';
import type { Account, StoredCheckpoint } from '@partner-exchange/core';
import { senderOf, type SendingNode } from './event-sender';
import { stalledText } from '../delivery/outbox';

/** The pauses before a node that could not begin tries again. */
const AGAIN_MS = { base: 1_000, cap: 60_000 };

export interface Listening {
	/** Executes a control message and returns the resulting topics, pairs and state. */
	control(message: Message): Promise<Record<string, unknown>>;
	/** Closes or detaches, and resolves when the position is stored. */
	leave(removed: boolean): Promise<void>;
}

export function createListening(listener: Listener): Listening {
	const { node, settings, status } = listener;
	const ofForm = choiceOfForm(settings);
	const store = choiceStore(listener);
	let choice = ofForm;
	let subscription: NodeSubscription | undefined;
	let isBegun = false;
	const gone = new AbortController();
	/** Runs the start and control messages one at a time, in order. */
	let last: Promise<unknown> = Promise.resolve();
	inBackground(keepBeginning());

	/**
	 * Tries until the node has begun, because the reason may pass, as when the service is away. Each reason is said
	 * once.
	 */
	async function keepBeginning(): Promise<void> {
		let said = '';
		for (let tries = 0; !isBegun && !gone.signal.aborted; tries += 1) {
			const begun = last.then(begin);
			last = begun.catch(() => undefined);
			said = await begun.then(
				() => '',
				(error: unknown) => told(error, said),
			);
			if (!isBegun) await sleep(ports.clock, doubled(AGAIN_MS, tries), gone.signal);
		}
	}
	function told(error: unknown, before: string): string {
		const text = reportOnce(listener, error, before);
		if (isPositionLost(error) && text !== before) notify(listener, { kind: 'position_lost', text });
		return text;
	}
	async function begin(): Promise<void> {
		if (isBegun || gone.signal.aborted) return;
		if (settings.control === true) choice = await store.load(ofForm);
		await apply();
	}
	/** Subscribes, or unsubscribes, according to `choice`. */
	async function apply(): Promise<void> {
		try {
			await subscribe();
			isBegun = true;
		} catch (error) {
			status.show('red', 'ring', failedText(error));
			throw error;
		}
	}
	async function subscribe(): Promise<void> {
		status.steered(!sameChoice(choice, ofForm));
		if (choice.isStopped) {
			await subscriptionOf(node.id)?.close();
			subscription = undefined;
			if (!gone.signal.aborted) status.show('grey', 'ring', 'stopped');
		} else
			subscription = await listen({ ...listener, settings: withChoice(settings, choice) }, () => gone.signal.aborted);
	}
	async function carryOut(action: ControlAction, message: Message): Promise<Record<string, unknown>> {
		const wanted = choiceAfter(choice, action, message);
		const isAsked = action === 'start' || action === 'change';
		const next = isAsked
			? asListed(wanted, (await selectionOf(listener, withChoice(settings, wanted))).topics)
			: wanted;
		const isNew = !sameChoice(next, choice);
		if (isNew) await store.save(next);
		choice = next;
		// `start` also restarts a subscription that failed, since the reason may have been removed.
		if (!gone.signal.aborted && (isNew || (action === 'start' && !subscriptionOf(node.id)))) await apply();
		const { isStopped, topics, pairs } = choice;
		const subscribed = isStopped ? [] : streamOf(withChoice(settings, choice)).topics;
		return { listening: !isStopped, topics, pairs, subscribed };
	}
	return {
		control: async (message) => {
			const action = actionOf(message);
			const answer = last.then(async () => await carryOut(action, message));
			last = answer.catch(() => undefined);
			return await answer;
		},
		leave: async (removed) => {
			gone.abort();
			await last;
			await (removed ? subscription?.close() : subscription?.detach());
		},
	};
}

const CHOICE_LOST =
	'What control messages had chosen is of another version or damaged, and is not read; the node listens to the topics of its form';

/** Stores the choice of control messages across deploys and restarts; a changed form discards it. */
function choiceStore(listener: Listener) {
	const { node, settings, account } = listener;
	const { topics, pairs } = choiceOfForm(settings);
	const form = JSON.stringify([topics, pairs]);
	const store = positionStore(listener, { wsUrl: account.wsUrl, form }, 'choice');
	return {
		load: async (ofForm: TopicChoice): Promise<TopicChoice> => {
			const stored = await store.load();
			if (isLost(stored)) node.warn(CHOICE_LOST);
			return isChoice(stored) ? stored : ofForm;
		},
		save: async (choice: TopicChoice) => await store.save(choice),
	};
}

// Opens the subscription of an events node, which outlives the node, and connects the node to it.

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
async function listen(listener: Listener, isGone: () => boolean): Promise<NodeSubscription> {
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
const selectionOf = async ({ client }: Pick<Listener, 'client'>, settings: Settings) =>
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
