/** Sends events into the flow as messages, and has each acknowledged when the flow is through with it. */
import type { NodeAPI } from 'node-red';
import type { Completions } from './completions';
import type { Deploys } from './deploys';
import { acknowledgedBy, batchOf, messageOf } from './event-settings';
import type { Node, Settings } from './host';
import type { AttachedNode } from './subscription';

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
	const owner = { id: node.id, isRunning: () => deploys.running({ id: node.id, z: node.z }) };
	const isFollowed = acknowledgedBy(settings) === 'complete';
	const finished = inTurns(acknowledge);
	return (events) => {
		for (let from = 0; from < events.length; from += batch) {
			const part = events.slice(from, from + batch);
			const _msgid = RED.util.generateId();
			if (isFollowed) completions.follow(owner, _msgid, () => finished(part.map(({ eventKey }) => eventKey)));
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
