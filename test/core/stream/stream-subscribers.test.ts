import type { ExchangeError } from '@partner-exchange/core';
import { guardedConsumer } from '../../../packages/core/src/stream/delivery/guard';
import { openStage } from './stage';

const FILLS = { topics: ['user.fills'] };
const broken = (): undefined => JSON.parse('no') as undefined;

describe('the subscribers of a stream', () => {
	/** A subscriber that is ready, and fails at its next notice. */
	async function openReady(onFailed?: (error: ExchangeError) => void) {
		const stage = openStage();
		let isReady = false;
		const seen = stage.consume({ ...FILLS, onFailed, onNotice: () => (isReady ? broken() : undefined) });
		await seen.subscription.ready;
		isReady = true;
		return { ...stage, seen };
	}

	it('a subscriber is ready once it joined, and learns once that it fails later', async () => {
		const failed: string[] = [];
		const { sockets, stream, pass } = await openReady(({ code }) => void failed.push(code));
		expect(stream.status().totals.subscribers).toBe(1);
		sockets[0]!.close();
		await pass(60_000);
		expect([failed, stream.status().totals]).toMatchObject([['invalid_input'], { subscribers: 0, topics: 0 }]);
	});

	it('a subscriber learns only once that it cannot join', async () => {
		const { stream, consume } = openStage();
		const failed: string[] = [];
		const seen = consume({ topics: ['user.fils'], onFailed: ({ code }) => failed.push(code) });
		await expect(seen.subscription.ready).rejects.toMatchObject({ code: 'invalid_input' });
		expect([failed, stream.status().totals.subscribers]).toEqual([['invalid_input'], 0]);
	});

	it('a subscriber learns nothing once it left', async () => {
		const failed: string[] = [];
		const { seen, sockets, pass } = await openReady(({ code }) => void failed.push(code));
		await seen.subscription.close();
		sockets[0]!.close();
		await pass(60_000);
		expect(failed).toEqual([]);
	});

	it.each([
		['throw when it is told of it', broken],
		['have no place for it', undefined],
	])('a subscriber that fails may %s', async (_, onFailed) => {
		const { sockets, stream, consume, pass } = await openReady(onFailed);
		const other = consume(FILLS);
		await other.subscription.ready;
		sockets[0]!.close();
		await pass(60_000);
		expect([stream.status().totals.subscribers, other.failed]).toEqual([1, undefined]);
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
