import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from './api/exchange';
import { OPENING_TIME_DEFAULT, type Engine } from './engine/engine';
import { isRunId } from './engine/random';
import type { KeyGrant } from './engine/seed';
import type { Settings } from './engine/state';
import { realClock, virtualClock } from './server/clock';
import { requireUsableToken } from './server/control/access';
import { createControlRoutes } from './server/control/routes';
import { createFaults, type Fault, type FaultRequest, type Faults, type FiredFault } from './server/faults';
import { requireLocal } from './server/guard';
import { createHttpServer } from './server/http';
import { createRequestLog, type ReceivedRequest } from './server/request-log';
import type { SandboxContext } from './server/context';
import { openStorage, type Storage } from './server/storage';
import { BACKLOG_BYTES_MAX } from './server/limits';
import { createStreamServer, type StreamServer } from './server/stream';

export interface SandboxOptions {
	/** 0, the default, picks a free port. */
	port?: number;
	host?: string;
	/** Data file; without it everything is lost at the end. */
	data?: string;
	/** Fixes prices, quantities and the sequence of identifiers. */
	seed?: number;
	/** Twelve hexadecimal digits that end every identifier; drawn anew for each exchange in memory when not given. */
	run?: string;
	/** A virtual clock moves only by `advance`. */
	clock?: 'real' | 'virtual';
	/** Behaves as the production environment: its own keys, no simulation. */
	production?: boolean;
	/** Whether a seeded market trades by itself; true when not given, as with the command. */
	marketMaker?: boolean;
	/** Other shapes where the interface shows none, such as `{ errors: 'list' }`. */
	dialect?: Readonly<Record<string, string>>;
	/** Further keys. */
	keys?: readonly KeyGrant[];
	settings?: Partial<Settings>;
	eventsKept?: number;
	/** With a data file: finished orders, and fills and idempotency keys of each account, that stay in memory. */
	finishedKept?: number;
	requestsPerSecond?: number;
	messagesPerSecond?: number;
	allowRemote?: boolean;
	allowedHosts?: readonly string[];
	/** Opens control and console to other machines that send it; at least 16 characters. */
	controlToken?: string;
	backlogBytesMax?: number;
	/** Receives one line per request, without keys. */
	log?(line: string): void;
	/** Called when the data file can no longer be written; no request is answered after that. */
	onStorageFailure?(error: Error): void;
	/** Told what is worth knowing about the data file though it can be used. */
	onStorageNote?(note: string): void;
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
	/** What arrived over HTTP, oldest first, without keys. */
	requests: ReceivedRequest[];
	faults: {
		arm(request: FaultRequest): Fault;
		disarm(id?: number): void;
		readonly armed: Fault[];
		readonly fired: FiredFault[];
	};
	/** Moves a virtual clock. */
	advance(durationMs: number): void;
	/** The same for long times: streams stay up and requests are answered meanwhile. */
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

/** Builds the public handle. */
function handle(
	context: SandboxContext,
	stream: StreamServer,
	addresses: Addresses,
	close: () => Promise<void>,
): Sandbox {
	const reset = context.reset;
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
		faults: controlled(context.faults, stream.strikeStreams),
		advance: (durationMs) => context.clock.advance(durationMs),
		advanceInSlices: (durationMs) => context.clock.advanceInSlices(durationMs, stream.drained),
		reset: () => context.reset(),
		close,
	};
}

/** Faults that need no message strike when they are armed. */
function controlled(faults: Faults, strikeStreams: () => void): Sandbox['faults'] {
	return {
		arm(request) {
			const fault = faults.arm(request);
			strikeStreams();
			return fault;
		},
		disarm: faults.disarm,
		get armed() {
			return faults.armed;
		},
		get fired() {
			return faults.fired;
		},
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
		noted: options.onStorageNote ?? (() => undefined),
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

/** Identifiers must not repeat from one exchange in memory to the next: clients would take new events for known ones. */
function runOf({ run = randomBytes(6).toString('hex') }: SandboxOptions): string {
	if (!isRunId(run)) throw new Error(`A run is twelve hexadecimal digits, such as 0000000000a1.`);
	return run;
}

/** A write that was not stored must not be answered, so the process cannot continue. */
function fail(error: Error): void {
	throw error;
}
