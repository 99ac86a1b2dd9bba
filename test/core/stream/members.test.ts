import { ExchangeError } from '@partner-exchange/core';
import { createMembers } from '../../../packages/core/src/stream/members';
import { guardedConsumer } from '../../../packages/core/src/stream/delivery/guard';
import { backfillStage } from './backfill-stage';

const error = new ExchangeError('refused', { what: 'It is not for you' });

/** Subscribers of a stream, and which of them were removed. */
function open() {
	const stage = backfillStage('user.fills');
	const removed: unknown[] = [];
	const members = createMembers((subscriber) => (members.delete(subscriber), void removed.push(subscriber)));
	const failed: ExchangeError[] = [];
	const some = () => stage.subscribe({ onFailed: (value) => void failed.push(value) }).subscriber;
	return { members, removed, failed, some };
}

describe('one who listens', () => {
	it('a subscriber is ready once it joined, and learns later that it failed', async () => {
		const { members, removed, failed, some } = open();
		const subscriber = some();
		const ready = members.admit(subscriber, () => Promise.resolve());
		expect([members.isReady(subscriber), members.all()]).toEqual([false, [subscriber]]);
		await ready;
		expect(members.isReady(subscriber)).toBe(true);
		members.fail(subscriber, error);
		expect([failed, removed, members.all(), members.isReady(subscriber)]).toEqual([[error], [subscriber], [], false]);
	});

	it('a subscriber learns only once that it cannot join', async () => {
		const { members, removed, failed, some } = open();
		const subscriber = some();
		await expect(members.admit(subscriber, () => Promise.reject(error))).rejects.toBe(error);
		expect([failed, removed]).toEqual([[], [subscriber]]);
	});

	it('a subscriber learns nothing once it left, and is removed once', async () => {
		const { members, removed, failed, some } = open();
		const subscriber = some();
		await members.admit(subscriber, () => Promise.resolve());
		members.fail(subscriber, error);
		members.fail(subscriber, error);
		expect([failed.length, removed.length]).toEqual([1, 1]);
	});

	it('a subscriber may throw in its callbacks, or have none', async () => {
		const { members, some } = open();
		const [subscriber, other] = [some(), some()];
		Object.assign(subscriber.consumer, { onFailed: () => JSON.parse('no') as unknown });
		Object.assign(other.consumer, { onFailed: undefined });
		for (const each of [subscriber, other]) await members.admit(each, () => Promise.resolve());
		for (const each of [subscriber, other]) members.fail(each, error);
		expect(members.all()).toEqual([]);
	});
});

describe('one whose own code fails', () => {
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
