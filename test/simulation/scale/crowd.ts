/**
 * The real core for a shard of many accounts, through a start, ordinary minutes, and an outage that ends for all at
 * once.
 */
import { createClient, createStream, type Ports } from '@partner-exchange/core';
import { random } from '../support/random';
import { crowdTime } from './crowd-time';
import type { Phase, ShardCounts } from './report';
import { crowdService } from './service';

export interface CrowdOptions {
	/** The number of accounts in all shards. */
	accounts: number;
	/** The time over which their processes start. */
	startMs: number;
	steadyMs: number;
	outageMs: number;
	/** How long all accounts are observed after the outage. */
	recoveryMs: number;
	/** Fills per account and hour. */
	fillsPerHour: number;
	seed: number;
}

/** The accounts simulated together. */
export interface Shard {
	from: number;
	count: number;
}

/** The time after the start and after the ordinary minutes in which the work they caused completes. */
const REST_MS = 30_000;
const STEP_MS = 1_000;

/** Accounts are independent, including their random numbers: each behaves the same in whatever shard it is. */
export async function runShard(options: CrowdOptions, { from, count }: Shard): Promise<ShardCounts> {
	const { accounts, startMs, steadyMs, outageMs, recoveryMs, fillsPerHour, seed } = options;
	const time = crowdTime();
	const chances = Array.from({ length: count }, (_, index) => random(seed + from + index).next);
	const service = crowdService(time, chances);
	const delivered = chances.map(() => new Set<string>());
	const made = chances.map(() => 0);
	const phases: Phase[] = [];
	let repeated = 0;
	const heapBefore = heap();

	function start(account: number): void {
		const seen = delivered[account]!;
		const ports: Ports = {
			...{ send: service.send(account), clock: time },
			...{ random: chances[account]!, newId: () => `id-${account}` },
		};
		const client = createClient(PLACE, ports);
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

	/** This many fills for each account, the fraction by chance, spread evenly. */
	function schedule(durationMs: number, each: number): void {
		chances.forEach((next, account) => {
			const fills = Math.floor(each + next());
			for (let index = 0; index < fills; index += 1) time.after(next() * durationMs, () => fill(account));
		});
	}

	async function phase(name: string, durationMs: number, run = () => time.run(durationMs)): Promise<void> {
		await run();
		const [reads, connects, frames] = [service.reads.take(), service.connects.take(), service.frames.take()];
		phases.push({ name, seconds: durationMs / 1_000, reads, connects, frames, connections: service.connections() });
	}

	const isCaughtUp = (): boolean => made.every((fills, account) => delivered[account]!.size >= fills);

	for (let account = 0; account < count; account += 1) {
		time.after(((from + account) / accounts) * startMs, () => start(account));
	}
	await phase('start', startMs + REST_MS);
	const heapBytes = heap() - heapBefore;
	schedule(steadyMs, (fillsPerHour * steadyMs) / 3_600_000);
	await phase('steady', steadyMs + REST_MS);
	service.setOut(true);
	schedule(outageMs, 1);
	await phase('outage', outageMs);
	service.setOut(false);
	let [connectedMs, caughtUpMs]: (number | undefined)[] = [];
	await phase('recovery', recoveryMs, async () => {
		for (let passed = STEP_MS; passed <= recoveryMs; passed += STEP_MS) {
			await time.run(STEP_MS);
			if (service.connections() >= count) connectedMs ??= passed;
			if (connectedMs !== undefined && isCaughtUp()) caughtUpMs ??= passed;
		}
	});
	const sum = (counts: number[]): number => counts.reduce((total, each) => total + each, 0);
	const got = { made: sum(made), delivered: sum(delivered.map(({ size }) => size)), repeated };
	return { accounts: count, phases, connectedMs, caughtUpMs, ...got, heapBytes };
}

/** The key is the same for all: the redaction is built once for each key, and would take a third of the run. */
const PLACE = {
	...({ environment: 'sandbox', apiKey: 'a-key' } as const),
	...{ baseUrl: 'http://127.0.0.1:4010/v1', wsUrl: 'ws://127.0.0.1:4010/v1/ws' },
};

function heap(): number {
	(globalThis as { gc?: () => void }).gc?.();
	return process.memoryUsage().heapUsed;
}
