/** Sends events into the flow as messages, and has each acknowledged when the flow is through with it. */
import type { StreamEvent } from '@partner-exchange/core';
import { noticeText } from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import type { Completions } from './completions';
import type { Deploys } from './deploys';
import { acknowledgedBy, batchOf, messageOf } from './event-settings';
import type { Node, Settings } from './host';
import type { AttachedNode } from './outbox';

export interface SendingNode {
	RED: NodeAPI;
	node: Node;
	settings: Settings;
	deploys: Deploys;
	completions: Completions;
}

export function senderOf(
	{ RED, node, settings, deploys, completions }: SendingNode,
	acknowledge: (keys: readonly string[]) => void,
): AttachedNode['send'] {
	const batch = batchOf(settings);
	const place = { id: node.id, z: node.z };
	const owner = { id: node.id, isRunning: () => deploys.running(place) };
	const isFollowed = acknowledgedBy(settings) === 'complete';
	const finished = inTurns(acknowledge);
	const nextId = messageIds(RED);
	return (events) => {
		for (const part of partsOf(events, batch)) {
			const text = noticeText(part[0]!);
			if (text !== undefined) node.warn(text);
			const _msgid = nextId();
			if (isFollowed) completions.follow(owner, _msgid, () => finished(part.map(({ eventKey }) => eventKey)));
			const message = Object.assign(messageOf(part, text === undefined ? batch : 1), { _msgid });
			node.send(text !== undefined && settings.notices === true ? [null, message] : message);
			completions.sent(_msgid);
		}
	};
}

/** As long as Node-RED's own, which draws eight numbers for each; one draw and a count tell these apart. */
function messageIds(RED: NodeAPI): () => string {
	const run = RED.util.generateId().slice(0, 8);
	let count = 0;
	return () => run + (++count).toString(16).padStart(8, '0');
}

/** Up to a batch of events at a time, and each notice on its own. */
function partsOf(events: readonly StreamEvent[], batch: number): StreamEvent[][] {
	const parts: StreamEvent[][] = [];
	for (const event of events) {
		const last = parts.at(-1);
		if (last && last.length < batch && !event.kind && !last[0]!.kind) last.push(event);
		else parts.push([event]);
	}
	return parts;
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
