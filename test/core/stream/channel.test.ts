import { ExchangeError } from '@partner-exchange/core';
import { settled } from '../../simulation/support/time';
import { at, joinedChannel, NAME, openChannel, STORED } from './channel-stage';
import { fill } from './stage';

const gapsIn = (keys: string[]) => keys.filter((key) => key.startsWith('gap:')).length;

describe('what was missed while the connection was gone, where it cannot be read', () => {
	it.each([
		['is not told of the first connection', at(4), undefined, false, 0],
		['is not told where it is replayed', at(9), at(4), true, 0],
		['is not told where nothing happened', at(4), undefined, true, 0],
		['is told where something happened', at(9), undefined, true, 1],
		['is told where the service began anew', at(0, 'e2'), at(4), true, 1],
		['is told where the service says nothing', undefined, undefined, true, 1],
	])(
		'reports what was missed while the connection was gone and cannot be read: %s',
		async (_name, head, resumed, isAgain, count) => {
			const { channel, confirmed, join, say } = openChannel({ isReadable: false });
			const { keys, notices, joined } = join();
			if (isAgain) {
				confirmed(at(0));
				await joined;
				say(4, 'f4');
				channel.happened({ type: 'lost', heardAt: 0 });
			}
			confirmed(head, resumed);
			await settled();
			expect(gapsIn(keys())).toBe(count);
			expect(notices.filter(({ kind, topic }) => kind === 'gap' && topic === NAME)).toHaveLength(count);
		},
	);

	it('reports no gap if a topic is only confirmed again', async () => {
		const { say, confirmed, keys } = await joinedChannel(at(0), { isReadable: false });
		say(4, 'f4');
		confirmed(at(9));
		await settled();
		expect(gapsIn(keys())).toBe(0);
	});
});

