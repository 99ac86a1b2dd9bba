/** The node that listens: each event of the stream becomes a message, and none is missed across deploys and restarts. */
import { ExchangeError, type Account, type Client, type StoredCheckpoint } from '@partner-exchange/core';
import { acceptSelection } from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import { accountNamed } from './account';
import type { Completions } from './completions';
import type { Deploys } from './deploys';
import {
	acknowledgedBy,
	batchOf,
	filtersOf,
	keysOf,
	messageOf,
	signatureOf,
	batchMaxOf,
	acknowledgementOf,
	topicsOf,
} from './event-settings';
import { failureOf, type Failure } from './failure';
import { openSubscription, type NodeSubscription, type AttachedNode } from './subscription';
import type { Message, Node, Settings } from './host';
import { positionStore, scoped } from './positions';
import { debouncedSave } from './debounced-save';
import { nodeStatus, type NodeStatus } from './status';
import { inWords } from './status-words';
import { ports, shareStream } from './streams';
import { EVENTS_TYPE } from './types';

/** Node-RED gives a node 15 s to close, and reports the ones that need longer. */
const CLOSE_MS_MAX = 8_000;
const COUNT_EVERY_MS = 2_000;
/** A start does not wait longer for the list of markets. */
const SELECTION_MS_MAX = 5_000;

/** The subscriptions of this process, by node. They outlive the nodes, which a deploy replaces. */
const subscriptions = new Map<string, NodeSubscription>();

export function registerEvents(RED: NodeAPI, deploys: Deploys, completions: Completions): void {
	RED.nodes.registerType(EVENTS_TYPE, function (this: Node, settings: Settings) {
		RED.nodes.createNode(this, settings);
		const opened = accountNamed(RED, settings.account);
		const status = nodeStatus(this, 'account' in opened ? opened.account : undefined);
		if ('problem' in opened) {
			status.show('red', 'ring', inWords(opened.problem.code));
			this.on('close', () => status.clear());
			return;
		}
		const listener: Listener = { RED, node: this, settings, status, deploys, completions, ...opened };
		let gone = false;
		const listening = listen(listener, () => gone).catch((error: unknown) => report(listener, error));
		const counting = setInterval(() => showCount(listener), COUNT_EVERY_MS);
		if (acknowledgedBy(settings) === 'back') this.on('input', (message, _, done) => done(acknowledge(this, message)));
		this.on('close', (removed: boolean, done: () => void) => {
			gone = true;
			clearInterval(counting);
			void leave(listening, removed).then(() => {
				status.clear();
				done();
			});
		});
	});
}

interface Listener {
	RED: NodeAPI;
	node: Node;
	settings: Settings;
	status: NodeStatus;
	deploys: Deploys;
	completions: Completions;
	account: Account;
	client: Client;
}

/** Takes over the subscription of the node's predecessor, or opens one at the position the node stored last. */
async function listen(listener: Listener, isGone: () => boolean): Promise<NodeSubscription | undefined> {
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

async function open(listener: Listener, signature: string): Promise<NodeSubscription> {
	const { RED, node, settings, account, client, deploys, completions } = listener;
	// A position is valid only for the service it was reached on: another address starts anew.
	const { wsUrl } = account;
	const store = scoped(positionStore(RED, node, settings.store), { wsUrl });
	const checkpoint = (await store.load()) as StoredCheckpoint | undefined;
	const selection = await acceptSelection(
		client,
		{ topics: topicsOf(settings), filters: filtersOf(settings) },
		{ signal: AbortSignal.timeout(SELECTION_MS_MAX) },
	);
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
		save: debouncedSave(store, ports.clock, () =>
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

/** A deploy waits until the position is stored, but never longer than the host allows. */
async function leave(listening: Promise<NodeSubscription | undefined | void>, removed: boolean): Promise<void> {
	const left = listening
		.then(async (subscription) => await (removed ? subscription?.close() : subscription?.detach()))
		.catch(() => undefined);
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([left, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS_MAX)))]);
	clearTimeout(timer);
}

function attachedNode(listener: Listener): AttachedNode {
	const { node, settings, status, completions } = listener;
	const send = senderOf(listener);
	return {
		send,
		resend: (events) => {
			completions.forget(node);
			send(events);
		},
		notice: (notice) => {
			if (notice.kind === 'state') status.state(notice.state);
			if (settings.notices === true)
				node.send([null, { topic: 'notice', payload: { ...notice, ...subscriptions.get(node.id)?.counters() } }]);
		},
		failed: (error) => report(listener, error),
	};
}

/**
 * Sends events as messages, and acknowledges each when the flow has finished with its message, where that is asked for.
 */
function senderOf({ RED, node, settings, deploys, completions }: Listener): AttachedNode['send'] {
	const batch = batchOf(settings);
	const owner = { id: node.id, isRunning: () => deploys.running({ id: node.id, z: node.z }) };
	const isFollowed = acknowledgedBy(settings) === 'complete';
	const acknowledge = inTurns((keys) => subscriptions.get(node.id)?.acknowledge(keys));
	return (events) => {
		for (let from = 0; from < events.length; from += batch) {
			const part = events.slice(from, from + batch);
			const _msgid = RED.util.generateId();
			if (isFollowed) completions.follow(owner, _msgid, () => acknowledge(part.map(({ eventKey }) => eventKey)));
			// The flow may change what it gets, and the same event may have to be sent again.
			node.send(RED.util.cloneMessage({ ...messageOf(part, batch), _msgid }));
			completions.sent(_msgid);
		}
	};
}

/** Acknowledges in batches: many messages finish at once, and each acknowledgement scans everything that is pending. */
function inTurns(acknowledge: (keys: readonly string[]) => void): (keys: readonly string[]) => void {
	let waiting: string[] = [];
	return (keys) => {
		if (waiting.length === 0)
			setImmediate(() => {
				const all = waiting;
				waiting = [];
				acknowledge(all);
			});
		waiting.push(...keys);
	};
}

/** A message came back. One that is not pending, because it came twice or from before a restart, changes nothing. */
function acknowledge(node: Node, message: Message): Failure | undefined {
	const keys = keysOf(message as { event?: unknown });
	subscriptions.get(node.id)?.acknowledge(keys);
	if (keys.length > 0) return undefined;
	return failureOf(
		new ExchangeError('invalid_input', {
			field: 'event',
			what: 'A message came back without msg.event, so its events stay unacknowledged',
			advice: 'Keep msg.event in every node of the flow, or set it again before the wire back',
		}),
	);
}

/** No message caused this error, so Catch nodes get a new one. */
function report({ node, status }: Listener, error: unknown): void {
	const failure = failureOf(error);
	status.show('red', 'ring', inWords(failure.code));
	node.error(failure, { payload: failure.cause });
}

function showCount({ node, settings, status }: Listener): void {
	const subscription = subscriptions.get(node.id);
	if (!subscription) return;
	status.count({
		...subscription.counters(),
		overdue: acknowledgedBy(settings) === 'time' ? 0 : subscription.overdue(),
	});
}
