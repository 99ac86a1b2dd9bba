import { TransportError, type OpenSocket, type SendHttp } from '@partner-exchange/core';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import type { Service } from './service';
import type { Weather } from './weather';

/** What lies between one life of the client and the service. */
export interface Link {
	openSocket: OpenSocket;
	send: SendHttp;
	/** The process ends, and with it every connection it has. */
	die(): void;
}

export interface Surroundings {
	time: VirtualTime;
	chance: Random;
	weather(): Weather;
	service: Service;
	/** Whether the process on this end still lives. */
	lives(): boolean;
	connecting(): void;
	heard(text: string): void;
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
];

export function openLink(world: Surroundings): Link {
	const sockets: ReturnType<OpenSocket>[] = [];
	return {
		openSocket: (_url, handlers) => {
			const socket = openSocket(world, handlers);
			sockets.push(socket);
			return socket;
		},
		send: (request) => sendHttp(world, request),
		die: () => sockets.forEach((socket) => socket.terminate()),
	};
}

const isOut = ({ time, weather }: Surroundings): boolean =>
	weather().outages.some(([from, to]) => time.now() >= from && time.now() < to);

function openSocket(world: Surroundings, handlers: Parameters<OpenSocket>[1]): ReturnType<OpenSocket> {
	const { time, chance, weather, service, lives } = world;
	let state: 'opening' | 'open' | 'hung' | 'gone' = 'opening';
	let session: ReturnType<Service['connect']> | undefined;
	let latest = time.now();
	world.connecting();

	function end(): void {
		if (state === 'gone') return;
		state = 'gone';
		session?.close();
		if (lives()) handlers.closed({});
	}

	/** Messages arrive in order, but for those that are said to overtake. */
	function arrive(text: string): void {
		const { loss, duplicate, reorder, garbage, latencyMs } = weather();
		if (chance.happens(garbage)) deliverAt(latest, chance.pick(GARBAGE));
		if (text.includes('"data"') && chance.happens(loss)) return;
		const at = time.now() + chance.exponential(latencyMs, 2_000);
		if (chance.happens(reorder)) return deliverAt(at + chance.between(0, 2_000), text);
		latest = Math.max(latest, at);
		deliverAt(latest, text);
		if (chance.happens(duplicate)) deliverAt(latest + chance.between(0, 5_000), text);
	}

	function deliverAt(at: number, text: string): void {
		time.at(at, () => {
			if (state !== 'open' || !lives()) return;
			world.heard(text);
			handlers.message(text);
		});
	}

	/** Trouble that is over by the time it would come does not come. */
	const after = (trouble: 'breaksEveryMs' | 'hangsEveryMs', action: () => void) => {
		const averageMs = weather()[trouble];
		if (averageMs !== undefined)
			time.after(chance.exponential(averageMs, averageMs * 4), () => weather()[trouble] !== undefined && action());
	};
	time.after(chance.exponential(weather().latencyMs, 2_000), () => {
		if (state !== 'opening' || !lives()) return;
		if (isOut(world) || chance.happens(weather().refusal)) return chance.happens(0.8) ? end() : void (state = 'hung');
		state = 'open';
		session = service.connect(arrive, () => time.after(1, end));
		after('breaksEveryMs', end);
		after('hangsEveryMs', () => state === 'open' && (state = 'hung'));
		handlers.opened();
	});
	return {
		send: (text) => {
			if (state === 'open')
				time.after(chance.exponential(weather().latencyMs, 2_000), () => state === 'open' && session?.hear(text));
		},
		terminate: () => {
			state = 'gone';
			session?.close();
		},
	};
}

const sendHttp = (
	{ time, chance, weather, service, lives, ...rest }: Surroundings,
	request: Parameters<SendHttp>[0],
): ReturnType<SendHttp> =>
	new Promise((resolve, reject) => {
		const there = chance.exponential(weather().latencyMs, 2_000);
		const world = { time, chance, weather, service, lives, ...rest };
		if (isOut(world)) return void time.after(there, () => lives() && reject(new TransportError('refused', 'never')));
		if (chance.happens(weather().readFailure)) {
			return void time.after(
				there,
				() => lives() && resolve({ status: chance.pick([500, 503, 429]), headers: {}, body: '' }),
			);
		}
		time.after(there, () => {
			const response = service.handle(request);
			time.after(chance.exponential(weather().latencyMs, 2_000), () => lives() && resolve(response));
		});
	});
