/** The events node: sends each stream event as a message, without loss across deploys and restarts. */
import { ExchangeError } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import { accountNamed } from './account';
import type { Completions } from './completions';
import type { Deploys } from './deploys';
import { acknowledgedBy, keysOf } from './event-settings';
import { failureOf } from './failure';
import type { Done, Message, Node, Send, Settings } from './host';
import { subscriptionOf, type Listener } from './listener';
import { createListening, type Listening } from './listening';
import { nodeStatus } from './status';
import { inWords } from './status-words';
import { EVENTS_TYPE } from './types';

const COUNT_EVERY_MS = 2_000;

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
		const listening = createListening(listener);
		const counting = setInterval(() => showCount(listener), COUNT_EVERY_MS);
		// Node-RED exits on an unhandled rejection, so `receive` turns every failure into `done(error)`.
		if (acknowledgedBy(settings) === 'back' || settings.control === true)
			this.on('input', (message, send, done) => void receive(listener, listening, message, send, done));
		this.on('close', (removed: boolean, done: () => void) => {
			clearInterval(counting);
			void listening.leave(removed).then(() => {
				status.clear();
				done();
			});
		});
	});
}

/** Handles an incoming message: a control message, or a message that returned and acknowledges its events. */
async function receive(
	{ node, settings }: Listener,
	listening: Listening,
	message: Message,
	send: Send,
	done: Done,
): Promise<void> {
	try {
		const isBack = acknowledgedBy(settings) === 'back' && !(settings.control === true && 'action' in message);
		if (isBack) acknowledge(node, message);
		else {
			const answer = { ...message, payload: await listening.control(message) };
			send(settings.notices === true ? [null, null, answer] : [null, answer]);
		}
		done();
	} catch (error) {
		done(failureOf(error));
	}
}

/**
 * Acknowledges the events of a returned message. Keys that are not pending, such as duplicates or those from before a
 * restart, have no effect.
 */
function acknowledge(node: Node, message: Message): void {
	const keys = keysOf(message as { event?: unknown });
	subscriptionOf(node.id)?.acknowledge(keys);
	if (keys.length > 0) return;
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
	});
}
