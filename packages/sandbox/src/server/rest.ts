import type { IncomingMessage, ServerResponse } from 'node:http';
import { operationOf } from '@partner-exchange/core/catalogue';
import type { Request } from '../api/exchange';
import { matchPath } from '../api/path';
import { VERSION_PREFIX } from '../api/exchange';
import { Refusal } from '../engine/refusal';
import { refusal, type Response } from '../api/answer';
import type { Fault, FaultKind, Occasion } from './faults';
import type { Running } from './running';

/** Brings a request of the interface to the exchange and its answer back, with whatever fault is armed in between. */

const REST_FAULTS: readonly FaultKind[] = [
	'refuse',
	'delay',
	'drop-before-commit',
	'commit-then-drop',
	'hang',
	'commit-then-hang',
	'commit-then-delay',
	'truncate',
	'html-502',
	'commit-then-502',
	'server-error',
	'unauthorized',
	'forbidden',
	'conflict',
	'too-many-requests',
];
const DELAY_DEFAULT_MS = 1_000;

/** Returns the fault that struck, if one did. */
export function serveRest(
	running: Running,
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	body: string,
): FaultKind | undefined {
	const request: Request = {
		method: incoming.method ?? 'GET',
		path: incoming.url ?? '/',
		headers: incoming.headers as Request['headers'],
		body,
	};
	const fault = running.faults.strike(REST_FAULTS, occasionOf(request));
	if (fault) suffer(running, { fault, request, outgoing });
	else reply(running, outgoing, running.exchange.handle(request));
	return fault?.kind;
}

function occasionOf({ method, path, headers }: Request): Occasion {
	const target = path.split('?', 1)[0] as string;
	const match = matchPath(method, target.slice(VERSION_PREFIX.length));
	return {
		operation: match.id,
		route: match.id && operationOf(match.id).route,
		apiKey: headers['x-api-key'],
		idempotencyKey: headers['idempotency-key'],
	};
}

interface Suffering {
	fault: Fault;
	request: Request;
	outgoing: ServerResponse;
}

function suffer(running: Running, { fault, request, outgoing }: Suffering): void {
	const commit = () => running.exchange.handle(request);
	const waitMs = fault.delayMs ?? DELAY_DEFAULT_MS;
	switch (fault.kind) {
		case 'delay':
			return holdBack(running, { fault, request, outgoing }, waitMs);
		case 'drop-before-commit':
			return void outgoing.destroy();
		case 'hang':
			return;
		case 'commit-then-drop':
			commit();
			return running.afterCommit(() => outgoing.destroy());
		case 'commit-then-hang':
			commit();
			return;
		case 'commit-then-delay': {
			const response = commit();
			return void running.clock.after(waitMs, () => reply(running, outgoing, response));
		}
		case 'truncate':
			return breakOff(running, outgoing, commit());
		case 'commit-then-502':
			commit();
			return reply(running, outgoing, badGateway);
		default:
			return reply(running, outgoing, refused(running, fault));
	}
}

function holdBack(running: Running, { request, outgoing }: Suffering, waitMs: number): void {
	const claim = claimOf(running, request);
	if (claim) running.exchange.inFlight.add(claim);
	running.clock.after(waitMs, () => {
		if (claim) running.exchange.inFlight.delete(claim);
		reply(running, outgoing, running.exchange.handle(request));
	});
}

/** The idempotency key a request holds while it waits. */
function claimOf({ exchange }: Running, { headers }: Request): string | undefined {
	const key = headers['idempotency-key'];
	if (key === undefined) return undefined;
	try {
		return `${exchange.identify(headers['x-api-key']).account.id}:${key}`;
	} catch {
		return undefined;
	}
}

const badGateway: Response = {
	status: 502,
	headers: { 'content-type': 'text/html' },
	body: '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
};

function refused({ exchange }: Running, { kind, retryAfter }: Fault): Response {
	const { dialect } = exchange;
	switch (kind) {
		case 'html-502':
			return badGateway;
		case 'unauthorized':
			return refusal(new Refusal('unauthorized', 'invalid_api_key', 'The API key is not valid.'), dialect);
		case 'forbidden':
			return refusal(
				new Refusal('forbidden', 'not_permitted', 'The API key is not enabled for this operation.'),
				dialect,
			);
		case 'conflict':
			return refusal(new Refusal('conflict', 'conflict', 'The request conflicts with an earlier one.'), dialect);
		case 'too-many-requests': {
			const response = refusal(new Refusal('rate_limited', 'rate_limited', 'Too many requests.'), {
				...dialect,
				retry_after: 'silent',
			});
			return retryAfter === undefined
				? response
				: { ...response, headers: { ...response.headers, 'retry-after': retryAfter } };
		}
		default: {
			const status = kind === 'refuse' ? 503 : 500;
			return {
				...refusal(new Refusal('unavailable', 'unavailable', 'The service cannot answer now.'), dialect),
				status,
			};
		}
	}
}

function reply(running: Running, outgoing: ServerResponse, { status, headers, body }: Response): void {
	running.afterCommit(() => {
		if (outgoing.destroyed) return;
		outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
		outgoing.end(body);
	});
}

function breakOff(running: Running, outgoing: ServerResponse, { status, headers, body }: Response): void {
	running.afterCommit(() => {
		outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
		outgoing.write(body.slice(0, Math.ceil(body.length / 2)), () => outgoing.destroy());
	});
}
