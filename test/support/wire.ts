import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createClient, type Account, type Clock, type Client, type Warning } from '@partner-exchange/core';
import { nodePorts, systemClock } from '@partner-exchange/core/node';
import { openPort } from './loopback';
import { forEach } from './opened';

/** One request as received from the socket. */
interface Received {
	method: string;
	path: string;
	headers: IncomingMessage['headers'];
	body: string;
}

/** The response: literal bytes, or a function that controls the socket. */
export type Answer =
	| { status?: number; headers?: Record<string, string>; body?: string }
	| ((request: IncomingMessage, response: ServerResponse) => void);

export interface Wire {
	/** The address, ending in `/v1`. */
	url: string;
	account: Account;
	received: Received[];
	/** `METHOD /path` without query to its response: one that repeats, or several in turn, the last one repeating. */
	on(route: string, ...answers: Answer[]): Wire;
	/** All requests received for a route. */
	calls(route: string): Received[];
	close(): Promise<void>;
}

/** A success in the documented form. */
export const success = (data: unknown, status = 200): Answer => ({
	status,
	body: JSON.stringify({ status: 'success', data }),
});
export const failure = (status: number, body: unknown, headers?: Record<string, string>): Answer => ({
	status,
	headers,
	body: typeof body === 'string' ? body : JSON.stringify(body),
});
/** Accepts the request and closes the connection without a response. */
export const drop: Answer = (request) => void request.socket.destroy();
/** Accepts the request and never responds. */
export const silence: Answer = () => undefined;

export const CANARY = 'canary-key-7f3a+/=&9';

/** A real HTTP server on this machine with literal responses that records its requests. */
export async function startWire(): Promise<Wire> {
	const received: Received[] = [];
	const routes = new Map<string, Answer[]>();
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const path = request.url!.replace(/^\/v1/, '');
			received.push({
				method: request.method!,
				path,
				headers: request.headers,
				body: Buffer.concat(chunks).toString(),
			});
			const answers = routes.get(`${request.method} ${path.split('?')[0]}`) ?? [
				failure(404, { message: 'no such route' }),
			];
			reply(answers.length > 1 ? answers.shift()! : answers[0]!, request, response);
		});
	});
	const port = await openPort(server);
	const url = `http://127.0.0.1:${port}/v1`;
	const wire: Wire = {
		url,
		account: { environment: 'sandbox', baseUrl: url, wsUrl: `ws://127.0.0.1:${port}/v1/ws`, apiKey: CANARY },
		received,
		on: (route, ...answers) => {
			routes.set(route, answers);
			return wire;
		},
		calls: (route) => received.filter(({ method, path }) => `${method} ${path.split('?')[0]}` === route),
		close: () => {
			server.closeAllConnections();
			return new Promise((closed) => server.close(() => closed()));
		},
	};
	return wire;
}

function reply(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
	if (typeof answer === 'function') return answer(request, response);
	response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
	response.end(answer.body ?? '');
}

/** A clock that skips all waits, so that retries and time limits pass without waiting; it records the waits. */
export function quickClock(): Clock & { waited: number[] } {
	const waited: number[] = [];
	let now = Date.UTC(2026, 0, 31);
	return {
		waited,
		now: () => now,
		elapsed: () => now,
		after: (delayMs, action) => {
			let off = false;
			setImmediate(() => {
				if (off) return;
				waited.push(delayMs);
				now += delayMs;
				action();
			});
			return () => void (off = true);
		},
	};
}

/** The real clock, ten times as fast, for pauses and for what never answers. */
export const fastClock: Clock = {
	now: () => systemClock.now(),
	elapsed: () => systemClock.elapsed() * 10,
	after: (delayMs, action, isAwaited) => systemClock.after(delayMs / 10, action, isAwaited),
};

/** A client of the wire over the real HTTP adapter, with maximum jitter and no waiting. */
export function wireClient(wire: Wire, account: Partial<Account> = {}, clock: Clock = quickClock()): Client {
	return createClient(
		{ ...wire.account, ...account },
		{ ...nodePorts(), clock, random: () => 0.999 },
		{ isForm: true },
	);
}

/** A wire for each test of a file or describe, its client, the clock of that, and what a call with `context` warned of. */
export function useWire() {
	const [wire, clock] = [forEach(startWire), forEach(quickClock)];
	return { wire, clock, client: forEach(() => wireClient(wire, {}, clock)), ...useWarnings() };
}

/** What calls with this context have warned of in the running test. */
export function useWarnings() {
	const warnings: Warning[] = [];
	beforeEach(() => void (warnings.length = 0));
	return { warnings, context: { warn: (warning: Warning) => void warnings.push(warning) } };
}
