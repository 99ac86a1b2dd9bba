/** Sends events into the flow as messages, and acknowledges each event when the flow has finished with its message. */
import type { StreamEvent } from '@partner-exchange/core';
import { noticeText } from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import type { User } from '../account/account-use';
import type { Completions } from '../delivery/completions';
import { acknowledgedBy, batchOf } from './event-settings';
import { messageOf } from '../delivery/messages';
import type { AttachedNode } from '../delivery/outbox';

export interface SendingNode extends User {
	completions: Completions;
}

export function senderOf(
	{ RED, node, settings, deploys, completions }: SendingNode,
	acknowledge: (keys: readonly string[]) => void,
): AttachedNode<StreamEvent>['send'] {
	const batch = batchOf(settings);
	const owner = { id: node.id, isRunning: () => deploys.running(node) };
	const isFollowed = acknowledgedBy(settings) === 'complete';
	const finished = inTurns(acknowledge);
	const nextId = messageIds(RED);
	return (events) => {
		for (const part of batches(events, batch)) {
			const text = noticeText(part[0]!);
			if (text !== undefined) node.warn(text);
			const _msgid = nextId();
			if (isFollowed) completions.follow(owner, _msgid, () => finished(part.map(({ eventKey }) => eventKey)));
			const message = Object.assign(messageOf(part, text === undefined ? batch : 1), { _msgid });
			// What Node-RED did not take stays pending, and is sent again.
			if (node.send(text !== undefined && settings.notices === true ? [null, message] : message))
				completions.sent(_msgid);
		}
	};
}

/**
 * Ids have the length of Node-RED's own, which cost eight random numbers each; a random prefix and a counter are unique
 * too.
 */
function messageIds(RED: NodeAPI): () => string {
	const run = RED.util.generateId().slice(0, 8);
	let count = 0;
	return () => run + (++count).toString(16).padStart(8, '0');
}

/** Splits events into messages: up to a batch of events each, and each notice on its own. */
function batches(events: readonly StreamEvent[], batch: number): StreamEvent[][] {
	const parts: StreamEvent[][] = [];
	for (const event of events) {
		const last = parts.at(-1);
		if (last && last.length < batch && !event.kind && !last[0]!.kind) last.push(event);
		else parts.push([event]);
	}
	return parts;
}

/**
 * Acknowledges once per turn of the event loop: many messages finish together, and each acknowledgement scans all
 * pending batches.
 */
export function inTurns(acknowledge: (keys: readonly string[]) => void): (keys: readonly string[]) => void {
	let waiting: string[] = [];
	return (keys) => {
		if (waiting.length === 0)
			setImmediate(() => {
				const all = waiting;
				waiting = [];
				acknowledge(all);
			});
		for (const key of keys) waiting.push(key);
	};
}
