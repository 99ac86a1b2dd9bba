import { createClient, createStream, type Account, type StoredCheckpoint, type Stream } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { tradingOn } from '../node-red/trading';
import { until } from '../support/condition';

const BEFORE = 6_000;
const MEANWHILE = 600;

describe('a subscriber that comes back to more than the stream can replay', () => {
	let sandbox: Sandbox;
	let stream: Stream;
	const fills = new Set<string>();
	let stored: StoredCheckpoint | undefined;

	beforeAll(async () => {
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 }, eventsKept: 100, requestsPerSecond: 10_000 });
	});
	afterAll(async () => {
		await stream.close();
		await sandbox.close();
	});

	/** Restarts as a host does: a new process with the checkpoint the last one stored. */
	async function listen(): Promise<void> {
		const { baseUrl, wsUrl } = sandbox;
		const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' };
		stream = createStream({
			...nodePorts(),
			account,
			client: createClient(account, nodePorts()),
		});
		await stream.subscribe({
			topics: ['user.fills'],
			batchMax: 500,
			checkpoint: stored,
			deliver: async (events) => events.forEach(({ data }) => fills.add((data as { id: string }).id)),
			onCheckpoint: (positions) => (stored = positions),
		}).ready;
	}
	const all = (count: number) => until(() => fills.size === count, { what: `${count} fills`, seen: () => fills.size });

	it('backfills over REST what was filled while it was away, beyond what the stream can replay', async () => {
		const { fills: fill, truth } = tradingOn(sandbox);
		await listen();
		for (let made = 0; made < BEFORE; made += 200) {
			fill(200);
			await all(made + 200);
		}
		await stream.close();
		fill(MEANWHILE);
		await listen();
		await all(BEFORE + MEANWHILE);
		expect([...fills].sort()).toEqual((await truth()).sort());
	});
});
