import type { Account } from '../../account';
import { isPrivate, TOPICS_PER_CONNECTION_MAX } from '../../catalogue';
import { ExchangeError, isExchangeError } from '../../errors';
import { streamUrl } from './address';
import type { StreamState } from '../contract';
import type { Feed } from '../sync/channel';
import type { Frame } from './frames';
import { createLine, type Line, type LinePorts } from './session';
import { QUEUE_MAX } from '../limits';
import type { Reader } from '../sync/history';
import type { Receiver } from '../delivery/subscriber';

/** The connections of an account: those with the key for what is private, those without for the rest. */
export interface Lines {
	/** The connection a topic is on. */
	of(topic: string): Line | undefined;
	feed(topic: string): Feed | undefined;
	/** Whether a text was handed to the connection a topic is on. */
	send(topic: string, text: string): boolean;
	/** The connections of some topics wait. */
	pause(topics: readonly string[]): void;
	/** They go on, but for those somebody else still needs to wait. */
	resume(topics: readonly string[]): void;
	carry(feed: Feed): void;
	let(feed: Feed): void;
	close(): void;
}

export interface LinesPorts extends Pick<LinePorts, 'openSocket' | 'clock' | 'random'> {
	account: Account;
	client: Reader;
	received(frame: Frame): void;
	/** A message that could not be understood. */
	ignored(line: Line): void;
	/** The connection with the key was lost, and with it the answers to what was sent on it. */
	lost(): void;
	/** A connection will not come about; answers whether to go on trying all the same. */
	failed(line: Line, error: ExchangeError, final: boolean): boolean;
	changed(line: Line, state: StreamState): void;
}

export function createLines(ports: LinesPorts): Lines {
	const { account, client } = ports;
	const lines: { line: Line; keyed: boolean; asking: AbortController }[] = [];

	function open(keyed: boolean): Line {
		const asking = new AbortController();
		const line: Line = createLine({
			...ports,
			url: streamUrl(account, keyed),
			diagnose: (status) => diagnose(keyed, status, asking.signal),
			received: (frame) => (frame.type === 'ignored' ? ports.ignored(line) : ports.received(frame)),
			lost: () => {
				if (keyed) ports.lost();
			},
			unreachable: () => {
				if (!ports.failed(line, unreachable(), false)) dispose(line);
			},
			failed: (error) => {
				ports.failed(line, error, true);
				dispose(line);
			},
			idle: () => dispose(line),
			changed: (state) => ports.changed(line, state),
		});
		lines.push({ line, keyed, asking });
		return line;
	}

	/** A refused key is told apart from a dead network by asking REST, where the host hides the status. */
	async function diagnose(
		keyed: boolean,
		status: number | undefined,
		signal: AbortSignal,
	): Promise<ExchangeError | undefined> {
		if (!keyed) return undefined;
		if (status === 401 || status === 403) return refusedKey(status);
		if (status !== undefined) return undefined;
		try {
			await client.call('wallet.balances', {}, { signal });
		} catch (error) {
			// Anything else says nothing about the key: it may be valid and not allowed to read the wallet.
			if (isExchangeError(error, 'unauthorized')) return refusedKey(401);
		}
		return undefined;
	}

	function dispose(line: Line): void {
		const index = lines.findIndex((entry) => entry.line === line);
		lines[index]?.asking.abort();
		if (index >= 0) lines.splice(index, 1);
		line.close();
	}

	const of = (topic: string): Line | undefined => lines.find(({ line }) => line.feeds.has(topic))?.line;

	const all = (topics: readonly string[]): Line[] => [...new Set(topics.flatMap((topic) => of(topic) ?? []))];

	return {
		of,
		feed: (topic) => of(topic)?.feeds.get(topic),
		send: (topic, text) => of(topic)?.connection.send(text) ?? false,
		pause: (topics) => all(topics).forEach(({ connection }) => connection.pause()),
		resume: (topics) => {
			for (const line of all(topics)) if (line.receivers().every(hasRoom)) line.connection.resume();
		},
		carry: (feed) => {
			const keyed = isPrivate(feed.topic);
			const roomy = lines.find((entry) => entry.keyed === keyed && entry.line.feeds.size < TOPICS_PER_CONNECTION_MAX);
			(roomy?.line ?? open(keyed)).carry(feed);
		},
		let: (feed) => of(feed.topic)?.let(feed),
		close: () => {
			for (const { line } of [...lines]) dispose(line);
		},
	};
}

/** Whether a consumer caught up far enough to take more. */
export const hasRoom = (receiver: Receiver): boolean => receiver.waiting() <= QUEUE_MAX / 2;

const refusedKey = (status: number): ExchangeError =>
	new ExchangeError(status === 403 ? 'forbidden' : 'unauthorized', {
		operation: 'Stream',
		status,
		what: status === 403 ? 'The key may not open the stream' : 'The service does not know this key',
	});

const unreachable = (): ExchangeError =>
	new ExchangeError('unreachable', {
		operation: 'Stream',
		what: 'The WebSocket address does not answer',
		advice: 'Check the WebSocket URL and that the service is running',
	});
