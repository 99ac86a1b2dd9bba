import type { OperationId } from '@partner-exchange/core/catalogue';
import type { CallContext, Client, Clock, Consumer, OpenSocket, StreamEvent } from '@partner-exchange/core';
import type { StreamPolicy } from '@partner-exchange/core/testing';
import type { Command } from './commands';
import type { LayerName } from './layers';
import type { Planted } from '../support/suite';
import type { Watched } from './wallet';

/** A defect planted in the client to verify that the simulation detects it. Without any, the client runs as shipped. */
export interface Plant extends Planted {
	layer?: LayerName;
	policy?: Partial<StreamPolicy>;
	/** Changes incoming and outgoing messages. */
	socket?: (open: OpenSocket) => OpenSocket;
	take?: (take: Consumer['deliver']) => Consumer['deliver'];
	clock?: (clock: Clock) => Clock;
	command?: (command: Command) => Command;
	/** Changes what the stream reads over REST. */
	reader?: (client: Client) => Client;
	/** Changes the state of a wallet trigger. */
	wallet?: (stored: NonNullable<Watched['stored']>) => NonNullable<Watched['stored']>;
	/** A wallet trigger stores its state before the host has acknowledged. */
	storesBeforeTelling?: boolean;
}

export interface Plants {
	readonly [name: string]: Plant;
}

interface Message {
	type: string;
	topic: string;
	topics: string[];
	seq: number;
	epoch: string;
	resume?: { [topic: string]: { seq: number } };
}

/** Changes incoming messages; undefined drops the message. One memory per connection. */
export const hearing =
	(change: (memory: Map<string, unknown>) => (message: Message) => Message | undefined): Plant['socket'] =>
	(open) =>
	(url, handlers) => {
		const changed = change(new Map());
		const passOn = (text: string): string[] => {
			const parsed = read(text);
			if (!parsed) return [text];
			const passed = changed(parsed);
			return passed ? [JSON.stringify(passed)] : [];
		};
		return open(url, { ...handlers, messages: (texts) => handlers.messages(texts.flatMap(passOn)) });
	};

export const saying =
	(change: (message: Message) => Message): Plant['socket'] =>
	(open) =>
	(url, handlers) => {
		const socket = open(url, handlers);
		return { ...socket, send: (text) => socket.send(JSON.stringify(change(JSON.parse(text) as Message))) };
	};

function read(text: string): Message | undefined {
	try {
		const parsed = JSON.parse(text) as Message | null;
		return parsed?.type === 'data' && 'seq' in parsed ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** Timers that take longer than requested. */
export const late =
	(change: (delayMs: number) => number): Plant['clock'] =>
	(clock) => ({ ...clock, after: (delayMs, action) => clock.after(change(delayMs), action) });

/** Changes events on their way to the host. */
export const handing =
	(change: (events: StreamEvent[]) => StreamEvent[]): Plant['take'] =>
	(take) =>
	(events) =>
		take(change(events));

/** Every book is the first one that was ever read. */
export function firstBook(client: Client): Client {
	let first: Promise<unknown> | undefined;
	const call = (id: OperationId, ...args: [Record<string, unknown>, CallContext?]) =>
		id === 'market.orderBook' ? (first ??= client.call<OperationId>(id, ...args)) : client.call(id, ...args);
	return { ...client, call: call as Client['call'] };
}

/** Every list is empty when it is first read in a process. */
export function emptyAtFirst(client: Client): Client {
	const read = new Set<string>();
	const page: Client['page'] = (id, ...args) => {
		if (read.has(id)) return client.page(id, ...args);
		read.add(id);
		return Promise.resolve([]);
	};
	return { ...client, page };
}
