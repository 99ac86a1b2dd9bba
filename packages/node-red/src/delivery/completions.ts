/**
 * Detects when the flow has finished with a message. Node-RED calls hooks when it delivers a message to a node and when
 * a node completes it, as the Complete node does. A message is finished when every delivery of it, and of messages
 * derived from it, is completed, or its handler has thrown. A message dropped by a deploy never finishes.
 */
import type { NodeAPI } from 'node-red';

export interface Completions {
	/**
	 * Calls `finished` once, when the message with this `_msgid` is finished. Must be called before sending the message.
	 */
	follow(owner: Owner, messageId: string, finished: () => void): void;
	/** Reports that the message was sent. A message that was delivered to no node is finished. */
	sent(messageId: string): void;
	/** Stops following all messages of the owner. */
	forget(owner: Pick<Owner, 'id'>): void;
}

interface Owner {
	id: string;
	/**
	 * Whether the owner's flow runs. Stopped nodes report messages they drop as complete, and those reports are ignored.
	 */
	isRunning: () => boolean;
}

interface Followed {
	id: string;
	owner: Owner;
	/** The node of each delivery not yet completed. A node that completes a message twice completes no other's. */
	open: (string | undefined)[];
	isChecking: boolean;
	finished: () => void;
}

/**
 * The argument of all hooks. Nodes with the old input API never report completion, so a delivery to them counts
 * as completed on receipt.
 */
interface Report {
	msg?: { _msgid?: string };
	/** The node that completes a message. */
	node?: { id?: string };
	destination?: { id?: string; node?: ReceivingNode & { _expectedDoneCount?: number } };
}

const LABEL = 'partnerExchange';

export function watchCompletions({ hooks }: Pick<NodeAPI, 'hooks'>): Completions {
	const followed = new Map<string, Followed>();
	const of = (message: { _msgid?: string } | undefined): Followed | undefined =>
		message?._msgid === undefined ? undefined : followed.get(message._msgid);

	/**
	 * A node may complete a message just before it sends it on, so all messages that may be finished are checked in the
	 * next turn of the event loop. A stop that begins in between takes nothing back.
	 */
	let checking: Followed[] = [];
	function check(message: Followed): void {
		if (message.open.length > 0 || message.isChecking) return;
		message.isChecking = true;
		if (checking.length === 0) setImmediate(decide);
		checking.push(message);
	}
	function decide(): void {
		const due = checking;
		checking = [];
		for (const message of due) {
			message.isChecking = false;
			if (message.open.length > 0 || followed.get(message.id) !== message) continue;
			followed.delete(message.id);
			message.finished();
		}
	}
	function leave(message: { _msgid?: string } | undefined, nodeId: string | undefined): void {
		const entry = of(message);
		const delivery = entry?.open.indexOf(nodeId) ?? -1;
		if (!entry?.owner.isRunning() || delivery < 0) return;
		entry.open.splice(delivery, 1);
		check(entry);
	}
	hooks.add(`preDeliver.${LABEL}`, ({ msg, destination }: Report) => void of(msg)?.open.push(destination?.id));
	const inputErrors = watchInputErrors((message, { id }) => leave(message as Report['msg'], id));
	hooks.add(`onReceive.${LABEL}`, ({ msg, destination }: Report) => {
		if (destination?.node && destination.node._expectedDoneCount !== 0 && of(msg))
			inputErrors.receive(destination.node);
	});
	hooks.add(`postReceive.${LABEL}`, ({ msg, destination }: Report) => {
		if (!destination?.node) return;
		inputErrors.returned(destination.node);
		if (destination.node._expectedDoneCount === 0) leave(msg, destination.id);
	});
	hooks.add(`onComplete.${LABEL}`, ({ msg, node }: Report) => leave(msg, node?.id));

	return {
		follow: (owner, id, finished) => void followed.set(id, { id, owner, open: [], isChecking: false, finished }),
		sent: (id) => {
			const entry = followed.get(id);
			if (entry) check(entry);
		},
		forget: (owner) => {
			for (const [id, entry] of followed) if (entry.owner.id === owner.id) followed.delete(id);
		},
	};
}

// The input handler of a node may throw. Node-RED reports that as an error of the node and never completes the message,
// and has no hook for it. So the handlers of a node that is about to receive a message are wrapped until they have
// returned.

type InputHandler = (this: unknown, message: unknown, ...callbacks: unknown[]) => unknown;

/** What Node-RED keeps in a node: one handler of input, or several. */
interface ReceivingNode {
	id?: string;
	_inputCallback?: InputHandler | null;
	_inputCallbacks?: InputHandler[] | null;
}

interface InputErrors {
	/** The node is about to receive a message. */
	receive(node: ReceivingNode): void;
	/** The handlers of the node have returned. */
	returned(node: ReceivingNode): void;
}

type Threw = (message: unknown, node: ReceivingNode) => void;

/** Calls `threw` with each message on which a handler throws, once, before Node-RED gets the error. */
function watchInputErrors(threw: Threw): InputErrors {
	/** The handlers of a node, and the same wrapped, since most nodes receive many messages. */
	const handlersOf = new WeakMap<ReceivingNode, { own: ReceivingNode; wrapped: ReceivingNode }>();
	return {
		receive: (node) => {
			const { _inputCallback, _inputCallbacks } = node;
			const before = handlersOf.get(node);
			// A hook of somebody else may have stopped the message before, so they are still wrapped.
			if (before && isSame(before.wrapped, node)) return;
			if (!before || !isSame(before.own, node))
				handlersOf.set(node, { own: { _inputCallback, _inputCallbacks }, wrapped: wrappedOf(node, threw) });
			Object.assign(node, handlersOf.get(node)!.wrapped);
		},
		returned: (node) => {
			const before = handlersOf.get(node);
			if (before && isSame(before.wrapped, node)) Object.assign(node, before.own);
		},
	};
}

const isSame = (node: ReceivingNode, other: ReceivingNode): boolean =>
	node._inputCallback === other._inputCallback && node._inputCallbacks === other._inputCallbacks;

function wrappedOf(node: ReceivingNode, threw: Threw): ReceivingNode {
	const { _inputCallback, _inputCallbacks } = node;
	let last: unknown;
	const wrap = (handler: InputHandler): InputHandler =>
		function (message, ...callbacks) {
			try {
				return handler.call(this, message, ...callbacks);
			} catch (error) {
				if (last !== message) threw(message, node);
				last = message;
				throw error;
			}
		};
	return {
		_inputCallback: _inputCallback && wrap(_inputCallback),
		_inputCallbacks: _inputCallbacks && _inputCallbacks.map(wrap),
	};
}
