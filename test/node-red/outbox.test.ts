import type { Clock, StreamEvent } from '@partner-exchange/core';
import { createOutbox } from '../../packages/node-red/src/delivery/outbox';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { account, CONNECTED, node, openBench, tab, type Bench } from './flows';
import { tradingOn } from './trading';

const HOUR_MS = 3_600_000;

const event: StreamEvent = {
	topic: 'user.fills',
	seq: 1,
	epoch: 'e',
	ts: null,
	data: {},
	delivery: 'live',
	eventKey: 'a',
};

/** A wall clock and a monotonic clock that a test can set apart; timers follow the monotonic one. */
function clocks() {
	let [now, elapsed] = [10 * HOUR_MS, 0];
	const timers = new Set<{ at: number; action: () => void }>();
	const clock: Clock = {
		now: () => now,
		elapsed: () => elapsed,
		after: (delayMs, action) => {
			const timer = { at: elapsed + delayMs, action };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
	};
	const pass = (durationMs: number): void => {
		now += durationMs;
		elapsed += durationMs;
		for (const timer of [...timers]) {
			if (timer.at > elapsed) continue;
			timers.delete(timer);
			timer.action();
		}
	};
	return { clock, pass, setBack: (byMs: number) => void (now -= byMs) };
}

describe('an outbox whose flow completes nothing', () => {
	const stalledMs = HOUR_MS;
	const open = (isRunning = (): boolean => true) => {
		const time = clocks();
		const [stored, stalled]: [unknown[], string[]] = [[], []];
		const outbox = createOutbox({
			...{ flowNode: { id: 'events', z: 'tab' }, clock: time.clock, turn: async () => await Promise.resolve() },
			acknowledgement: { timeoutMs: Infinity, batchesMax: 2, stalledMs },
			save: { put: (value) => void stored.push(value), flush: async () => await Promise.resolve() },
			deploys: { running: isRunning, onStarted: () => () => undefined },
		});
		const ignore = { send: () => undefined, resend: () => undefined, notice: () => undefined, failed: () => undefined };
		outbox.attach({ ...ignore, stalled: (events) => stalled.push(...events.map(({ eventKey }) => eventKey)) });
		const deliver = async (...keys: string[]): Promise<void> => {
			for (const eventKey of keys) {
				await outbox.deliver([{ ...event, eventKey }]);
				outbox.onCheckpoint({ at: eventKey });
			}
		};
		return { ...time, outbox, stored, stalled, deliver };
	};

	it('takes a full outbox as handed over at last, says so, and goes on', async () => {
		const { pass, stalled, stored, deliver } = open();
		await deliver('a', 'b');
		const third = deliver('c');
		pass(stalledMs - 1);
		expect(stalled).toEqual([]);
		pass(1);
		await third;
		expect(stalled).toEqual(['a', 'b']);
		expect(stored).toEqual([{ at: 'b' }]);
	});

	it('waits for a flow without limit while the outbox has room, and anew from each acknowledgement', async () => {
		const { pass, outbox, stalled, deliver } = open();
		await deliver('a');
		pass(10 * stalledMs);
		await deliver('b');
		pass(stalledMs - 1);
		// The window is still full, because the older of the two is under way.
		outbox.acknowledge(['b']);
		pass(stalledMs - 1);
		expect(stalled).toEqual([]);
		pass(1);
		expect(stalled).toEqual(['a']);
	});

	it('gives no event up while a deploy has stopped the flow', async () => {
		let isRunning = true;
		const { pass, stalled, deliver } = open(() => isRunning);
		await deliver('a', 'b');
		isRunning = false;
		pass(stalledMs);
		expect(stalled).toEqual([]);
	});
});

describe('an outbox that acknowledges after a time', () => {
	it('stores the position in time in an outbox that acknowledges by time, also when the clock is set back', async () => {
		const { clock, pass, setBack } = clocks();
		const stored: unknown[] = [];
		const outbox = createOutbox({
			...{ flowNode: { id: 'events', z: 'tab' }, clock, turn: async () => await Promise.resolve() },
			acknowledgement: { timeoutMs: 1_000, batchesMax: Infinity, stalledMs: Infinity },
			save: { put: (value) => void stored.push(value), flush: async () => await Promise.resolve() },
			deploys: { running: () => true, onStarted: () => () => undefined },
		});
		outbox.attach({ send: () => undefined, resend: () => undefined, stalled: () => undefined });
		await outbox.deliver([event]);
		outbox.onCheckpoint({ at: 'a' });
		setBack(HOUR_MS);
		pass(1_000);
		expect(stored).toEqual([{ at: 'a' }]);
		expect(outbox.overdue()).toBe(0);
	});
});

/** The deploy waits for nodes to close, and no time limit is reached while a test runs. */
const NEVER_MS = 3_600_000;

const FILLS = 1_500;

/** The time the slow flow spends on one event. */
const WORK = 'const end = Date.now() + 1; while (Date.now() < end); return msg;';

describe('patience', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench(
			{ settings: { orderDelayMs: 0 }, requestsPerSecond: 10_000 },
			{ settings: { nodeCloseTimeout: NEVER_MS } },
		);
	});
	afterAll(async () => await bench.close());

	it('a deploy does not wait for a service that never answers', async () => {
		const flows: FlowNode[] = [tab, account(bench.sandbox), ...node('balances', 'balances', {}, 1)];
		await bench.nodeRed.deploy(flows);
		bench.sandbox.faults.arm({ kind: 'hang', operation: 'wallet.balances' });
		await bench.nodeRed.send('balances', {});
		await until(() => bench.sandbox.faults.fired.length > 0, { what: 'the request' });
		await bench.nodeRed.deploy(flows);
		expect(await bench.nodeRed.waitForCompletion('balances')).toMatchObject({ error: { code: 'aborted' } });
	});

	it('a flow slower than the events gets every one of them in its own time', async () => {
		const [listen] = node('listen', 'events', { topics: ['user.fills'] }, 0);
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			{ ...listen!, wires: [['work']] },
			{ id: 'work', type: 'function', z: tab.id, func: WORK, outputs: 1, wires: [['slow-end']] },
			{ id: 'slow-end', type: 'junction', z: tab.id, wires: [[]] },
		]);
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		const worked = () =>
			new Set(
				bench.nodeRed.messages
					.filter(({ from }) => from === 'work')
					.map(({ message }) => (message.payload as { id: string }).id),
			).size;
		const trading = tradingOn(bench.sandbox);
		for (let made = 0; made < FILLS; made += 500) trading.fills(500);
		await until(() => worked() === FILLS, { what: 'every fill', everyMs: 200, seen: worked });
	});
});
