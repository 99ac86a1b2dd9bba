import { ExchangeError } from '@partner-exchange/core';
import { createStreamSubscribers } from '../../../packages/core/src/stream/stream-subscribers';
import { guardedConsumer } from '../../../packages/core/src/stream/delivery/guard';
import { backfillStage } from './backfill-stage';

const error = new ExchangeError('refused', { what: 'It is not for you' });

/** Subscribers of a stream, and which of them were removed. */
function open() {
	const stage = backfillStage('user.fills');
	const removed: unknown[] = [];
	const subscribers = createStreamSubscribers(
		(subscriber) => (subscribers.delete(subscriber), void removed.push(subscriber)),
	);
	const failed: ExchangeError[] = [];
	const some = () => stage.subscribe({ onFailed: (value) => void failed.push(value) }).subscriber;
	return { subscribers, removed, failed, some };
}

describe('the subscribers of a stream', () => {
	it('a subscriber is ready once it joined, and learns later that it failed', async () => {
		const { subscribers, removed, failed, some } = open();
		const subscriber = some();
		const ready = subscribers.add(subscriber, () => Promise.resolve());
		expect([subscribers.isReady(subscriber), subscribers.all()]).toEqual([false, [subscriber]]);
		await ready;
		expect(subscribers.isReady(subscriber)).toBe(true);
		subscribers.fail(subscriber, error);
		expect([failed, removed, subscribers.all(), subscribers.isReady(subscriber)]).toEqual([
			[error],
			[subscriber],
			[],
			false,
		]);
	});

	it('a subscriber learns only once that it cannot join', async () => {
		const { subscribers, removed, failed, some } = open();
		const subscriber = some();
		await expect(subscribers.add(subscriber, () => Promise.reject(error))).rejects.toBe(error);
		expect([failed, removed]).toEqual([[], [subscriber]]);
	});

	it('a subscriber learns nothing once it left, and is removed once', async () => {
		const { subscribers, removed, failed, some } = open();
		const subscriber = some();
		await subscribers.add(subscriber, () => Promise.resolve());
		subscribers.fail(subscriber, error);
		subscribers.fail(subscriber, error);
		expect([failed.length, removed.length]).toEqual([1, 1]);
	});

	it('a subscriber may throw in its callbacks, or have none', async () => {
		const { subscribers, some } = open();
		const [subscriber, other] = [some(), some()];
		Object.assign(subscriber.consumer, { onFailed: () => JSON.parse('no') as unknown });
		Object.assign(other.consumer, { onFailed: undefined });
		for (const each of [subscriber, other]) await subscribers.add(each, () => Promise.resolve());
		for (const each of [subscriber, other]) subscribers.fail(each, error);
		expect(subscribers.all()).toEqual([]);
	});
});

describe('a consumer whose callback throws', () => {
	it('a subscriber whose own code fails gets nothing more, and fails once', () => {
		const failed: string[] = [];
		const heard: string[] = [];
		const onCheckpoint = () => JSON.parse('no') as undefined;
		const options = { topics: [], deliver: () => Promise.resolve(), onCheckpoint };
		const guarded = guardedConsumer({ ...options, onNotice: ({ text }) => void heard.push(text) }, ({ message }) =>
			failed.push(message),
		);
		const notice = { kind: 'state', state: 'live', text: 'Connected' } as const;
		guarded.onNotice!(notice);
		for (let times = 0; times < 2; times += 1) guarded.onCheckpoint!({});
		guarded.onNotice!(notice);
		expect([heard, failed]).toEqual([['Connected'], [expect.stringContaining('onCheckpoint failed with SyntaxError')]]);
	});
});
