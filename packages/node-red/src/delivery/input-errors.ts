/**
 * Tells when the input handler of a node throws. Node-RED reports that as an error of the node and never completes the
 * message, and has no hook for it. So the handlers of a node that is about to receive a message are wrapped until they
 * have returned.
 */

type InputHandler = (this: unknown, message: unknown, ...callbacks: unknown[]) => unknown;

/** What Node-RED keeps in a node: one handler of input, or several. */
export interface ReceivingNode {
	id?: string;
	_inputCallback?: InputHandler | null;
	_inputCallbacks?: InputHandler[] | null;
}

export interface InputErrors {
	/** The node is about to receive a message. */
	receive(node: ReceivingNode): void;
	/** The handlers of the node have returned. */
	returned(node: ReceivingNode): void;
}

type Threw = (message: unknown, node: ReceivingNode) => void;

/** Calls `threw` with each message on which a handler throws, once, before Node-RED hears of it. */
export function watchInputErrors(threw: Threw): InputErrors {
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
