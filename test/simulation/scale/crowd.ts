/** The real core for many accounts at once, through a start, an ordinary hour and an outage that ends for all at once. */
import { createClient, createStream, type Ports } from '@partner-exchange/core';
import { random } from '../support/random';
import { crowdService, type Counter } from './service';
import { crowdTime } from './crowd-time';

export interface CrowdOptions {
	accounts: number;
	/** Over which the processes start. */
	startMs: number;
	steadyMs: number;
	outageMs: number;
	/** Fills of one account in an hour. */
	fillsPerHour: number;
	seed: number;
}

interface Phase {
	name: string;
	seconds: number;
	reads: ReturnType<Counter['take']>;
	connects: ReturnType<Counter['take']>;
	frames: ReturnType<Counter['take']>;
	connections: number;
}

export interface CrowdReport {
	phases: Phase[];
	/** From the end of the outage until everybody is connected, and until everybody has what happened during it. */
	connectedMs: number;
	caughtUpMs: number;
	made: number;
	delivered: number;
	repeated: number;
	heapPerAccount: number;
}

const RECOVERY_MS_MAX = 1_800_000;
const STEP_MS = 1_000;

export async function runCrowd(options: CrowdOptions): Promise<CrowdReport> {
	const { accounts, startMs, steadyMs, outageMs } = options;
	const chance = random(options.seed);
	const time = crowdTime();
	const service = crowdService(time, chance.next);
	const delivered: Set<string>[] = [];
	const made: number[] = new Array<number>(accounts).fill(0);
	const phases: Phase[] = [];
	let repeated = 0;
	const heapBefore = heap();

	function start(account: number): void {
		const seen = new Set<string>();
		delivered[account] = seen;
		const ports: Ports = {
			send: service.send(account),
			clock: time,
			random: chance.next,
			newId: () => `id-${account}`,
		};
		const place = { environment: 'sandbox', apiKey: `key-${account}`, baseUrl: BASE, wsUrl: WS } as const;
		const client = createClient(place, ports);
		createStream({ ...ports, account: client.account, client, openSocket: service.openSocket(account) }).subscribe({
			topics: ['user.fills'],
			retriesFirstConnection: true,
			deliver: async (events) => {
				for (const { eventKey } of events) {
					if (seen.has(eventKey)) repeated += 1;
					seen.add(eventKey);
				}
			},
		});
	}

	function fill(account: number): void {
		made[account]! += 1;
		service.fill(account);
	}

	async function phase(name: string, run: () => Promise<void>): Promise<void> {
		const began = time.now();
		await run();
		const [reads, connects, frames] = [service.reads.take(), service.connects.take(), service.frames.take()];
		const seconds = (time.now() - began) / 1_000;
		phases.push({ name, seconds, reads, connects, frames, connections: service.connections() });
	}

	/** Everybody's fills, spread evenly. */
	function schedule(durationMs: number): void {
		const count = Math.round((accounts * options.fillsPerHour * durationMs) / 3_600_000);
		for (let index = 0; index < count; index += 1) {
			time.after(chance.next() * durationMs, () => fill(Math.floor(chance.next() * accounts)));
		}
	}

	const isCaughtUp = (): boolean => made.every((count, account) => delivered[account]!.size >= count);

	for (let account = 0; account < accounts; account += 1) {
		time.after((account / accounts) * startMs, () => start(account));
	}
	await phase('start', async () => await time.run(startMs + 30_000));
	const heapPerAccount = (heap() - heapBefore) / accounts;
	schedule(steadyMs);
	await phase('steady', async () => await time.run(steadyMs + 30_000));
	await phase('outage', async () => {
		service.setOut(true);
		for (let account = 0; account < accounts; account += 1) {
			time.after(chance.next() * outageMs, () => fill(account));
		}
		await time.run(outageMs);
	});
	let connectedMs = 0;
	let caughtUpMs = 0;
	await phase('recovery', async () => {
		service.setOut(false);
		for (let passed = STEP_MS; caughtUpMs === 0 && passed <= RECOVERY_MS_MAX; passed += STEP_MS) {
			await time.run(STEP_MS);
			if (connectedMs === 0 && service.connections() >= accounts) connectedMs = passed;
			if (connectedMs > 0 && isCaughtUp()) caughtUpMs = passed;
		}
	});
	const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
	const total = sum(delivered.map(({ size }) => size));
	return { phases, connectedMs, caughtUpMs, made: sum(made), delivered: total, repeated, heapPerAccount };
}

const BASE = 'http://127.0.0.1:4010/v1';
const WS = 'ws://127.0.0.1:4010/v1/ws';

function heap(): number {
	(globalThis as { gc?: () => void }).gc?.();
	return process.memoryUsage().heapUsed;
}
