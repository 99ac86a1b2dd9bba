/** What an events node hands to its flow, and what it still takes from it when a stop or a deploy has begun. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Consumer, StreamEvent } from '@partner-exchange/core';
import { keysOf } from '../../packages/node-red/src/delivery/messages';
import { createOutbox } from '../../packages/node-red/src/delivery/outbox';
import { openSubscription } from '../../packages/node-red/src/events/subscription';
import { type Change, touches } from '../../packages/node-red/src/host/deploys';
import { recordCopy } from '../../packages/node-red/src/host/record';
import { debouncedSave } from '../../packages/node-red/src/checkpoints/debounced-save';

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

	it('waits for a flow without limit while the outbox has room, and again from each acknowledgement', async () => {
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
	it('stores the checkpoint in time in an outbox that acknowledges by time, also when the clock is set back', async () => {
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

const AFTER = { checkpoint: 'after the event' };
/** No time passes, so that only what a stop does itself is done. */
const clock: Clock = { now: () => 1_000, elapsed: () => 1_000, after: () => () => undefined };

type Ended = 'detach' | 'close';

describe.each<Ended>(['detach', 'close'])('the subscription of an events node, on %s', (end) => {
	let stored: unknown[];
	let consumer: Consumer;
	const open = (timeoutMs = Infinity) => {
		stored = [];
		const store = {
			load: async () => await Promise.resolve(undefined),
			save: async (entry: unknown) => void stored.push(entry),
		};
		let isListed = true;
		const subscription = openSubscription({
			...{ signature: '', clock, flowNode: { id: 'events', z: 'tab' }, turn: async () => await turn() },
			consumer: { topics: ['user.fills'] },
			acknowledgement: { timeoutMs, batchesMax: 50, stalledMs: Infinity },
			save: debouncedSave(store, clock, () => undefined),
			deploys: { running: () => true, onStarted: () => () => undefined },
			ended: () => (isListed = false),
			stream: {
				subscribe: (value) => {
					consumer = value as object as Consumer;
					const counters = () => ({}) as never;
					return { ready: new Promise<void>(() => undefined), counters, close: async () => await Promise.resolve() };
				},
			},
		});
		// The flow reaches a subscription only while it is listed.
		const acknowledge = (keys: string[]): void => void (isListed && subscription.acknowledge(keys));
		return { subscription, acknowledge };
	};
	/** The stream hands an event over, and reports its checkpoint when the host has taken it. */
	const deliver = (): void =>
		void consumer.deliver([event]).then(
			() => consumer.onCheckpoint?.(AFTER),
			() => undefined,
		);
	const sends = () => {
		const sent: StreamEvent[] = [];
		const node = { send: (events: readonly StreamEvent[]) => void sent.push(...events), resend: () => undefined };
		return {
			sent,
			node: {
				...node,
				notice: () => undefined,
				failed: () => undefined,
				stalled: () => undefined,
				away: () => undefined,
			},
		};
	};

	it('stores the checkpoint of an event that the flow completed in the same turn as the stop', async () => {
		const { subscription, acknowledge } = open();
		const { sent, node } = sends();
		subscription.attach(node);
		deliver();
		await Promise.resolve();
		expect(sent).toEqual([event]);
		setImmediate(() => setImmediate(() => acknowledge(['a'])));
		await subscription[end]();
		expect(stored).toEqual([AFTER]);
	});

	it.each([Infinity, 600_000])(
		'stores no checkpoint of an event that is still in the flow at a stop (%d ms)',
		async (timeoutMs) => {
			const { subscription } = open(timeoutMs);
			const { sent, node } = sends();
			subscription.attach(node);
			deliver();
			await Promise.resolve();
			expect(sent).toEqual([event]);
			await subscription[end]();
			expect(stored).toEqual([]);
		},
	);
});

/** A flow may change the messages it receives; the copy kept for redelivery must not change. */
describe('a copy of a payload', () => {
	const text = '{"a":"1.50","list":[{"b":[null,true,-2]},[]],"nested":{"c":{"d":""}},"__proto__":{"e":{"f":1}}}';

	it('a copied payload holds the same values', () => {
		expect(JSON.stringify(recordCopy(JSON.parse(text)))).toBe(text);
		for (const value of [null, 'text', 7, false]) expect(recordCopy(value)).toBe(value);
	});

	it('a copied payload shares nothing that could be changed', () => {
		const original = JSON.parse(text) as object;
		const change = (value: unknown): void => {
			if (value === null || typeof value !== 'object') return;
			for (const inner of Object.values(value)) change(inner);
			Object.assign(value, { changed: true });
		};
		change(recordCopy(original));
		expect(JSON.stringify(original)).toBe(text);
		expect(({} as { e?: unknown }).e).toBeUndefined();
	});
});

const carried = (eventKey: string) => ({ eventKey });

describe('a message that came back', () => {
	it.each<[string, unknown, string[]]>([
		['one event', carried('a'), ['a']],
		['a batch', [carried('a'), carried('b')], ['a', 'b']],
		['batches that were joined', [[carried('a')], [carried('b'), carried('c')]], ['a', 'b', 'c']],
		['nothing that is an event', [null, 'a', { eventKey: 1 }], []],
		['nothing', undefined, []],
	])('a returned message acknowledges %s', (_, event, expected) => {
		expect(keysOf({ event })).toEqual(expected);
	});
});

describe('a deploy', () => {
	const place = { id: 'events', z: 'tab' };
	const partial = (diff: Change['diff'], flows: { id: string; type: string }[] = []): Change => ({
		type: 'nodes',
		diff,
		config: { flows },
	});

	it.each<[string, Change, boolean]>([
		['of everything', { type: 'full' }, true],
		['that changes a config node everybody uses', partial({ globalConfigChanged: true }), true],
		['of nodes elsewhere', partial({ changed: ['other', 'other-tab'] }), false],
		['of the node itself', partial({ changed: ['events'] }), true],
		['of what it is wired to', partial({ changed: ['next'], linked: ['events'] }), true],
		['of its tab', partial({ flowChanged: ['tab'] }), true],
		['that wires it anew', partial({ rewired: ['events'] }), true],
		[
			'that involves a link, whose other end no wire tells',
			partial({ changed: ['a-link'] }, [{ id: 'a-link', type: 'link in' }]),
			true,
		],
		['that involves a subflow', partial({ changed: ['a-subflow'] }, [{ id: 'a-subflow', type: 'subflow' }]), true],
	])('the deploy %s touches the flow of a node: %#', (_, change, touched) => {
		expect(touches(change, place)).toBe(touched);
	});
});
