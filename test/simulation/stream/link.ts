import { TransportError, type OpenSocket, type SendHttp } from '@partner-exchange/core';
import { HANDSHAKE_MS_MAX, SILENCE_MS_MAX } from '../../../packages/core/src/stream/limits';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import type { Service, Wire } from './service';
import type { Weather } from './weather';

/** The network between one process of the client and the service. */
export interface Link {
	openSocket: OpenSocket;
	send: SendHttp;
	/** The process ends, and with it all its connections. */
	die(): void;
}

export interface Surroundings {
	time: VirtualTime;
	chance: Random;
	weather(): Weather;
	service: Service;
	/** Whether the process at this end is still alive. */
	lives(): boolean;
	note(text: string): void;
	/** A silent connection was not noticed in time. */
	overlooked(what: string): void;
	/** The client opens a connection. */
	connects(url: string): void;
	/** The client ended a connection that was alive. */
	gaveUp(): void;
	/** What goes out and what comes in, on the connection to this address. */
	said(text: string, url: string): void;
	heard(text: string, isReplay: boolean, url: string): void;
}

const GARBAGE = [
	'',
	'null',
	'[]',
	'"text"',
	'{"type":"__proto__"}',
	'{"type":"data"}',
	'{"type":"data","topic":"user.orders","seq":"NaN"}',
	'{not json',
	'{"type":"pong"}',
	`{"type":"data","topic":"user.fills","seq":"NaN","epoch":"e","data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
	`{"type":"data","topic":"user.orders","data":${'{"order":'.repeat(60)}1${'}'.repeat(60)}}`,
];
const LATENCY_MS_MAX = 2_000;

export function openLink(world: Surroundings): Link {
	const sockets: ReturnType<OpenSocket>[] = [];
	return {
		openSocket: (url, handlers) => {
			const socket = openSocket(world, url, handlers);
			sockets.push(socket);
			return socket;
		},
		send: (request) => sendHttp(world, request),
		die: () => sockets.forEach((socket) => socket.terminate()),
	};
}

const delayOf = ({ chance, weather }: Surroundings): number => chance.exponential(weather().latencyMs, LATENCY_MS_MAX);

const isOut = ({ time, weather }: Surroundings): boolean =>
	weather().outages.some(({ from, to }) => time.now() >= from && time.now() < to);

const refusedNow = ({ time, weather }: Surroundings) =>
	weather().refusedKey.find(({ from, to }) => time.now() >= from && time.now() < to);

function openSocket(world: Surroundings, url: string, handlers: Parameters<OpenSocket>[1]): ReturnType<OpenSocket> {
	const { time, chance, weather, service, lives } = world;
	let state: 'opening' | 'open' | 'hung' | 'gone' = 'opening';
	let session: Wire | undefined;
	const begunAt = time.now();
	let latest = begunAt;
	world.note('connects');
	world.connects(url);

	function end(facts: { status?: number; code?: number } = {}): void {
		if (state === 'gone') return;
		state = 'gone';
		session?.close();
		if (lives()) handlers.closed(facts);
	}

	function hang(what: string): void {
		state = 'hung';
		world.note(`hangs: ${what}`);
	}

	function hangOpening(): void {
		hang('no answer');
		expectNotice('no answer', begunAt + HANDSHAKE_MS_MAX);
	}

	function hangOpen(): void {
		if (state !== 'open') return;
		hang('silence');
		expectNotice('silence', time.now() + SILENCE_MS_MAX);
	}

	function expectNotice(what: string, by: number): void {
		time.at(by + 1, () => void (state === 'hung' && lives() && world.overlooked(what)));
	}

	/** In order, except for messages drawn to overtake. Only events and command replies are lost or repeated. */
	function arrive(text: string, isReplay: boolean): void {
		const { loss, duplicate, reorder, garbage } = weather();
		if (chance.happens(garbage)) deliverAt(latest, chance.pick(GARBAGE), false);
		const at = time.now() + delayOf(world);
		const isEvent = /^\{"type":"(data|command_)/.test(text);
		if (!isEvent) return deliverAt((latest = Math.max(latest, at)), text, isReplay);
		if (chance.happens(loss)) return;
		if (chance.happens(reorder)) return deliverAt(at + chance.between(0, 2_000), text, isReplay);
		latest = Math.max(latest, at);
		deliverAt(latest, text, isReplay);
		if (chance.happens(duplicate)) deliverAt(latest + chance.between(0, 5_000), text, isReplay);
	}

	const deliverAt = (at: number, text: string, isReplay: boolean): void =>
		void time.at(at, () => {
			if (state !== 'open' || !lives()) return;
			world.heard(text, isReplay, url);
			handlers.messages([text]);
		});

	/** A fault drawn for a time after the end of all faults does not occur. */
	const after = (trouble: 'breaksEveryMs' | 'hangsEveryMs', action: () => void) => {
		const averageMs = weather()[trouble];
		if (averageMs !== undefined)
			time.after(chance.exponential(averageMs, averageMs * 4), () => weather()[trouble] !== undefined && action());
	};

	function open(): void {
		if (state !== 'opening' || !lives()) return;
		if (isOut(world) || chance.happens(weather().refusal))
			return chance.happens(weather().unanswered) ? hangOpening() : end();
		const refused = url.includes('token') ? refusedNow(world) : undefined;
		if (refused) return end(refused.isShown ? { status: refused.status } : {});
		state = 'open';
		world.note('is connected');
		// What was sent before arrives before the end, unless the service itself goes away.
		session = service.connect(url, arrive, (facts) => time.at((facts ? latest : time.now()) + 1, () => end(facts)));
		after('breaksEveryMs', () => end());
		after('hangsEveryMs', hangOpen);
		handlers.opened();
	}

	time.after(delayOf(world), open);
	return {
		send: (text) => {
			world.said(text, url);
			if (state === 'open') time.after(delayOf(world), () => state === 'open' && session?.hear(text));
		},
		terminate: () => {
			if (state === 'open' && lives()) world.gaveUp();
			state = 'gone';
			session?.close();
		},
	};
}

const FAILURES = [500, 503, 429, 'lost'] as const;

/** Outages refuse at once; other failures return errors, or nothing. */
const sendHttp = (world: Surroundings, request: Parameters<SendHttp>[0]): ReturnType<SendHttp> =>
	new Promise((resolve, reject) => {
		const { time, chance, weather, service, lives } = world;
		const after = (delayMs: number, action: () => void) => void time.after(delayMs, () => lives() && action());
		if (isOut(world)) return after(delayOf(world), () => reject(new TransportError('refused', 'never')));
		const refusal =
			refusedNow(world)?.status ?? (chance.happens(weather().refusedRead) ? chance.pick([401, 403]) : undefined);
		const fails = time.now() < weather().readsFailUntil || chance.happens(weather().readFailure);
		const failure = refusal ?? (fails ? chance.pick(FAILURES) : undefined);
		if (failure === 'lost') return after(request.timeoutMs, () => reject(new TransportError('timeout', 'perhaps')));
		after(delayOf(world), () => {
			if (failure) return resolve({ status: failure, headers: {}, body: '' });
			const response = service.handle(request);
			after(delayOf(world), () => resolve(response));
		});
	});
