import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from './api/exchange';
import { OPENING_TIME_DEFAULT, type Engine } from './engine/engine';
import type { KeyGrant } from './engine/opening';
import type { Settings } from './engine/state';
import { realClock, virtualClock } from './server/clock';
import { createControls } from './server/controls';
import { createFaults, type Fault, type FaultRequest, type Faults, type FiredFault } from './server/faults';
import { requireLocal } from './server/guard';
import { createHttpServer } from './server/http';
import type { ReceivedRequest } from './server/requests';
import type { Running } from './server/running';
import { openStorage, type Storage } from './server/storage';
import { BACKLOG_BYTES_MAX, createStreamServer, type StreamServer } from './server/stream';

export interface SandboxOptions {
	/** 0, the default, takes any free port. */
	port?: number;
	host?: string;
	/** Where the exchange is kept; without it everything is gone at the end. */
	data?: string;
	seed?: number;
	/** A virtual clock stands still until `advance`. */
	clock?: 'real' | 'virtual';
	/** Behaves as the production environment: its own keys, no simulation. */
	production?: boolean;
	/** Whether a seeded market trades by itself. */
	marketMaker?: boolean;
	/** Other plausible shapes where the interface shows none, such as `{ errors: 'list' }`. */
	dialect?: Readonly<Record<string, string>>;
	/** Further keys. */
	keys?: readonly KeyGrant[];
	settings?: Partial<Settings>;
	eventsKept?: number;
	requestsPerSecond?: number;
	messagesPerSecond?: number;
	allowRemote?: boolean;
	allowedHosts?: readonly string[];
	backlogBytesMax?: number;
	/** Told what arrives, in one line each, without keys. */
	log?(line: string): void;
	/** Told when the data file can no longer be written; nothing is answered any more then. */
	onStorageFailure?(error: Error): void;
}

interface Addresses {
	url: string;
	baseUrl: string;
	wsUrl: string;
}

/** A running sandbox, in the hands of whoever started it. */
export interface Sandbox extends Addresses {
	/** The present exchange; `reset` puts a new one in its place. */
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
	reset(): void;
	close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1' } = options;
	requireLocal(host, options.allowRemote ?? false);
	const { running, storage } = open(options);
	const guard = { allowedHosts: [...(options.allowedHosts ?? []), host] };
	const stream = createStreamServer(running, {
		...guard,
		backlogBytesMax: options.backlogBytesMax ?? BACKLOG_BYTES_MAX,
	});
	const addresses = { url: '', baseUrl: '', wsUrl: '' };
	const http = createHttpServer(
		running,
		createControls(running, () => addresses, stream),
		guard,
	);
	http.on('upgrade', stream.upgrade);
	await listen(http, { port, host }).catch((error: Error) => {
		running.clock.close();
		storage.close();
		throw error;
	});
	Object.assign(addresses, addressesOf(host, (http.address() as AddressInfo).port));
	running.exchange.catchUp();
	return handle(running, stream, addresses, async () => {
		stream.close();
		http.closeAllConnections();
		await new Promise((resolve) => http.close(resolve));
		running.clock.close();
		storage.close();
	});
}

/** What the starter holds in hand. */
function handle(running: Running, stream: StreamServer, addresses: Addresses, close: () => Promise<void>): Sandbox {
	const reset = running.reset;
	running.reset = () => {
		for (const { socket } of stream.connections) socket.terminate();
		reset();
		running.exchange.catchUp();
	};
	return {
		...addresses,
		get exchange() {
			return running.exchange;
		},
		get engine() {
			return running.exchange.engine;
		},
		requests: running.requests,
		faults: controlled(running.faults, stream.disturb),
		advance: (durationMs) => running.clock.advance(durationMs),
		reset: () => running.reset(),
		close,
	};
}

/** Faults that need no message to happen strike when they are armed. */
function controlled(faults: Faults, disturb: () => void): Sandbox['faults'] {
	return {
		arm(request) {
			const fault = faults.arm(request);
			disturb();
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

function open(options: SandboxOptions): { running: Running; storage: Storage } {
	const { marketMaker = false, clock: kind = 'real' } = options;
	const onAlarm = () => running.exchange.catchUp();
	const settings: Partial<Settings> = { ...options.settings, ...(marketMaker ? { marketMaker: 'live' } : {}) };
	const storage = openStorage({
		file: options.data,
		exchange: { ...options, clock: undefined, settings },
		clock: (start = OPENING_TIME_DEFAULT) => (kind === 'real' ? realClock(onAlarm) : virtualClock(onAlarm, start)),
		failed: options.onStorageFailure ?? fail,
	});
	const running: Running = {
		exchange: storage.exchange,
		clock: storage.clock,
		clockKind: kind,
		faults: createFaults(() => storage.clock.now()),
		requests: [],
		arrivals: [],
		log: options.log,
		afterCommit: storage.afterCommit,
		reset() {
			running.exchange = storage.reset();
			running.faults.disarm();
			running.requests.length = 0;
			running.arrivals.length = 0;
		},
	};
	return { running, storage };
}

/** A write that was not kept must not be answered, and nothing sensible can follow it. */
function fail(error: Error): void {
	throw error;
}
