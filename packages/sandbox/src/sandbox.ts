import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from './api/exchange';
import { OPENING_TIME_DEFAULT, type Engine } from './engine/engine';
import { isRunId } from './engine/random';
import type { KeyGrant } from './engine/seed';
import type { Settings } from './engine/state';
import { realClock, virtualClock } from './server/clock';
import { requireUsableToken } from './server/control/serve';
import { createControlRoutes } from './server/control/routes';
import { createFaults, type Faults } from './server/faults';
import { requireLocal } from './server/guard';
import { createHttpServer } from './server/http';
import { createRequestLog, type ReceivedRequest } from './server/request-log';
import type { SandboxContext } from './server/context';
import { openStorage, type Storage } from './server/storage';
import { createStreamServer, type StreamServer } from './server/stream';

/** A client with more unsent bytes is disconnected, because the buffer would exhaust memory. */
export const BACKLOG_BYTES_MAX = 1_048_576;

export interface SandboxOptions {
	/** Default 0: a free port. */
	port?: number;
	host?: string;
	/** Path of the data file; without one, the exchange is lost when the sandbox stops. */
	data?: string;
	/** Seed of prices, quantities and the sequence of identifiers. */
	seed?: number;
	/** Twelve hexadecimal digits at the end of every identifier; drawn at random for each exchange by default. */
	run?: string;
	/** A virtual clock moves only by `advance`. */
	clock?: 'real' | 'virtual';
	/** Acts as the production environment: separate keys, and no simulation routes. */
	production?: boolean;
	/** Whether the seeded market trades; default true, as for the command. */
	marketMaker?: boolean;
	/** Other formats where the interface shows none, such as `{ errors: 'list' }`. */
	dialect?: Readonly<Record<string, string>>;
	/** Additional keys to issue. */
	keys?: readonly KeyGrant[];
	settings?: Partial<Settings>;
	eventsKept?: number;
	requestsPerSecond?: number;
	messagesPerSecond?: number;
	allowRemote?: boolean;
	allowedHosts?: readonly string[];
	/** Lets other machines that send this token use the control API and the console; at least 16 characters. */
	controlToken?: string;
	backlogBytesMax?: number;
	/** Receives one line per request; lines never contain keys. */
	log?(line: string): void;
	/** Called when the data file can no longer be written; no request is answered after that. */
	onStorageFailure?(error: Error): void;
	/** Receives remarks about the data file that are not errors. */
	onStorageWarning?(text: string): void;
}

interface Addresses {
	url: string;
	baseUrl: string;
	wsUrl: string;
}

/** A running sandbox. */
export interface Sandbox extends Addresses {
	/** The current exchange; `reset` replaces it. */
	readonly exchange: Exchange;
	readonly engine: Engine;
	/** Requests received over HTTP, oldest first, without keys. */
	requests: ReceivedRequest[];
	faults: Pick<Faults, 'arm' | 'disarm' | 'armed' | 'fired'>;
	/** Advances a virtual clock. */
	advance(durationMs: number): void;
	/** Like `advance` for long durations: streams stay connected and requests are answered in between. */
	advanceInSlices(durationMs: number): Promise<void>;
	reset(): void;
	close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1' } = options;
	requireLocal(host, options.allowRemote ?? false);
	const { context, storage } = open(options);
	const { controlToken, allowRemote = false } = options;
	requireUsableToken(controlToken);
	const guard = { allowedHosts: [...(options.allowedHosts ?? []), host], allowRemote };
	const stream = createStreamServer(context, {
		...guard,
		backlogBytesMax: options.backlogBytesMax ?? BACKLOG_BYTES_MAX,
	});
	const addresses = { url: '', baseUrl: '', wsUrl: '' };
	const http = createHttpServer(context, createControlRoutes(context, { addresses: () => addresses, stream }), {
		...guard,
		controlToken,
	});
	http.on('upgrade', stream.upgrade);
	await listen(http, { port, host }).catch((error: Error) => {
		context.clock.close();
		storage.close();
		throw error;
	});
	Object.assign(addresses, addressesOf(host, (http.address() as AddressInfo).port));
	context.exchange.catchUp();
	return handle(context, stream, addresses, async () => {
		stream.close();
		http.closeAllConnections();
		await new Promise((resolve) => http.close(resolve));
		context.clock.close();
		storage.close();
	});
}

