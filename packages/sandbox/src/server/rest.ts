/** Passes REST requests to the exchange and applies armed faults. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { routeOf, operationOf } from '@partner-exchange/core/catalogue';
import type { Request } from '../api/exchange';
import { matchPath } from '../api/path';
import { VERSION_PREFIX } from '../api/exchange';
import { Refusal } from '../engine/refusal';
import { refusal, type Response } from '../api/answer';
import { kindsStriking, type Fault, type FaultTarget, type KindStriking } from './faults';
import type { ReceivedRequest } from './request-log';
import type { SandboxContext } from './context';

const REST_FAULTS = kindsStriking('request');
const DELAY_DEFAULT_MS = 1_000;

export function serveRest(
	context: SandboxContext,
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	body: string,
): void {
	const key = incoming.headers['x-api-key']?.toString();
	const entry = context.requests.record(context, incoming, { body, key });
	answers.set(outgoing, entry);
	outgoing.on('close', () => {
		entry.answer = outgoing.writableFinished ? outgoing.statusCode : 'none';
		context.log?.(`${entry.method} ${entry.path} ${entry.answer === 'none' ? 'not answered' : entry.answer}`);
	});
	const request: Request = {
		method: incoming.method ?? 'GET',
		path: incoming.url ?? '/',
		headers: incoming.headers as Request['headers'],
		body,
	};
	const fault = context.faults.strike(REST_FAULTS, faultTarget(request));
	if (!fault) return reply(context, outgoing, context.exchange.handle(request));
	entry.fault = { ...fault };
	applyFault(context, { fault, request, outgoing });
}

/** The log entries of requests that are not answered yet. */
const answers = new WeakMap<ServerResponse, ReceivedRequest>();

function faultTarget({ method, path, headers }: Request): FaultTarget {
	const target = path.split('?', 1)[0] as string;
	const match = matchPath(method, target.slice(VERSION_PREFIX.length));
	return {
		operation: match.id,
		route: match.id && routeOf(operationOf(match.id)),
		apiKey: headers['x-api-key'],
		idempotencyKey: headers['idempotency-key'],
	};
}

interface FaultedRequest {
	fault: Fault<KindStriking<'request'>>;
	request: Request;
	outgoing: ServerResponse;
}

function applyFault(context: SandboxContext, { fault, request, outgoing }: FaultedRequest): void {
	const commit = () => context.exchange.handle(request);
	const waitMs = fault.delayMs ?? DELAY_DEFAULT_MS;
	const { kind, retryAfter } = fault;
	switch (kind) {
		case 'delay':
			return delayRequest(context, { fault, request, outgoing }, waitMs);
		case 'drop-before-commit':
			return void outgoing.destroy();
		case 'hang':
			return;
		case 'commit-then-drop':
			commit();
			return context.afterCommit(() => outgoing.destroy());
		case 'commit-then-hang':
			commit();
			return;
		case 'commit-then-delay': {
			const response = commit();
			return void context.clock.after(waitMs, () => reply(context, outgoing, response));
		}
		case 'truncate':
			return reply(context, outgoing, commit(), true);
		case 'html-502':
			return reply(context, outgoing, badGateway);
		case 'commit-then-502':
			commit();
			return reply(context, outgoing, badGateway);
		default:
			return reply(context, outgoing, refused(context, kind, retryAfter));
	}
}

function delayRequest(context: SandboxContext, { request, outgoing }: FaultedRequest, waitMs: number): void {
	const claim = idempotencyClaim(context, request);
	if (claim) context.exchange.inFlight.add(claim);
	context.clock.after(waitMs, () => {
		if (claim) context.exchange.inFlight.delete(claim);
		reply(context, outgoing, context.exchange.handle(request));
	});
}

/** Identifies the idempotency key that a delayed request holds. */
function idempotencyClaim({ exchange }: SandboxContext, { headers }: Request): string | undefined {
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

const unavailable = new Refusal('unavailable', 'unavailable', 'The service cannot answer now.');

/** What answers without executing the request; the compiler reports a fault that nothing handles. */
const refusals = {
	refuse: unavailable,
	'server-error': unavailable,
	unauthorized: new Refusal('unauthorized', 'invalid_api_key', 'The API key is not valid.'),
	forbidden: new Refusal('forbidden', 'not_permitted', 'The API key is not enabled for this operation.'),
	conflict: new Refusal('conflict', 'conflict', 'The request conflicts with an earlier one.'),
	'too-many-requests': new Refusal('rate_limited', 'rate_limited', 'Too many requests.'),
} as const;

const statuses: Partial<Record<keyof typeof refusals, number>> = { refuse: 503, 'server-error': 500 };

/** Whether a 429 says when to come back is up to the fault, not to the dialect. */
function refused(
	{ exchange: { dialect } }: SandboxContext,
	kind: keyof typeof refusals,
	retryAfter: string | undefined,
): Response {
	const { status, headers, body } = refusal(refusals[kind], { ...dialect, retry_after: 'silent' });
	const isTold = kind === 'too-many-requests' && retryAfter !== undefined;
	return {
		status: statuses[kind] ?? status,
		headers: { ...headers, ...(isTold && { 'retry-after': retryAfter }) },
		body,
	};
}

/** Sends a response, or the first half of it, and breaks off. */
function reply(
	context: SandboxContext,
	outgoing: ServerResponse,
	{ status, headers, body }: Response,
	isTruncated = false,
): void {
	context.afterCommit(() => {
		if (outgoing.destroyed) return;
		const sent = isTruncated ? body.slice(0, Math.ceil(body.length / 2)) : body;
		const entry = answers.get(outgoing);
		if (entry) context.requests.answered(entry, sent);
		outgoing.writeHead(status, { ...headers, date: dateOf(context), 'content-length': Buffer.byteLength(body) });
		if (isTruncated) outgoing.write(sent, () => outgoing.destroy());
		else outgoing.end(sent);
	});
}

/** Clients read the service's clock from the Date header, so it shows the sandbox clock, which may be virtual. */
const dateOf = ({ clock }: SandboxContext): string => new Date(clock.now()).toUTCString();
