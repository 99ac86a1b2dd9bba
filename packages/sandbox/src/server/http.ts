import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { VERSION_PREFIX } from '../api/exchange';
import { serveConsole } from './console';
import type { SandboxContext } from './context';
import { accessOf, CONTROL_PREFIX, requireAccess, serveControl } from './control/serve';
import type { ControlRoutes } from './control/route';
import { objectionTo, type GuardOptions } from './guard';
import { serveRest } from './rest';

/** Far above any request of the interface. */
export const BODY_BYTES_MAX = 65_536;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const CONNECTIONS_MAX = 2_000;

export interface HttpOptions extends GuardOptions {
	/** Lets whoever sends this token use the control API and the console, and nobody else, this machine included. */
	controlToken: string | undefined;
}

/**
 * Serves everything on one port: the interface under /v1, the control API under /_sandbox, the console page at the
 * root.
 */
export function createHttpServer(context: SandboxContext, routes: ControlRoutes, options: HttpOptions): Server {
	const server = createServer(
		{
			headersTimeout: HEADERS_TIMEOUT_MS,
			requestTimeout: REQUEST_TIMEOUT_MS,
			keepAliveTimeout: KEEP_ALIVE_MS,
			noDelay: true,
			// Requests to upgrade to HTTP/2 are ignored, as RFC 9110, part 7.8 allows.
			shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
		},
		(incoming, outgoing) => {
			const objection = objectionTo(incoming, options);
			if (objection) return refuse(outgoing, 403, objection);
			readBody(incoming, outgoing, (body) => {
				try {
					dispatch(context, routes, { incoming, outgoing, body, token: options.controlToken });
				} catch {
					// A defect of the sandbox fails this request only.
					refuse(outgoing, 500, 'The sandbox failed at this request. Please report it with the request.');
				}
			});
		},
	);
	server.maxConnections = CONNECTIONS_MAX;
	return server;
}

interface HttpExchange {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	body: string;
	token: string | undefined;
}

function dispatch(context: SandboxContext, routes: ControlRoutes, exchanged: HttpExchange): void {
	const { incoming, outgoing, body, token } = exchanged;
	const path = incoming.url ?? '/';
	if (path.startsWith(`${VERSION_PREFIX}/`)) return serveRest(context, incoming, outgoing, body);
	const access = accessOf(incoming, token);
	if (path.startsWith(CONTROL_PREFIX)) {
		serveControl(routes, { incoming, outgoing, body, access }).catch(() => outgoing.destroy());
		return;
	}
	try {
		requireAccess(access);
	} catch (error) {
		if (access === 'token_required')
			outgoing.setHeader('www-authenticate', 'Basic realm="Sandbox control", charset="UTF-8"');
		return refuse(outgoing, access === 'token_required' ? 401 : 403, (error as Error).message);
	}
	serveConsole(incoming, outgoing);
}

function readBody(incoming: IncomingMessage, outgoing: ServerResponse, done: (body: string) => void): void {
	const chunks: Buffer[] = [];
	let size = 0;
	incoming.on('data', (chunk: Buffer) => {
		size += chunk.length;
		if (size <= BODY_BYTES_MAX) return void chunks.push(chunk);
		chunks.length = 0;
		if (!outgoing.headersSent) refuse(outgoing, 413, `A body may have at most ${BODY_BYTES_MAX} bytes.`);
		incoming.destroy();
	});
	incoming.on('error', () => incoming.destroy());
	incoming.on(
		'end',
		() => size <= BODY_BYTES_MAX && done(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()),
	);
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
	if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
	outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
	outgoing.end(JSON.stringify({ error: { code: 'refused', message } }));
}
