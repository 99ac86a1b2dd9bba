/** What an events node and its subscription still take from the flow when a stop or a deploy has begun. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Consumer, StreamEvent } from '@partner-exchange/core';
import { watchCompletions } from '../../packages/node-red/src/delivery/completions';
import { debouncedSave } from '../../packages/node-red/src/positions/debounced-save';
import { openSubscription } from '../../packages/node-red/src/events/subscription';

const event: StreamEvent = {
	...{ topic: 'user.fills', seq: 1, epoch: 'e', ts: null, data: {}, delivery: 'live', eventKey: 'a' },
};
const AFTER = { position: 'after the event' };
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
	/** The stream hands an event over, and reports its position when the host has taken it. */
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

	it('stores the position of an event that the flow completed in the same turn as the stop', async () => {
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
		'stores no position of an event that is still in the flow at a stop (%d ms)',
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

describe('a message that is followed through a flow', () => {
	const follow = () => {
		const hooks = new Map<string, (report: object) => void>();
		let [isRunning, finished] = [true, 0];
		const completions = watchCompletions({
			hooks: { add: (name: string, hook: (report: object) => void) => void hooks.set(name.split('.')[0]!, hook) },
		} as never);
		completions.follow({ id: 'events', isRunning: () => isRunning }, 'one', () => (finished += 1));
		const report = (name: string): void => hooks.get(name)!({ msg: { _msgid: 'one' }, destination: {} });
		report('preDeliver');
		return { report, stop: () => (isRunning = false), finished: () => finished };
	};

	it('counts a message as completed when its last node completed it just before a stop', async () => {
		const { report, stop, finished } = follow();
		report('onComplete');
		stop();
		await turn();
		expect(finished()).toBe(1);
	});

	it('does not count a message as completed after a stop has begun, which is how nodes drop messages', async () => {
		const { report, stop, finished } = follow();
		stop();
		report('onComplete');
		await turn();
		expect(finished()).toBe(0);
	});

	it('does not count a message as completed when the node sent it on before the stop', async () => {
		const { report, stop, finished } = follow();
		report('onComplete');
		report('preDeliver');
		stop();
		await turn();
		expect(finished()).toBe(0);
	});
});