/** Builds the public handle of a running sandbox. */
function handle(
	context: SandboxContext,
	stream: StreamServer,
	addresses: Addresses,
	close: () => Promise<void>,
): Sandbox {
	const { reset, faults } = context;
	const { arm } = faults;
	/** Faults that need no message to trigger are applied when they are armed. */
	faults.arm = (request) => {
		const fault = arm(request);
		stream.strikeStreams();
		return fault;
	};
	context.reset = () => {
		for (const { socket } of stream.connections) socket.terminate();
		reset();
		context.exchange.catchUp();
	};
	return {
		...addresses,
		get exchange() {
			return context.exchange;
		},
		get engine() {
			return context.exchange.engine;
		},
		requests: context.requests.entries,
		faults,
		advance: (durationMs) => context.clock.advance(durationMs),
		advanceInSlices: (durationMs) => context.clock.advanceInSlices(durationMs, stream.drained),
		reset: () => context.reset(),
		close,
	};
}

function listen(http: Server, { port, host }: { port: number; host: string }): Promise<void> {
	return new Promise((resolve, reject) => {
		http.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
		http.listen(port, host, resolve);
	});
}

function listenError({ code, message }: NodeJS.ErrnoException, port: number, host: string): Error {
	if (code === 'EADDRINUSE')
		return new Error(`Port ${port} is taken by another program. Stop that one, or choose another port with --port.`);
	if (code === 'EACCES')
		return new Error(`Port ${port} may not be used by this user. Choose one above 1023 with --port.`);
	if (code === 'EADDRNOTAVAIL')
		return new Error(`${host} is not an address of this machine. Choose another with --host.`);
	return new Error(`The sandbox cannot listen on ${host}:${port}: ${message}.`);
}

function addressesOf(host: string, port: number): Addresses {
	const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
	return { url: `http://${name}:${port}`, baseUrl: `http://${name}:${port}/v1`, wsUrl: `ws://${name}:${port}/v1/ws` };
}

function open(options: SandboxOptions): { context: SandboxContext; storage: Storage } {
	const { marketMaker = true, clock: kind = 'real' } = options;
	const onAlarm = () => context.exchange.catchUp();
	const settings: Partial<Settings> = {
		...options.settings,
		...(marketMaker && !options.settings?.marketMaker ? { marketMaker: 'live' } : {}),
	};
	const storage = openStorage({
		file: options.data,
		exchange: { ...options, run: runOf(options), clock: undefined, settings },
		clock: (start) =>
			kind === 'real' ? realClock(onAlarm, start) : virtualClock(onAlarm, start ?? OPENING_TIME_DEFAULT),
		failed: options.onStorageFailure ?? fail,
		warn: options.onStorageWarning ?? (() => undefined),
	});
	const context: SandboxContext = {
		exchange: storage.exchange,
		clock: storage.clock,
		clockKind: kind,
		faults: createFaults(() => storage.clock.now()),
		requests: createRequestLog(),
		log: options.log,
		afterCommit: storage.afterCommit,
		reset() {
			context.exchange = storage.reset();
			context.faults.disarm();
			context.requests.entries.length = 0;
		},
	};
	return { context, storage };
}

/**
 * A random run id by default: if identifiers repeated between exchanges, clients would drop new events as duplicates.
 */
function runOf({ run = randomBytes(6).toString('hex') }: SandboxOptions): string {
	if (!isRunId(run)) throw new Error(`A run is twelve hexadecimal digits, such as 0000000000a1.`);
	return run;
}

/** A write that was not stored must not be answered, so the process has to stop. */
function fail(error: Error): void {
	throw error;
}
