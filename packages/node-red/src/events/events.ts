/** The events node: sends each stream event as a message, without loss across deploys and restarts. */
import { ExchangeError } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import { useAccount } from '../account/account-use';
import type { Completions } from '../delivery/completions';
import type { Deploys } from '../host/deploys';
import { keysOf } from '../delivery/messages';
import { acknowledgedBy } from './event-settings';
import type { Message, Node, Outgoing, Settings } from '../host/types';
import { createHostNode, type HostNode } from '../host/host-node';
import { createListening, type Listening } from './listening';
import { subscriptionOf, type Listener } from './subscription';
import { failedText } from '../host/failure';
import { nodeStatus } from '../host/status';
import { EVENTS_TYPE } from '../types';

/** The counters are shown at most this often, because a status for each event would be too much for the editor. */
const COUNT_EVERY_MS = 2_000;

export function registerEvents(RED: NodeAPI, deploys: Deploys, completions: Completions): void {
	RED.nodes.registerType(EVENTS_TYPE, function (this: Node, settings: Settings) {
		const node = createHostNode(RED, this, settings);
		let receive: (message: Message) => Promise<Outgoing | undefined>;
		useAccount({ RED, node, settings, deploys }, (opened) => {
			const status = nodeStatus(node, 'account' in opened ? opened.account : undefined);
			if ('problem' in opened) {
				receive = () => Promise.reject(opened.problem);
				status.show('red', 'ring', failedText(opened.problem));
				return () => status.clear();
			}
			const { account, client, share } = opened;
			const listener: Listener = { RED, node, settings, status, deploys, completions, account, client, share };
			const listening = createListening(listener);
			const counting = setInterval(() => showCount(listener), COUNT_EVERY_MS);
			receive = async (message) => await handle(listener, listening, message);
			return async (removed) => {
				clearInterval(counting);
				await listening.leave(removed);
				status.clear();
			};
		});
		if (acknowledgedBy(settings) === 'back' || settings.control === true)
			node.onInput(async (message) => await receive(message));
	});
}

/** Handles an incoming message: a control message, or a message that returned and acknowledges its events. */
async function handle(
	{ node, settings }: Listener,
	listening: Listening,
	message: Message,
): Promise<Outgoing | undefined> {
	if (acknowledgedBy(settings) === 'back' && !(settings.control === true && 'action' in message))
		return acknowledge(node, message);
	const answer = { ...message, payload: await listening.control(message) };
	return settings.notices === true ? [null, null, answer] : [null, answer];
}

/**
 * Acknowledges the events of a returned message. Keys that are not pending, such as duplicates or those from before a
 * restart, have no effect.
 */
function acknowledge({ id }: Pick<HostNode, 'id'>, message: Message): undefined {
	const keys = keysOf(message as { event?: unknown });
	subscriptionOf(id)?.acknowledge(keys);
	if (keys.length > 0) return undefined;
	throw new ExchangeError('invalid_input', {
		field: 'event',
		what: 'A message came back without msg.event, so its events stay unacknowledged',
		advice: 'Keep msg.event in every node of the flow, or set it again before the wire back',
	});
}

function showCount({ node, settings, status }: Listener): void {
	const subscription = subscriptionOf(node.id);
	if (!subscription) return;
	status.count({
		...subscription.counters(),
		overdue: acknowledgedBy(settings) === 'time' ? 0 : subscription.overdue(),
		isStored: subscription.isStored(),
	});
}
