import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { VERSION_PREFIX } from '../api/exchange';
import { logRequest } from './request-log';
import { serveConsole } from './console';
import { CONTROL_PREFIX, serveControl, type Controls } from './control';
import { objectionTo, type GuardOptions } from './guard';
import { recordRequest } from './requests';
import { serveRest } from './rest';
import type { SandboxContext } from './context';

const BODY_BYTES_MAX = 1_048_576;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const CONNECTIONS_MAX = 2_000;

/** Serves everything on one port: the interface under /v1, the control under /_sandbox, the console page at the root. */
export function createHttpServer(context: SandboxContext, controls: Controls, guard: GuardOptions): Server {
	const server = createServer(
		{
			headersTimeout: HEADERS_TIMEOUT_MS,
			requestTimeout: REQUEST_TIMEOUT_MS,
			keepAliveTimeout: KEEP_ALIVE_MS,
			noDelay: true,
		},
		(incoming, outgoing) => {
			const objection = objectionTo(incoming, guard);
			if (objection) return refuse(outgoing, 403, objection);
			readBody(incoming, outgoing, (body) => dispatch(context, controls, { incoming, outgoing, body }));
		},
	);
	server.maxConnections = CONNECTIONS_MAX;
	return server;
}

interface Exchanged {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	body: string;
}

function dispatch(context: SandboxContext, controls: Controls, { incoming, outgoing, body }: Exchanged): void {
	const path = incoming.url ?? '/';
	if (path.startsWith(CONTROL_PREFIX)) return serveControl(controls, { incoming, outgoing, body });
	if (!path.startsWith(`${VERSION_PREFIX}/`)) return serveConsole(incoming, outgoing);
	recordRequest(context.requests, incoming, body);
	const logged = logRequest(context, incoming, incoming.headers['x-api-key']?.toString());
	outgoing.on('close', () => {
		logged.answer = outgoing.writableFinished ? outgoing.statusCode : 'none';
		context.log?.(`${incoming.method} ${path} ${logged.answer === 'none' ? 'not answered' : logged.answer}`);
	});
	logged.fault = serveRest(context, incoming, outgoing, body) ?? null;
}

function readBody(incoming: IncomingMessage, outgoing: ServerResponse, done: (body: string) => void): void {
	const chunks: Buffer[] = [];
	let size = 0;
	incoming.on('data', (chunk: Buffer) => {
		size += chunk.length;
		if (size <= BODY_BYTES_MAX) return void chunks.push(chunk);
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
	outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
	outgoing.end(JSON.stringify({ error: { code: 'refused', message } }));
}
