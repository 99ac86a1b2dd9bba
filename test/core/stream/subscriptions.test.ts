/* eslint-disable @typescript-eslint/no-explicit-any */
import { at, openSubscriptions as open } from './subscriptions-stage';

describe('topics asked for together', () => {
	it('requests topics in one message, and books, which begin with a snapshot, in another', () => {
		const { request, sent } = open({ a: { position: at(3) }, b: {}, book: { isBook: true } });
		request('book', 'a', 'b');
		expect(sent()).toEqual([
			{ type: 'subscribe', topics: ['a', 'b'], snapshot: false, resume: { a: at(3) } },
			{ type: 'subscribe', topics: ['book'], snapshot: true },
		]);
	});

	it('does not resume topics if that always fails, or is not wanted', () => {
		const { request, sent, useless, subscriptions, channels } = open({ a: { position: at(3) } });
		useless.add('a');
		request('a');
		useless.clear();
		subscriptions.request([...channels.values()], false);
		expect(sent().map((message) => 'resume' in message)).toEqual([false, false]);
		const none = open({ a: { position: at(3) } }, { 'stream.resume': '' });
		none.request('a');
		none.confirm('a');
		expect(none.told()).toEqual([['confirmed', 'a', undefined, undefined, undefined]]);
	});

	it('confirms topics by name, or all if none is named, each once', () => {
		const { request, confirm, told, subscriptions } = open({ a: {}, b: {}, c: {} });
		request('a', 'b', 'c');
		expect(subscriptions.isSettled()).toBe(false);
		confirm('b', 'other', 'b');
		expect(told().map(([, topic]: any) => topic as string)).toEqual(['b']);
		confirm();
		expect(told().map(([, topic]: any) => topic as string)).toEqual(['a', 'c']);
		expect(subscriptions.isSettled()).toBe(true);
		confirm('a');
		expect(told()).toEqual([]);
	});

	it('a confirmation brings the head of the service, the book, and where topics were resumed from', () => {
		const stage = open({ a: { position: at(3) } });
		stage.request('a');
		stage.confirmWith({ topics: ['a'], positions: { a: at(9) }, snapshots: { a: { sequence: 1 } } });
		expect(stage.told()).toEqual([['confirmed', 'a', at(9), { sequence: 1 }, at(3)]]);
		stage.request('a');
		stage.confirm('a');
		expect(stage.guarded()).toEqual([['guard', 'a', undefined, at(3)]]);
	});

	it('opens another connection if no topic is confirmed in ten seconds', async () => {
		const { request, pass, drops, told } = open({ a: {} });
		request('a');
		await pass(9.999);
		expect(drops()).toBe(0);
		await pass(0.001);
		expect([drops(), told()]).toEqual([1, []]);
		await pass(60);
		expect(drops()).toBe(1);
	});

	it('waits twice as long on each connection that confirmed no topic, up to forty seconds', async () => {
		const { request, confirm, pass, drops, subscriptions } = open({ a: {} });
		const waits = async (seconds: number) => {
			const before = drops();
			request('a');
			await pass(seconds - 0.001);
			expect(drops()).toBe(before);
			await pass(0.001);
			expect(drops()).toBe(before + 1);
			subscriptions.reset();
		};
		for (const seconds of [10, 20, 40, 40]) await waits(seconds);
		request('a');
		confirm('a');
		subscriptions.reset();
		await waits(10);
	});

	it('waits for no topic twice, nor once it is dropped or the connection is gone', async () => {
		const { request, pass, drops, subscriptions, topics } = open({ a: {}, b: {} });
		request('a', 'b');
		await pass(5);
		request('a', 'b');
		await pass(9);
		expect(drops()).toBe(0);
		subscriptions.cancel('a');
		expect(topics().at(-1)).toBe('a');
		subscriptions.reset();
		await pass(60);
		expect([drops(), subscriptions.isSettled()]).toEqual([0, true]);
	});
});

describe('a topic that is not confirmed while others are', () => {
	it('requests an unconfirmed topic again alone, and then refuses it', async () => {
		const { request, confirm, pass, drops, told, topics } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		topics();
		told();
		await pass(10);
		expect([topics(), told()]).toEqual([[], []]);
		await pass(1);
		expect(topics()).toEqual(['a']);
		await pass(10);
		const text = expect.stringContaining('does not confirm the topic a') as string;
		expect(told()).toEqual([['refused', 'a', 'timeout', text, undefined]]);
		expect(drops()).toBe(0);
		await pass(60);
		expect(topics()).toEqual([]);
	});

	it('requests an unconfirmed topic again with its position, and without it if nothing answers', async () => {
		const { request, confirm, pass, sent } = open({ a: { position: at(3), wasConfirmed: true }, b: {} });
		request('a', 'b');
		confirm('b');
		sent();
		await pass(11);
		expect(sent()).toEqual([{ type: 'subscribe', topics: ['a'], snapshot: false, resume: { a: at(3) } }]);
		await pass(10 + 30);
		expect(sent()).toEqual([{ type: 'subscribe', topics: ['a'], snapshot: false }]);
		await pass(10 + 60);
		expect(sent()).toEqual([{ type: 'subscribe', topics: ['a'], snapshot: false, resume: { a: at(3) } }]);
	});

	it('a late answer confirms a topic, which is requested no more', async () => {
		const { request, confirm, pass, told, topics } = open({ a: { position: at(3), wasConfirmed: true }, b: {} });
		request('a', 'b');
		confirm('b');
		await pass(10 + 1 + 10 + 5);
		topics();
		told();
		confirm('a');
		expect(told()).toEqual([['confirmed', 'a', undefined, undefined, at(3)]]);
		await pass(60);
		expect([topics(), told()]).toEqual([[], []]);
		request('a');
		confirm('b');
		await pass(10 + 1);
		expect(topics()).toEqual(['a', 'a']);
	});

	it('a late answer that names nothing confirms no topic', async () => {
		const { request, confirm, pass, told } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		told();
		await pass(10.5);
		confirm();
		expect(told()).toEqual([]);
	});

	it('a late answer for a dropped topic confirms nobody', async () => {
		const { request, confirm, pass, drops, channels } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		channels.delete('a');
		await pass(10);
		expect(drops()).toBe(1);
	});
});
