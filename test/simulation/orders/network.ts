import { RETRY_AFTER_MS_MAX } from '../../../packages/core/src/wire/rate-limiter';
import { TransportError, type HttpRequest, type HttpResponse, type SendHttp } from '@partner-exchange/core';
import { answered, onRequest } from './dialect';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import type { Call, Record, Sent } from './record';
import type { Service } from './service';
import type { Weather } from './weather';

export interface Surroundings {
	time: VirtualTime;
	chance: Random;
	weather: Weather;
	/** The services by their addresses. */
	services: ReadonlyMap<string, Service>;
	record: Record;
	/** Whether the process that made the call is still alive. */
	lives(life: number): boolean;
}

const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';
const RETRY_AFTER_CHOICES = ['1', '7', '30', '1000000000', '-1', 'soon', undefined, undefined];

type Settle = { resolve(response: HttpResponse): void; reject(error: TransportError): void; isOpen(): boolean };

/** The network between one call of the client and the service. Its effect on each request is drawn from the seed. */
export const network =
	(world: Surroundings, call: Call): SendHttp =>
	(request) =>
		new Promise((resolve, reject) => {
			const sent = request.method === 'POST' ? noteSend(world, call, request) : undefined;
			if (!sent) call[call.claim ? 'readsAfter' : 'reads'] += 1;
			const settle = once(
				resolve,
				reject,
				() => world.lives(call.life),
				() => request.signal?.removeEventListener('abort', abort),
			);
			const abort = (): void => settle.reject(new TransportError('aborted', 'perhaps'));
			request.signal?.addEventListener('abort', abort, { once: true });
			travel(world, call, request, sent, settle);
		});

/** Only the first result of a request counts, and only for a living process. */
function once(resolve: Settle['resolve'], reject: Settle['reject'], alive: () => boolean, ended: () => void): Settle {
	let open = true;
	const first =
		<Value>(end: (value: Value) => void) =>
		(value: Value): void => {
			if (!open) return;
			open = false;
			ended();
			if (alive()) end(value);
		};
	return { resolve: first(resolve), reject: first(reject), isOpen: () => open && alive() };
}

function travel(world: Surroundings, call: Call, request: HttpRequest, sent: Sent | undefined, settle: Settle): void {
	const { time, weather, chance } = world;
	const now = time.now();
	const calm = now >= weather.healsAt;
	const happens = (rate: number): boolean => !calm && chance.happens(rate);
	const stutter = calm || !sent ? undefined : stutterOf(world, call);
	if (stutter?.isUnreachable || (!calm && weather.outages.some(([from, to]) => now >= from && now < to))) {
		time.after(chance.between(1, 20), () => settle.reject(new TransportError('refused', 'never')));
		return;
	}
	const { crowd } = weather;
	const isSilent = crowd !== undefined && now >= crowd.at && now < crowd.at + crowd.silentMs;
	time.after(request.timeoutMs, () => settle.reject(new TransportError('timeout', 'perhaps')));
	const [lost, resets, doubled] = [happens(weather.loss), happens(weather.reset), happens(weather.duplicate)];
	const delay = (): number => chance.exponential(calm ? 20 : weather.latencyMs, calm ? 200 : 2_000);
	const lies = happens(weather.lies);
	if (resets) {
		const fault = lies ? new TransportError('refused', 'never') : new TransportError('reset', 'perhaps');
		time.after(delay(), () => settle.reject(fault));
	}
	// A proxy that refuses a request does not forward a copy of it.
	const turnedAway = calm ? undefined : (stutter?.answer ?? refuse(world, sent !== undefined));
	const arrival = happens(weather.heldUp) || stutter?.isHeldUp ? chance.between(1, 60_000) : delay();
	if (doubled && !turnedAway) time.after(arrival + chance.between(1, 60_000), () => void arrive(world, request, sent));
	if (lost || stutter?.isLost) return;
	time.after(arrival, () => {
		const isCopy = sent !== undefined && happens(weather.busy);
		const act = (): HttpResponse => arrive(world, request, sent);
		if (turnedAway && sent && weather.actsFirst && chance.happens(0.5)) act();
		const response = turnedAway ?? (isCopy ? whileBusy(world, act) : distort(world, calm, act));
		if (isSilent || happens(weather.replyLoss)) return;
		time.after(delay(), () => {
			if (settle.isOpen()) noteArrival(world, call, request, response);
			settle.resolve(response);
		});
	});
}

