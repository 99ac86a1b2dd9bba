/**
 * Follows messages through the flows. Node-RED reports in hooks when it delivers a message to a node and when a node has
 * finished with one, as the Complete node does. A message is finished when every node that got it, or got what it became,
 * has; what a deploy dropped never is.
 */
import type { NodeAPI } from 'node-red';

export interface Completions {
	/** Calls back once, when the message with this `_msgid` is finished. To be called before it is sent. */
	follow(owner: Owner, messageId: string, finished: () => void): void;
	/** The owner has sent everything from the node it belongs to; what went nowhere is finished. */
	sent(messageId: string): void;
	/** What the owner sent so far is no longer followed. */
	forget(owner: Pick<Owner, 'id'>): void;
}

interface Owner {
	id: string;
	/** Whether its flow runs. Nodes that are stopped report messages as finished that they drop. */
	isRunning: () => boolean;
}

interface Followed {
	id: string;
	owner: Owner;
	/** Deliveries that no node has finished with. */
	open: number;
	isChecking: boolean;
	finished: () => void;
}

/** What all three hooks report. Listeners of the old kind never say when they have finished, and are not counted. */
interface Report {
	msg?: { _msgid?: string };
	destination?: { node?: { _expectedDoneCount?: number } };
}

const LABEL = 'partnerExchange';

export function watchCompletions({ hooks }: Pick<NodeAPI, 'hooks'>): Completions {
	const followed = new Map<string, Followed>();
	const of = (message: { _msgid?: string } | undefined): Followed | undefined =>
		message?._msgid === undefined ? undefined : followed.get(message._msgid);

	/** A node may finish with a message just before it sends it on, so the next turn decides, on all of this turn at once. */
	let checking: Followed[] = [];
	function check(message: Followed): void {
		if (message.open > 0 || message.isChecking) return;
		message.isChecking = true;
		if (checking.length === 0) setImmediate(decide);
		checking.push(message);
	}
	function decide(): void {
		const due = checking;
		checking = [];
		for (const message of due) {
			message.isChecking = false;
			if (message.open > 0 || followed.get(message.id) !== message || !message.owner.isRunning()) continue;
			followed.delete(message.id);
			message.finished();
		}
	}
	function leave(message: { _msgid?: string } | undefined): void {
		const one = of(message);
		if (!one?.owner.isRunning()) return;
		one.open -= 1;
		check(one);
	}
	hooks.add(`preDeliver.${LABEL}`, ({ msg }: Report) => {
		const one = of(msg);
		if (one) one.open += 1;
	});
	hooks.add(`postReceive.${LABEL}`, ({ msg, destination }: Report) => {
		if (destination?.node?._expectedDoneCount === 0) leave(msg);
	});
	hooks.add(`onComplete.${LABEL}`, ({ msg }: Report) => leave(msg));

	return {
		follow: (owner, id, finished) => void followed.set(id, { id, owner, open: 0, isChecking: false, finished }),
		sent: (id) => {
			const one = followed.get(id);
			if (one) check(one);
		},
		forget: (owner) => {
			for (const [id, one] of followed) if (one.owner.id === owner.id) followed.delete(id);
		},
	};
}