describe('one who comes to a topic', () => {
	it('a subscriber has a topic once it is confirmed and read', async () => {
		const { confirmed, join, calls, pass, reads } = openChannel();
		const { state, notices } = join();
		await pass(0);
		expect([state.is, reads(), notices]).toEqual(['waiting', 1, []]);
		confirmed();
		await pass(0);
		expect([state.is, calls.resubscribed]).toEqual(['joined', 0]);
	});

	it("a new subscriber starts at the topic's position, and needs no confirmation of its own", async () => {
		const { confirmed, join, calls, channel, pass } = openChannel();
		const first = join();
		confirmed(at(7));
		await first.joined;
		const second = join();
		await pass(0);
		expect([second.state.is, calls.resubscribed]).toEqual(['joined', 0]);
		expect(second.subscriber.cursor(NAME).offered.position).toEqual(at(7));
		expect(channel.resumeFrom()).toEqual(at(7));
	});

	it('a rejoining subscriber has its topic requested again, so that what it missed is replayed', async () => {
		const { channel, confirmed, join, calls, pass } = await joinedChannel(at(7));
		const { state, subscriber } = join({ checkpoint: STORED });
		await pass(0);
		expect([state.is, calls.resubscribed, channel.resumeFrom()]).toEqual(['waiting', 1, at(1)]);
		confirmed(at(7), at(1));
		await pass(0);
		expect(state.is).toBe('joined');
		// If the connection is lost before anything is replayed, the subscription resumes from the same position.
		expect([subscriber.cursor(NAME).offered.position, channel.resumeFrom()]).toEqual([at(1), at(1)]);
		subscriber.queue.lagging.set(NAME, 0);
		expect(channel.resumeFrom()).toEqual(at(7));
	});

	it("a subscriber that joins while the connection is gone starts at the topic's position afterwards", async () => {
		const { channel, confirmed, join } = openChannel();
		const first = join();
		confirmed(at(7));
		await first.joined;
		channel.happened({ type: 'lost', heardAt: 0 });
		const { subscriber } = join();
		expect(subscriber.cursor(NAME).offered.position).toBeUndefined();
	});

	it('a new subscriber gets nothing that happened while the connection was gone', async () => {
		const { channel, confirmed, join, service, pass } = openChannel();
		const first = join();
		confirmed();
		await first.joined;
		channel.happened({ type: 'lost', heardAt: 0 });
		service.rows = [fill('missed')];
		service.fails = new ExchangeError('unreachable', { what: 'It does not answer' });
		confirmed();
		await pass(0);
		service.fails = undefined;
		const second = join();
		await pass(60);
		expect([first.keys(), second.keys()]).toEqual([['fill:missed'], []]);
	});

	it('a refused topic is requested again for a new subscriber, also for one that only needs it open', async () => {
		const { channel, confirmed, join, calls } = openChannel();
		join().joined.catch(() => undefined);
		channel.happened({ type: 'refused', error: new ExchangeError('refused', { what: 'It is not for you' }) });
		expect([calls.resubscribed, calls.refused.length]).toEqual([0, 1]);
		void channel.ready();
		expect(calls.resubscribed).toBe(1);
		join().joined.catch(() => undefined);
		expect(calls.resubscribed).toBe(2);
		channel.happened({ type: 'requested' });
		void channel.ready();
		expect(calls.resubscribed).toBe(2);
		confirmed();
		await channel.ready();
		expect(calls.resubscribed).toBe(2);
	});

	it('a subscriber learns that its topic was refused or dropped, the latter only without a name', async () => {
		const { channel, join, pass } = openChannel();
		const error = new ExchangeError('refused', { what: 'It is not for you' });
		const { state } = join();
		const anonymous = channel.ready().catch(({ code }: ExchangeError) => code);
		channel.abandon(error);
		expect(await anonymous).toBe('refused');
		await pass(0);
		expect(state.is).toBe('waiting');
		channel.happened({ type: 'refused', error });
		await pass(0);
		expect(state.is).toBe('refused');
		expect(channel.status()).toMatchObject({ last_error: expect.stringContaining('It is not for you') });
	});

	it('a subscriber that leaves while it waits learns that it left, and others wait on', async () => {
		const { channel, join, pass } = openChannel();
		const [first, second] = [join(), join()];
		channel.leave(first.subscriber);
		await pass(0);
		expect([first.state.is, second.state.is]).toEqual(['aborted', 'waiting']);
		expect(channel.subscribers()).toEqual([second.subscriber]);
	});

	it('a jump of the numbers is counted for each subscriber of a topic', async () => {
		const { join, confirmed, say } = openChannel();
		const both = [join(), join()];
		confirmed(at(1));
		await Promise.all(both.map(({ joined }) => joined));
		say(5, 'f5');
		expect(both.map(({ subscriber }) => subscriber.counters.gaps)).toEqual([1, 1]);
	});

	it('a subscriber that does not wait leaves if the first backfill fails, but not if the key may not read', async () => {
		const { service, join, pass, confirmed } = openChannel();
		confirmed();
		service.fails = new ExchangeError('unreachable', { what: 'It does not answer' });
		const [hasty, patient] = [join(), join({ retriesFirstConnection: true })];
		await pass(1);
		expect([hasty.state.is, patient.state.is]).toEqual(['unreachable', 'waiting']);
		service.fails = undefined;
		await pass(60);
		expect([hasty.state.is, patient.state.is]).toEqual(['unreachable', 'joined']);
		const other = openChannel();
		other.confirmed();
		other.service.fails = new ExchangeError('forbidden', { what: 'The key may not read' });
		const { state } = other.join();
		await other.pass(60);
		expect(state.is).toBe('joined');
	});

	it('a subscriber that dropped a topic is served again from the next confirmation', async () => {
		const { channel, calls, subscriber } = await joinedChannel(at(7));
		subscriber.queue.lagging.set(NAME, 0);
		channel.rejoin(subscriber);
		expect([subscriber.queue.lagging.has(NAME), calls.resubscribed]).toEqual([false, 1]);
	});
});

describe('a topic', () => {
	it('shows whether a topic is subscribed, or the state of its connection', async () => {
		const { channel, confirmed, join, say, pass } = openChannel();
		const { joined, notices, keys } = join();
		expect(channel.status()).toMatchObject({ state: 'waiting', epoch: null, seq: null, subscribers: 1 });
		confirmed(at(3));
		await joined;
		say(4, 'f4');
		expect(channel.status()).toMatchObject({ state: 'subscribed', epoch: 'e', seq: 4, received: 1 });
		channel.happened({ type: 'lost', heardAt: 0 });
		expect(channel.status()).toMatchObject({ state: 'waiting' });
		const error = new ExchangeError('refused', { what: 'It is not for you' });
		channel.happened({ type: 'unavailable', error, againMs: 30_400 });
		expect(notices.at(-1)).toMatchObject({ kind: 'degraded', topic: NAME });
		expect(notices.at(-1)!.text).toMatch(/It is not for you; the next attempt is in 30 s$/);
		channel.tell({ key: 'said', data: {} });
		await pass(0);
		expect(keys()).toEqual(['fill:f4', 'said']);
	});

	it('sets no timer any more for a subscriber that stops it when it is told something', async () => {
		const { channel, confirmed, join, time } = openChannel();
		join({ onNotice: () => channel.stop(), checkpoint: STORED });
		confirmed(at(1));
		channel.happened({ type: 'unavailable', error: new ExchangeError('refused', { what: 'It is full' }), againMs: 9 });
		expect(await time.run(time.now() + 60_000)).toBe(0);
	});
});