/** The request reaches the service, whether or not the client still waits for the response. */
function arrive(
	{ services, record, time, weather }: Surroundings,
	request: HttpRequest,
	sent: Sent | undefined,
): HttpResponse {
	const service = services.get(`${new URL(request.url).origin}/v1`)!;
	const before = sent ? service.orders().length : 0;
	const url = new URL(request.url);
	const path = url.pathname + url.search;
	const asIs = service.handle({
		method: request.method,
		path: sent ? path : onRequest(weather.dialect, path),
		headers: request.headers,
		body: request.body,
	});
	const find = (id: string) => service.orders().find((order) => order.id === id);
	const dated = { ...asIs, headers: { ...asIs.headers, date: new Date(time.now()).toUTCString() } };
	const response = sent ? dated : answered({ dialect: weather.dialect, find, now: time.now() }, path, dated);
	for (const order of sent ? service.orders().slice(before) : []) {
		sent!.made.push(order.id);
		sent!.madeAt ??= time.now();
		record.trace.add(time.now(), 'made', order.id, String(order.quantity));
	}
	return response;
}

/** A proxy in front of the service may refuse a request. */
function refuse({ weather, chance }: Surroundings, isWrite: boolean): HttpResponse | undefined {
	// If it forwards before it refuses, reads are not refused, or no outcome could be determined.
	if ((isWrite || !weather.actsFirst) && chance.happens(weather.denied)) {
		return denied(chance);
	}
	return chance.happens(weather.limited) ? limited(chance) : undefined;
}

interface Stutter {
	isLost?: boolean;
	isHeldUp?: boolean;
	isUnreachable?: boolean;
	answer?: HttpResponse;
}

/** An unknown first attempt stays unknown, however certain the result of the second is. */
function stutterOf({ weather, chance }: Surroundings, { sends }: Call): Stutter {
	if (weather.stutter === 0 || !chance.happens(weather.stutter)) return {};
	if (sends.length === 1) return chance.happens(0.5) ? { isLost: true } : { isHeldUp: true };
	return chance.pick([{ isUnreachable: true }, { answer: limited(chance) }, { answer: denied(chance) }]);
}

const denied = (chance: Random): HttpResponse =>
	json(chance.pick([401, 403]), { error: { code: 'denied', message: 'Not now.' } });

function limited(chance: Random): HttpResponse {
	const wait = chance.pick(RETRY_AFTER_CHOICES);
	return {
		...json(429, { message: 'Too many requests.' }),
		headers: wait === undefined ? {} : { 'retry-after': wait },
	};
}

/** A copy of the request arrived first, and is executed now or soon. */
function whileBusy({ time, chance, weather }: Surroundings, act: () => HttpResponse): HttpResponse {
	// With the time until lists show it, no order appears later than the client waits for one.
	const isLate = weather.listLagMs > 0 || (weather.dialect.others?.lateMs ?? 0) > 0;
	time.after(chance.happens(0.5) ? 0 : chance.between(1, isLate ? 2_000 : 10_000), () => void act());
	return json(409, { message: 'A request with this key is still being worked on.' });
}

/** The proxy may also respond instead of the service, before or after the service has acted. */
function distort({ weather, chance }: Surroundings, calm: boolean, act: () => HttpResponse): HttpResponse {
	const happens = (rate: number): boolean => !calm && chance.happens(rate);
	if (happens(weather.failure)) {
		if (chance.happens(0.5)) act();
		const status = chance.pick([408, 500, 502, 503, 504]);
		return status === 502 ? { status, headers: {}, body: HTML } : json(status, { message: 'Something went wrong.' });
	}
	const response = act();
	if (!happens(weather.malformed)) return response;
	const spoilt = chance.pick([
		response.body.slice(0, Math.floor(response.body.length / 2)),
		'',
		'{"status":"success"}',
		'{"status":"success","data":{}}',
	]);
	return { ...response, body: spoilt };
}

const json = (status: number, body: object): HttpResponse => ({ status, headers: {}, body: JSON.stringify(body) });

function noteSend({ time, record }: Surroundings, call: Call, request: HttpRequest): Sent {
	const sent: Sent = {
		at: time.now(),
		order: record.next(),
		bytes: `${request.headers['idempotency-key']} ${request.body}`,
		made: [],
	};
	if (sent.at < call.waitUntil) record.violate(`call ${call.number} sent again before the time the service asked for`);
	call.sends.push(sent);
	record.trace.add(sent.at, `call ${call.number}`, 'sends', String(request.headers['idempotency-key']));
	return sent;
}

function noteArrival({ time, record }: Surroundings, call: Call, { url }: HttpRequest, response: HttpResponse): void {
	record.trace.add(time.now(), `call ${call.number}`, 'hears', response.status, response.body.length);
	call.heard.add(response.status);
	const requestCount = Number(response.headers['retry-after']);
	// Checking the market must not delay the order being checked.
	if (response.status === 429 && requestCount > 0 && url.includes('/orders'))
		call.waitUntil = time.now() + Math.min(requestCount * 1000, RETRY_AFTER_MS_MAX);
}
