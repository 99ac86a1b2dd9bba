/**
 * A node as the rest of this package uses it: the one boundary to Node-RED. A message may hold anything, and reading it
 * may throw; so may the hooks and Catch, Complete and Status nodes that Node-RED runs in its callbacks. Node-RED exits on
 * an exception or rejection nobody handles, so nothing gets past this file.
 */
import { inBackground, isEmpty, printable } from '@partner-exchange/core/adapters';
import { ExchangeError } from '@partner-exchange/core';
import type { Node, NodeAPI } from 'node-red';
import { failureOf, type Failure } from './failure';
import type { Done, Message, Outgoing, Send, Settings, Status } from './types';

/** A node, the settings of its form and the Node-RED that runs it. */
export interface Hosted {
	RED: NodeAPI;
	node: HostNode;
	settings: Settings;
}

export interface HostNode {
	readonly id: string;
	/** The tab or subflow of the node. */
	readonly z: string;
	/** The node of Node-RED itself, for functions of Node-RED that ask for it. */
	readonly self: Node;
	/** Sends a message and returns whether Node-RED took it. */
	send(message: Outgoing): boolean;
	status(status: Status | Record<string, never>): void;
	/** Logs a text, which no Catch node gets. */
	warn(text: string): void;
	/** Reports a failure that belongs to no message, with a new message for Catch nodes. */
	fail(failure: Failure): void;
	/** Runs `handle` for each message, sends what it returns, and completes the message exactly once. */
	onInput(handle: (message: Message) => Promise<Outgoing | undefined>): void;
	/** Runs `leave` when Node-RED closes the node, and lets Node-RED wait for it for at most CLOSE_MS_MAX. */
	onClose(leave: (removed: boolean) => Promise<unknown> | void): void;
}

/** Less than the 15 s after which Node-RED reports a node that has not closed. */
const CLOSE_MS_MAX = 8_000;

/** Registers the node that Node-RED is constructing. */
export function createHostNode(RED: NodeAPI, self: Node, settings: Settings): HostNode {
	const { nodes = {}, configs = {} } = settings._flow?.flow ?? {};
	showUnset(settings, nodes[settings.id] ?? configs[settings.id]);
	RED.nodes.createNode(self, settings);
	const host: HostNode = {
		id: self.id,
		z: self.z,
		self,
		send: (message) => succeeds(() => self.send(message)),
		status: (status) => void succeeds(() => self.status(shown(status))),
		warn: (text) => void succeeds(() => self.warn(printable(text))),
		fail: (failure) => void succeeds(() => self.error(failure, { payload: failure.cause })),
		onInput: (handle) =>
			void self.on('input', (message, send, done) => {
				inBackground(complete(host, handle, { message, send, done }));
			}),
		onClose: (leave) =>
			void self.on('close', (removed: boolean, done: () => void) => {
				inBackground(beforeClose(startOf(() => leave(removed))).then(done));
			}),
	};
	return host;
}

/**
 * Node-RED puts the value of `${NAME}` into a property before it makes a node, and leaves the text where the variable is not
 * set. An empty value would look like a property that nobody filled in, and an order be placed without its business
 * key. So the property gets its text back, which is refused where it is read.
 */
function showUnset(settings: object, written: object = {}): void {
	const values = settings as Record<string, unknown>;
	for (const [property, text] of Object.entries(written as typeof values)) {
		const value = values[property];
		const [, name] = (typeof text === 'string' && /^\$[({](\S+)[)}]$/.exec(text)) || [];
		if (name !== undefined && (isEmpty(value) || value === text)) values[property] = `\${${name}}`;
		if (typeof value === 'object' && value !== null) showUnset(value, Object(text) as object);
	}
}

/** A status may hold words of the service. */
const shown = (status: Status | Record<string, never>): Status | Record<string, never> =>
	isCleared(status) ? status : { ...status, text: printable(status.text) };

const isCleared = (status: Status | Record<string, never>): status is Record<string, never> => !('text' in status);

interface Delivery {
	message: Message;
	send: Send;
	done: Done;
}

async function complete(
	host: HostNode,
	handle: (message: Message) => Promise<Outgoing | undefined>,
	{ message, send, done }: Delivery,
): Promise<void> {
	let failure: Failure | undefined;
	try {
		const answer = await handle(copyOf(message));
		if (answer !== undefined && !succeeds(() => send(answer))) failure = failureOf(unsendable());
	} catch (error) {
		failure = failureOf(error);
	}
	// Node-RED completes the message before it looks into it for Catch and Complete nodes. Where it cannot read the
	// message, they still get the failure, with a message of its own.
	if (!succeeds(() => done(failure))) host.fail(failure ?? failureOf(unreadable()));
}

/** The flow keeps its message; ours has no getters that could throw later. */
function copyOf(message: Message): Message {
	try {
		return { ...message };
	} catch {
		throw unreadable();
	}
}

const unreadable = (): ExchangeError =>
	new ExchangeError('invalid_input', {
		field: 'msg',
		what: 'The message has a property that cannot be read',
		advice: 'Find the node that makes it, and let it build a plain object',
	});

/** An answer contains the properties of the message, and Node-RED copies them when a wire divides. */
const unsendable = (): ExchangeError =>
	new ExchangeError('invalid_input', {
		field: 'msg',
		what: 'The node has done its work, but Node-RED cannot pass on the message with the answer',
		advice: 'Take out what cannot be copied before this node, and read what was done before you send anything again',
	});

function startOf(work: () => Promise<unknown> | void): Promise<unknown> {
	try {
		return Promise.resolve(work());
	} catch {
		return Promise.resolve();
	}
}

/** Never rejects. */
async function beforeClose(work: Promise<unknown>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS_MAX)));
	await Promise.race([work.catch(() => undefined), late]);
	clearTimeout(timer);
}

/** Calls something of Node-RED's, and returns whether it returned instead of throwing. */
function succeeds(call: () => unknown): boolean {
	try {
		call();
		return true;
	} catch {
		return false;
	}
}

// The notices output of an events node, for what is no event.

/** Sends a notice, if the node has an output for them. */
export function notify({ node, settings }: { node: HostNode; settings: Settings }, payload: object): void {
	if (settings.notices === true) node.send([null, { topic: 'notice', payload }]);
}
