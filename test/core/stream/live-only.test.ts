import type { StreamEvent, StreamNotice } from '@partner-exchange/core';
import { streamPolicy } from '@partner-exchange/core/testing';
import { createSubscriber } from '../../../packages/core/src/stream/delivery/subscriber';
import { createChannel } from '../../../packages/core/src/stream/channel/channel';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import type { TopicHistory } from '../../../packages/core/src/stream/backfill/read-queue';
import { settled, virtualTime } from '../../simulation/support/time';
import { fill } from './stage';

const NAME = 'user.fills';

/** A topic that the service does not show over REST. */
function openTopic() {
	const time = virtualTime();
	const nothing = () => undefined;
	const never = () => Promise.reject(new Error('It cannot be read'));
	const history: TopicHistory = { page: never, read: never, pairOf: never, place: () => null };
	const ports = {
		policy: streamPolicy,
		clock: time,
		random: () => 0.5,
		observed: nothing,
		moved: nothing,
		serviceTime: nothing,
	};
	const channel = createChannel(
		NAME,
		{ ...fills, backfill: 'live-only' },
		{ ...ports, history, resubscribe: nothing, state: () => 'live', refused: nothing },
	);
	function join() {
		const events: StreamEvent[] = [];
		const notices: StreamNotice[] = [];
		const subscriber = createSubscriber(
			{
				topics: [NAME],
				deliver: async (args) => void events.push(...args),
				onNotice: (notice) => notices.push(notice),
			},
			{ ...ports, isRead: true, keys: new Map(), full: nothing, acknowledged: nothing, failed: nothing },
		);
		const joined = channel.join(subscriber);
		subscriber.start();
		return { subscriber, joined, events, notices };
	}
	const say = (seq: number, id: string, epoch = 'e'): void => {
		const position = { epoch, seq };
		channel.happened({ type: 'data', topic: NAME, position, ts: null, data: fill(id), length: 100 }, time.now());
	};
	return { time, channel, join, say };
}

describe('a topic that cannot be read back', () => {
	it('delivers live events of a live-only topic at once, in order and once, and says what it cannot', async () => {
		const { channel, join, say } = openTopic();
		const { joined, events, notices } = join();
		channel.happened({ type: 'confirmed' });
		await joined;
		say(1, 'f1');
		say(2, 'f2');
		say(2, 'f2');
		await settled();
		expect(events.map(({ eventKey, delivery }) => [eventKey, delivery])).toEqual([
			['fill:f1', 'live'],
			['fill:f2', 'live'],
		]);
		expect(notices).toContainEqual(expect.objectContaining({ kind: 'degraded', topic: NAME }));
	});

	it('holds no live-only topic if events are missing, or at a new connection, and reads nothing', async () => {
		const { time, channel, join, say } = openTopic();
		const { subscriber, joined, events, notices } = join();
		channel.happened({ type: 'confirmed', head: { epoch: 'e', seq: 1 } });
		await joined;
		say(5, 'f5');
		channel.happened({ type: 'lost', heardAt: time.now() });
		const [head, resumedFrom] = [
			{ epoch: 'e2', seq: 0 },
			{ epoch: 'e', seq: 5 },
		];
		channel.happened({ type: 'confirmed', head, resumedFrom });
		say(1, 'f6', 'e2');
		await time.run(time.now() + 300_000);
		const keys = events.map(({ eventKey }) => eventKey);
		expect(keys.filter((key) => !key.startsWith('gap:'))).toEqual(['fill:f5', 'fill:f6']);
		// A gap is reported instead.
		expect(keys.some((key) => key.startsWith('gap:'))).toBe(true);
		expect(subscriber.counters.gaps).toBeGreaterThan(0);
		expect(notices.filter(({ text }) => text.includes('backfill failed'))).toEqual([]);
		expect(subscriber.cursor(NAME).offered.position).toMatchObject({ epoch: 'e2', seq: 1 });
	});

	it('reports each disconnection of a live-only topic without numbers, by the time it took', async () => {
		const { time, channel, join } = openTopic();
		const { joined, events } = join();
		const from = new Date(time.now()).toISOString();
		channel.happened({ type: 'confirmed', head: { epoch: 'e', seq: 1 } });
		await joined;
		for (let seq = 2; seq <= 3; seq += 1) {
			channel.happened({ type: 'lost', heardAt: time.now() });
			await time.run(time.now() + 1_000);
			channel.happened({ type: 'confirmed', head: { epoch: 'e', seq } });
		}
		await settled();
		expect(events.map(({ kind }) => kind)).toEqual(['gap', 'gap']);
		const until = new Date(time.now() - 1_000).toISOString();
		expect(events[0]!.data).toMatchObject({ gap: { after_created_at: from, before_created_at: until } });
	});
});
