import { operationOf } from '@partner-exchange/core/catalogue';
import type { Action } from '../engine/actions';
import { createEngine, type EngineOptions } from '../engine/engine';
import { conflict, notFound, Refusal } from '../engine/refusal';
import type { AccountView } from '../engine/state';
import { refusal, success, type Answer, type Response } from './answer';
import { readBody } from './call';
import { chooseDialect, type Dialect } from './dialect';
import { authorize, identify, type Caller, type KeyEnvironment } from './keys';
import { matchPath, type Match } from './path';
import {
	createRateLimit,
	MESSAGES_PER_SECOND_DEFAULT,
	REQUESTS_PER_SECOND_DEFAULT,
	spend,
	type RateLimit,
} from './rate';
import { routes } from './routes';
import { openSession, type Session, type SessionExchange, type SessionPort } from './session';

export interface ExchangeOptions extends EngineOptions {
	production?: boolean;
	dialect?: Readonly<Record<string, string>>;
	/** Current time and alarms. Without a clock, time advances only by `advanceTo`. */
	clock?: { now(): number; wakeAt(time: number): void };
	requestsPerSecond?: number;
	messagesPerSecond?: number;
	/** Receives every applied action, for a journal. */
	record?(at: number, action: Action): void;
	/** Called before scheduled steps run, so that the journal records them before a client sees their effects. */
	progress?(at: number): void;
}

export interface Request {
	method: string;
	/** As in the request line, such as `/v1/partner/exchange/orders?limit=5`. */
	path: string;
	/** Header names in lower case. */
	headers: Readonly<Record<string, string | undefined>>;
	body?: string | undefined;
}

/** The exchange as clients see it, without sockets: requests, responses and stream sessions. */
export interface Exchange extends SessionExchange {
	production: boolean;
	handle(request: Request): Response;
	/** Opens a stream session, or throws a Refusal where the token is not valid. */
	connect(port: SessionPort, token?: string): Session;
}

export const VERSION_PREFIX = '/v1';

export function createExchange(options: ExchangeOptions = {}): Exchange {
	const engine = createEngine(options);
	const { clock, production = false } = options;
	const environment: KeyEnvironment = production ? 'production' : 'staging';
	const requests = createRateLimit(options.requestsPerSecond ?? REQUESTS_PER_SECOND_DEFAULT);
	const exchange: Exchange = {
		engine,
		production,
		dialect: chooseDialect(options.dialect ?? {}),
		messages: createRateLimit(options.messagesPerSecond ?? MESSAGES_PER_SECOND_DEFAULT),
		sessions: new Set(),
		sessionCount: 0,
		inFlight: new Set(),
		identify: (key) => identify(engine.state, key, environment),
		handle: (request) => answer(exchange, requests, request),
		connect: (port, token) => openSession(exchange, port, token === undefined ? undefined : exchange.identify(token)),
		catchUp() {
			if (clock) {
				const [now, due] = [clock.now(), engine.nextDue()];
				if (due !== undefined && due <= now) options.progress?.(now);
				engine.advanceTo(now);
			}
			wake();
		},
		apply(action) {
			const outcome = engine.apply(action);
			if (!outcome.repeated) options.record?.(engine.state.now, action);
			wake();
			return outcome;
		},
		requireFree(account, key) {
			if (!exchange.inFlight.has(`${account.id}:${key}`)) return;
			throw conflict('request_in_flight', 'A request with this idempotency key is still being worked on.');
		},
	};
	function wake() {
		const due = engine.nextDue();
		if (due !== undefined) clock?.wakeAt(due);
	}
	engine.events.formatPayload = (topic, data) => formatPayload(exchange.dialect, topic, data);
	wake();
	return exchange;
}

function formatPayload({ order_event: shape }: Dialect, topic: string, data: object): object {
	if (topic !== 'user.orders' || shape === 'bare') return data;
	return shape === 'wrapped' ? { order: data } : { orders: [data] };
}

function answer(exchange: Exchange, requests: RateLimit, request: Request): Response {
	try {
		exchange.catchUp();
		return success(respond(exchange, requests, request), exchange.dialect);
	} catch (error) {
		if (error instanceof Refusal) return refusal(error, statedOnly(exchange.dialect, request.path));
		throw error;
	}
}

/** The interface states the statuses of simulation routes, so no dialect changes them. (Interface, part 7.) */
const statedOnly = (dialect: Dialect, path: string): Dialect =>
	path.startsWith(`${VERSION_PREFIX}/simulate/`) ? { ...dialect, validation: '400', unknown: '404' } : dialect;

/** Authentication precedes everything else. (Interface, part 5.) */
function respond(exchange: Exchange, requests: RateLimit, { method, path, headers, body }: Request): Answer {
	const { engine, dialect, production } = exchange;
	const [target = '', search = ''] = path.split('?', 2);
	if (!target.startsWith(`${VERSION_PREFIX}/`))
		throw notFound('unknown_route', 'There is nothing at this path. Every route begins with /v1.');
	const match = matchPath(method, target.slice(VERSION_PREFIX.length));
	const caller = admit(exchange, requests, match, headers['x-api-key']);
	if (match.id === undefined) throw missing(match.allowed);
	return routes[match.id]({
		world: engine,
		state: engine.state,
		dialect,
		production,
		apply: exchange.apply,
		requireFree: exchange.requireFree,
		account: caller?.account as AccountView,
		params: match.params,
		query: new URLSearchParams(search),
		headers,
		body: readBody(body, headers['content-type']),
	});
}

function admit(exchange: Exchange, requests: RateLimit, match: Match, key: string | undefined): Caller | undefined {
	const { now } = exchange.engine.state;
	const access = match.id === undefined ? undefined : operationOf(match.id).access;
	if (access === 'public') {
		spend(requests, 'nobody', now);
		return undefined;
	}
	const caller = exchange.identify(key);
	spend(requests, caller.key.key, now);
	if (access) authorize(caller, access);
	return caller;
}

function missing(allowed: string[]): Refusal {
	if (allowed.length === 0) return notFound('unknown_route', 'There is nothing at this path.');
	return new Refusal('method_not_allowed', 'method_not_allowed', `This path answers ${allowed.join(', ')}.`);
}
