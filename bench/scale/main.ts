/** What a thousand subscribers of one account cost: reads, time to be ready, latency, memory and what is stored per event. */
import { startSandbox } from '@partner-exchange/sandbox';
import type { Consumer, StoredCheckpoint } from '@partner-exchange/core';
import { openAccount } from '@partner-exchange/core/node';
import { makeFill } from '../../test/support/fills';
import { endurance } from './endurance';

const SUBSCRIBERS = 1_000;
const FILLS_BEFORE = 200;
const FILLS = 20;
const KEY = 'sandbox-key';
const ENDURANCE_EVENTS = 500_000;

interface Seen {
	consumer: Consumer;
	events: number;
	checkpoint?: StoredCheckpoint;
	bytes: number;
}

async function main(subscribers: number): Promise<void> {
	const sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 }, requestsPerSecond: 100_000 });
	for (let made = 0; made < FILLS_BEFORE; made += 1) await makeFill(sandbox);
	const reads = (): number =>
		sandbox.requests.filter(({ method, path }) => method === 'GET' && /fills/.test(path)).length;
	const account = { environment: 'sandbox', baseUrl: sandbox.baseUrl, wsUrl: sandbox.wsUrl, apiKey: KEY } as const;

	const first = await round('first start', (index) => subscriber(index));
	await round('restart', (index) => subscriber(index, first[index]!.checkpoint));
	await sandbox.close();

	async function round(name: string, make: (index: number) => Seen): Promise<Seen[]> {
		const { stream, close } = openAccount(account);
		const readsBefore = reads();
		const heapBefore = heap();
		const began = performance.now();
		const all: Seen[] = [];
		// One after the other, as n8n activates its workflows.
		for (let index = 0; index < subscribers; index += 1) {
			const seen = make(index);
			all.push(seen);
			await stream.subscribe(seen.consumer).ready;
		}
		const readyMs = performance.now() - began;
		say(
			name,
			'ready',
			`${subscribers} subscribers in ${readyMs.toFixed(0)} ms with ${reads() - readsBefore} reads of fills`,
		);
		const kb = (heap() - heapBefore) / subscribers / 1024;
		say(name, 'memory', `${kb.toFixed(1)} kB per subscriber`);
		const latencies: number[] = [];
		const base = all.map(({ events }) => events);
		for (let made = 1; made <= FILLS; made += 1) {
			const at = performance.now();
			await makeFill(sandbox);
			await until(() => all.every(({ events }, index) => events >= base[index]! + made));
			latencies.push(performance.now() - at);
		}
		latencies.sort((a, b) => a - b);
		say(
			name,
			'a fill for all',
			`median ${latencies[FILLS / 2]!.toFixed(0)} ms, longest ${latencies.at(-1)!.toFixed(0)} ms`,
		);
		const bytes = all.map((seen) => seen.bytes).sort((a, b) => a - b);
		say(name, 'stored per event', `${bytes.at(-1)} bytes at most`);
		await close();
		return all;
	}
}

function subscriber(_index: number, checkpoint?: StoredCheckpoint): Seen {
	const seen: Seen = { events: 0, bytes: 0, consumer: undefined as unknown as Consumer };
	seen.consumer = {
		topics: ['user.fills'],
		batchMax: 100,
		...(checkpoint ? { checkpoint } : {}),
		deliver: async (events) => void (seen.events += events.length),
		onCheckpoint: (stored) => {
			seen.checkpoint = JSON.parse(JSON.stringify(stored)) as StoredCheckpoint;
			seen.bytes = JSON.stringify(stored).length;
		},
	};
	return seen;
}

function heap(): number {
	globalThis.gc?.();
	return process.memoryUsage().heapUsed;
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const say = (round: string, what: string, text: string): void =>
	console.log(`${round.padEnd(12)} ${what.padEnd(18)} ${text}`);

void main(Number(process.argv[2] ?? SUBSCRIBERS))
	.then(() => endurance(ENDURANCE_EVENTS))
	.then((samples) => {
		for (const { delivered, megabytes, stored } of samples)
			say('endurance', `${delivered} events`, `${megabytes.toFixed(1)} MB, ${stored} bytes stored`);
	})
	.then(() => process.exit());
