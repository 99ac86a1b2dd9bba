import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal } from '../../api/answer';
import { readBody } from '../../api/call';
import { dialectDefault } from '../../api/dialect';
import { invalid, Refusal } from '../../engine/refusal';
import type { ControlRoutes } from './route';
import { acceptFields } from '../schema';
import { hash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../guard';

/** The prefix of the control API. Bodies and responses are JSON; `GET /_sandbox/routes` describes it. */
export const CONTROL_PREFIX = '/_sandbox/';

interface ControlRequest {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	body: string;
	access: Access;
}

export async function serveControl(routes: ControlRoutes, request: ControlRequest): Promise<void> {
	const { outgoing } = request;
	try {
		respond(outgoing, 200, (await answer(routes, request)) ?? { done: true });
	} catch (error) {
		if (!(error instanceof Refusal))
			return respond(outgoing, 500, { error: { code: 'failed', message: (error as Error).message } });
		const { status, body } = refusal(error, dialectDefault);
		if (error.kind === 'unauthorized')
			outgoing.setHeader('www-authenticate', 'Basic realm="Sandbox control", charset="UTF-8"');
		respond(outgoing, status, JSON.parse(body));
	}
}

async function answer(routes: ControlRoutes, { incoming, body, access }: ControlRequest): Promise<unknown> {
	const [path = '', search] = (incoming.url ?? '').split('?', 2);
	const name = `${incoming.method} ${path.slice(CONTROL_PREFIX.length)}`;
	const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
	if (!route?.open) requireAccess(access);
	if (!route) throw new Refusal('not_found', 'unknown_route', `There is no ${name} here. See /_sandbox/routes.`);
	const contentType = incoming.headers['content-type'];
	if (incoming.method !== 'GET' && !/^application\/json\b/i.test(contentType ?? ''))
		throw invalid('content_type_required', 'Send application/json, also without a body: it keeps web forms out.');
	const fields = readBody(body, contentType);
	return await route.run(
		acceptFields(fields, route.body ?? { type: 'object', properties: {} }),
		queryOf(search, route),
	);
}

function queryOf(search: string | undefined, { query = {} }: ControlRoutes[string]): URLSearchParams {
	const parameters = new URLSearchParams(search);
	for (const name of parameters.keys()) {
		if (Object.hasOwn(query, name)) continue;
		throw invalid(
			'unknown_field',
			`There is no query field ${name.slice(0, 40)}. Known are ${Object.keys(query).join(', ')}.`,
		);
	}
	return parameters;
}

export function requireAccess(access: Access): void {
	if (access === 'token_required')
		throw new Refusal('unauthorized', 'control_token_required', 'The control needs the control token of the sandbox.');
	if (access === 'local_only')
		throw new Refusal(
			'forbidden',
			'local_only',
			'The control answers this machine only. Start the sandbox with --control-token to open it to others.',
		);
}

function respond(outgoing: ServerResponse, status: number, value: unknown): void {
	if (outgoing.headersSent || outgoing.destroyed) return;
	outgoing.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
	outgoing.end(
		JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)),
	);
}

// Access to the control API and console: from this machine, or with the control token where there is one.

const TOKEN_CHARACTERS_MIN = 16;

export function requireUsableToken(token: string | undefined): void {
	if (token === undefined || token.length >= TOKEN_CHARACTERS_MIN) return;
	throw new Error(
		`The control token must have at least ${TOKEN_CHARACTERS_MIN} characters. Draw one with: openssl rand -hex 24`,
	);
}

type Access = 'granted' | 'token_required' | 'local_only';

export function accessOf({ socket, headers }: IncomingMessage, token: string | undefined): Access {
	// A reverse proxy on this machine makes every visitor local, so a token is asked of everybody.
	if (token === undefined) return isLoopback(socket.remoteAddress) ? 'granted' : 'local_only';
	const sent = givenToken(headers.authorization);
	return sent !== undefined && isSame(sent, token) ? 'granted' : 'token_required';
}

/** Programs send the token as Bearer; a browser asks the user and sends it as Basic, whose user name is ignored. */
function givenToken(header: string | undefined): string | undefined {
	const [, scheme = '', value = ''] = /^(bearer|basic) +(\S{1,1024})$/i.exec(header ?? '') ?? [];
	if (scheme.toLowerCase() === 'bearer') return value;
	if (scheme === '') return undefined;
	const pair = Buffer.from(value, 'base64').toString();
	return pair.slice(pair.indexOf(':') + 1);
}

/**
 * Compares digests in constant time; they have equal length, so timing reveals neither length nor position of a
 * difference.
 */
const isSame = (sent: string, token: string): boolean =>
	timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'));
