/** Many events through one subscriber: whether memory, and what is stored with them, stop growing. */
import { createClient, createStream, type Clock, type SocketHandlers } from '@partner-exchange/core';

const SAMPLES = 10;
const PER_SECOND = 100;

export interface Sample {
	delivered: number;
	/** The heap, after a collection. */
	megabytes: number;
	/** The checkpoint, as it would be written. */
	stored: number;
}

export async function endurance(events: number): Promise<Sample[]> {
	const time = steppedTime();
	const { clock } = time;
	const send = async () => ({ status: 200, headers: {}, body: '{"status":"success","data":{"fills":[]}}' });
	const ports = { send, clock, random: () => 0.5, newId: () => 'id' };
	const place = { environment: 'sandbox', apiKey: 'key', baseUrl: BASE, wsUrl: WS } as const;
	let peer: SocketHandlers | undefined;
	let delivered = 0;
	let bytes = 0;
	const stream = createStream({
		...ports,
		account: place,
		client: createClient(place, ports),
		openSocket: (_url, handlers) => {
			peer = handlers;
			queueMicrotask(() => handlers.opened());
			return {
				send: (text) => {
					const { type, topics } = JSON.parse(text) as { type: string; topics?: string[] };
					queueMicrotask(() =>
						handlers.messages([JSON.stringify({ type: type === 'ping' ? 'pong' : 'subscribed', topics })]),
					);
				},
				terminate: () => undefined,
			};
		},
	});
	await stream.subscribe({
		topics: ['user.fills'],
		batchMax: 100,
		deliver: async (all) => void (delivered += all.length),
		onCheckpoint: (stored) => void (bytes = JSON.stringify(stored).length),
	}).ready;
	const samples: Sample[] = [];
	for (let sample = 1; sample <= SAMPLES; sample += 1) {
		for (let made = ((sample - 1) * events) / SAMPLES + 1; made <= (sample * events) / SAMPLES; made += 1) {
			peer?.messages([fill(made, new Date(clock.now()).toISOString())]);
			if (made % PER_SECOND !== 0) continue;
			time.advance(1_000);
			await new Promise((resolve) => setImmediate(resolve));
		}
		globalThis.gc?.();
		samples.push({ delivered, megabytes: process.memoryUsage().heapUsed / 2 ** 20, stored: bytes });
	}
	await stream.close();
	return samples;
}

/** A clock that is moved by hand. */
function steppedTime(): { clock: Clock; advance(durationMs: number): void } {
	let now = Date.UTC(2026, 0, 5);
	const due: { at: number; action: () => void }[] = [];
	const clock: Clock = {
		now: () => now,
		elapsed: () => now,
		after: (delayMs, action) => {
			const entry = { at: now + delayMs, action };
			due.push(entry);
			return () => void due.splice(due.indexOf(entry), due.includes(entry) ? 1 : 0);
		},
	};
	const advance = (durationMs: number): void => {
		now += durationMs;
		for (const entry of due.filter(({ at }) => at <= now)) {
			due.splice(due.indexOf(entry), 1);
			entry.action();
		}
	};
	return { clock, advance: advance };
}

const BASE = 'http://127.0.0.1:4010/v1';
const WS = 'ws://127.0.0.1:4010/v1/ws';

const fill = (seq: number, ts: string): string =>
	JSON.stringify({
		...{ type: 'data', topic: 'user.fills', seq, epoch: 'one', ts },
		data: {
			id: `fill-${seq}`,
			order_id: `order-${seq}`,
			pair_id: 'USD/NGN',
			quantity: '1.00',
			price: '1500.00',
			created_at: ts,
		},
	});
