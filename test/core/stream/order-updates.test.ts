import type { Item } from '@partner-exchange/core';
import { steadyClock } from '../../../packages/core/src/steady-clock';
import { createOrderUpdates } from '../../../packages/core/src/stream/connection/order-updates';
import { orders } from '../../../packages/core/src/stream/topics/orders';
import { settled, virtualTime } from '../../simulation/support/time';
import { order } from './stage';

const SECOND_MS = 1_000;

/** The order updates of a stream, whose topic is confirmed when the test says so. */
function open() {
	const time = virtualTime();
	const calls = { acquired: 0, released: 0 };
	let confirm = (): void => undefined;
	const updates = createOrderUpdates({
		clock: steadyClock(time),
		acquire: () => ((calls.acquired += 1), new Promise<void>((resolve) => (confirm = resolve))),
		release: () => void (calls.released += 1),
	});
	const state = { is: 'waiting' };
	const ready = (signal?: AbortSignal) =>
		void updates.ready(signal).then(
			() => (state.is = 'ready'),
			({ code, message }: Error & { code: string }) => (state.is = `${code}: ${message}`),
		);
	const pass = async (seconds: number) => (await time.run(time.now() + seconds * SECOND_MS), settled());
	return { updates, calls, ready, state, pass, confirm: () => confirm() };
}

describe('updates of orders', () => {
	it('keeps order updates subscribed for a minute after the last command', async () => {
		const { updates, calls, ready, state, pass, confirm } = open();
		expect(updates.isWanted()).toBe(false);
		ready();
		confirm();
		await pass(30);
		expect([state.is, updates.isWanted(), calls.released]).toEqual(['ready', true, 0]);
		ready();
		confirm();
		await pass(59);
		expect([updates.isWanted(), calls.released]).toEqual([true, 0]);
		await pass(1);
		expect([updates.isWanted(), calls.released]).toEqual([false, 1]);
	});

	it('keeps order updates subscribed while somebody listens, who gets orders and nothing else', async () => {
		const { updates, calls, pass } = open();
		const heard: Item[] = [];
		const stop = updates.follow((row) => void heard.push(row));
		updates.publish([orders.identify(order('o1', 'accepted'))!, { key: 'unknown', data: { note: 'no order' } }]);
		await pass(600);
		expect([heard.map(({ id }) => id ?? 'none'), updates.isWanted(), calls]).toEqual([
			['o1'],
			true,
			{ acquired: 1, released: 0 },
		]);
		stop();
		expect([updates.isWanted(), calls.released]).toEqual([false, 1]);
	});

	it('sends no command if order updates are not confirmed within ten seconds, and says so', async () => {
		const { ready, state, pass } = open();
		ready();
		await pass(9.9);
		expect(state.is).toBe('waiting');
		await pass(0.1);
		expect(state.is).toMatch(/^stream_closed: .*The stream is not connected; nothing was sent/);
	});

	it('subscribes no order updates once the stream is closed', async () => {
		const { updates, calls, ready, confirm, pass } = open();
		ready();
		confirm();
		updates.follow(() => undefined);
		updates.close();
		expect(updates.isWanted()).toBe(false);
		await pass(600);
		expect(calls.released).toBe(0);
	});
});
