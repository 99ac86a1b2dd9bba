import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, Refusal } from '../engine/refusal';
import type { Fields } from '../engine/order-request';
import { readBody } from '../api/call';
import { refusal } from '../api/answer';
import { dialectDefault } from '../api/dialect';
import { isLoopback } from './guard';

/**
 * The sandbox's own control, from this machine only. All bodies are JSON objects; answers are JSON.
 *
 * GET    /_sandbox/state       accounts, keys, balances, orders, book, clients, faults, scenarios (see describe.ts)
 * GET    /_sandbox/requests    what arrived lately, without keys
 * GET    /_sandbox/audit       what does not add up, if anything: money, reservations, book, orders
 * POST   /_sandbox/reset       back to the opening state
 * POST   /_sandbox/clock       { advance_ms } moves a virtual clock
 * POST   /_sandbox/faults      a fault request (see faults.ts); GET lists what is armed and what fired
 * DELETE /_sandbox/faults      disarms all, or { id } one
 * GET    /_sandbox/candles     as the candles route, without a key and without faults
 * POST   /_sandbox/scenarios   { name, email? } starts one, DELETE { name } stops it; GET lists them
 * POST   /_sandbox/keys        { key, email?, access?, environment?, active? } issues or changes a key
 * POST   /_sandbox/settings    delays and rules (see Settings in state.ts)
 * POST   /_sandbox/markets     { pair_id, trading } halts and resumes a market
 */
export const CONTROL_PREFIX = '/_sandbox/';

/** By method and path below the prefix. */
export type Controls = Record<string, (body: Fields, query: URLSearchParams) => unknown>;

export interface ControlRequest {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	body: string;
}

export function serveControl(controls: Controls, { incoming, outgoing, body }: ControlRequest): void {
	const respond = (status: number, value: unknown) => {
		outgoing.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
		outgoing.end(
			JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)),
		);
	};
	try {
		if (!isLoopback(incoming.socket.remoteAddress))
			throw new Refusal('forbidden', 'local_only', 'The control answers this machine only.');
		const [path = '', search] = (incoming.url ?? '').split('?', 2);
		const name = `${incoming.method} ${path.slice(CONTROL_PREFIX.length)}`;
		const control = Object.hasOwn(controls, name) ? controls[name] : undefined;
		if (!control) throw new Refusal('not_found', 'unknown_route', `There is no ${name} here.`);
		if (incoming.method !== 'GET' && !isJson(incoming.headers['content-type'])) {
			throw invalid('content_type_required', 'Send application/json, also without a body: it keeps web forms out.');
		}
		const fields = readBody(body, incoming.headers['content-type']);
		respond(200, control(fields, new URLSearchParams(search)) ?? { done: true });
	} catch (error) {
		if (!(error instanceof Refusal))
			return respond(500, { error: { code: 'failed', message: (error as Error).message } });
		const { status, body: text } = refusal(error, dialectDefault);
		respond(status, JSON.parse(text));
	}
}

const isJson = (contentType: string | undefined): boolean => /^application\/json\b/i.test(contentType ?? '');
