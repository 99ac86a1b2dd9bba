/** The node that listens: each event of the stream becomes a message, and none is missed across deploys and restarts. */
import type { Account, StoredPositions } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import { accountNamed } from './account';
import type { Deploys } from './deploys';
import { batchOf, filtersOf, messageOf, settleMsOf, signatureOf, topicsOf } from './event-settings';
import { failureOf } from './failure';
import { openFeed, type Feed, type Receiver } from './feed';
import type { Node, Settings } from './host';
import { keeperOf, tagged } from './positions';
import { savingTo } from './saving';
import { inWords, lightOf, stateLight, type Light } from './status';
import { ports, shareStream } from './streams';
import { EVENTS_TYPE } from './types';

/** Node-RED gives a node 15 s to close, and reports the ones that need longer. */
const CLOSE_MS_MAX = 8_000;
/** Events taken from the stream at once; a node that sends each on its own still sends each on its own. */
const TAKEN_AT_ONCE = 50;
const COUNT_EVERY_MS = 2_000;

/** The feeds of this process, by node. They outlive the nodes, which a deploy replaces. */
const feeds = new Map<string, Feed>();

export function registerEvents(RED: NodeAPI, deploys: Deploys): void {
	RED.nodes.registerType(EVENTS_TYPE, function (this: Node, settings: Settings) {
		RED.nodes.createNode(this, settings);
		const opened = accountNamed(RED, settings.account);
		const light = lightOf(this, 'account' in opened ? opened.account : undefined);
		if ('problem' in opened) {
			light.show('red', 'ring', inWords(opened.problem.code));
			this.on('close', () => light.clear());
			return;
		}
		const listener: Listener = { RED, node: this, settings, light, deploys, account: opened.account };
		let gone = false;
		const listening = listen(listener, () => gone).catch((error: unknown) => report(listener, error));
		const counting = setInterval(() => showCount(listener), COUNT_EVERY_MS);
		this.on('close', (removed: boolean, done: () => void) => {
			gone = true;
			clearInterval(counting);
			void leave(listening, removed).then(() => {
				light.clear();
				done();
			});
		});
	});
}

interface Listener {
	RED: NodeAPI;
	node: Node;
	settings: Settings;
	light: Light;
	deploys: Deploys;
	account: Account;
}

/** Takes over the feed of the node's predecessor, or opens one from where the node stood last. */
async function listen(listener: Listener, isGone: () => boolean): Promise<Feed | undefined> {
	const { node, settings, account } = listener;
	const signature = signatureOf(settings, account);
	const predecessor = feeds.get(node.id);
	if (predecessor && predecessor.signature !== signature) await predecessor.close();
	const feed = feeds.get(node.id) ?? (await open(listener, signature));
	if (isGone()) return feed;
	listener.light.waiting();
	feed.attach(receiverOf(listener));
	return feed;
}

async function open(listener: Listener, signature: string): Promise<Feed> {
	const { RED, node, settings, account, deploys } = listener;
	// A position belongs to the service it was reached on: another address starts anew.
	const { environment, wsUrl } = account;
	const keeper = tagged(keeperOf(RED, node, settings.store), { environment, wsUrl });
	const positions = (await keeper.load()) as StoredPositions | undefined;
	const shared = shareStream(account);
	const feed = openFeed({
		signature,
		stream: shared.stream,
		consumer: {
			topics: topicsOf(settings),
			positions,
			missed: settings.missed !== false,
			filters: filtersOf(settings),
			batchMax: Math.max(batchOf(settings), TAKEN_AT_ONCE),
		},
		place: { id: node.id, z: node.z },
		settleMs: settleMsOf(settings),
		saving: savingTo(keeper, ports.clock, () =>
			node.warn('The position cannot be stored, so a restart may send events again'),
		),
		deploys,
		clock: ports.clock,
		turn: () => new Promise((resolve) => setImmediate(resolve)),
		ended: () => {
			shared.release();
			if (feeds.get(node.id) === feed) feeds.delete(node.id);
		},
	});
	feeds.set(node.id, feed);
	return feed;
}

/** A deploy waits until the position is stored, but never longer than the host allows. */
async function leave(listening: Promise<Feed | undefined | void>, removed: boolean): Promise<void> {
	const left = listening.then(async (feed) => await (removed ? feed?.close() : feed?.detach())).catch(() => undefined);
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([left, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS_MAX)))]);
	clearTimeout(timer);
}

function receiverOf(listener: Listener): Receiver {
	const { RED, node, settings, light } = listener;
	const batch = batchOf(settings);
	return {
		send: (events) => {
			// The flow may change what it gets, and the same event may have to be sent again.
			for (let from = 0; from < events.length; from += batch) {
				node.send(RED.util.cloneMessage(messageOf(events.slice(from, from + batch), batch)));
			}
		},
		notice: (notice) => {
			if (notice.kind === 'state') stateLight(light, notice.state);
			if (settings.notices === true)
				node.send([null, { topic: 'notice', payload: { ...notice, ...feeds.get(node.id)?.counters() } }]);
		},
		failed: (error) => report(listener, error),
	};
}

/** No message caused this, so Catch nodes get one of their own. */
function report({ node, light }: Listener, error: unknown): void {
	const failure = failureOf(error);
	light.show('red', 'ring', inWords(failure.code));
	node.error(failure, { payload: failure.cause });
}

function showCount({ node, light }: Listener): void {
	const counters = feeds.get(node.id)?.counters();
	if (counters) light.count(counters.delivered, counters.gaps);
}
