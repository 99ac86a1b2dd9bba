import {
	type ExchangeError,
	type Consumer,
	type Item,
	type StreamEvent,
	type StreamNotice,
} from '@partner-exchange/core';
import { streamPolicy } from '@partner-exchange/core/testing';
import type { TopicHistory } from '../../../packages/core/src/stream/backfill/read-queue';
import { createSubscriber } from '../../../packages/core/src/stream/delivery/subscriber';
import type { Position } from '../../../packages/core/src/stream/position';
import { createChannel } from '../../../packages/core/src/stream/channel/channel';
import { topicOf } from '../../../packages/core/src/stream/topics';
import { settled, virtualTime } from '../../simulation/support/time';
import { fill } from './stage';

export const NAME = 'user.fills';
const SECOND_MS = 1_000;
export const at = (seq: number, epoch = 'e'): Position => ({ epoch, seq });

/** One topic whose connection and list the test controls. It is backfilled only when something may be missing. */
export function openChannel({ isReadable = true, topic: name = NAME } = {}) {
	const time = virtualTime();
	const begins = time.now();
	const nothing = () => undefined;
	const service = {
		rows: [] as Item[],
		fails: undefined as Error | undefined,
		reads: [] as number[],
		pageMax: Infinity,
		answers: Promise.resolve(),
	};
	const calls = { resubscribed: 0, refused: [] as ExchangeError[] };
	const history: TopicHistory = {
		place: () => null,
		page: async (_list, { offset }) => {
			if (!offset) service.reads.push((time.now() - begins) / SECOND_MS);
			await service.answers;
			if (service.fails) throw service.fails;
			return service.rows.slice(Number(offset ?? 0), Number(offset ?? 0) + service.pageMax);
		},
		read: () => Promise.reject(new Error('It is not there')),
		pairOf: () => Promise.reject(new Error('It has no pair')),
	};
	const policy = { ...streamPolicy, readEveryMs: undefined, readAfterMs: [0] };
	const ports = { policy, clock: time, random: () => 0.5, observed: nothing, moved: nothing, serviceTime: nothing };
	const channel = createChannel(
		name,
		{ ...topicOf(name)!, ...(isReadable ? {} : { backfill: 'live-only' as const }) },
		{
			...{ ...ports, history, state: () => 'waiting' as const },
			resubscribe: () => void (calls.resubscribed += 1),
			refused: (error) => void calls.refused.push(error),
		},
	);
	function join(consumer: Partial<Consumer> = {}) {
		const events: StreamEvent[] = [];
		const notices: StreamNotice[] = [];
		const subscriber = createSubscriber(
			{
				topics: [name],
				deliver: async (args) => void events.push(...args),
				onNotice: (notice) => notices.push(notice),
				...consumer,
			},
			{ ...ports, isRead: true, keys: new Map(), full: nothing, acknowledged: nothing, failed: nothing },
		);
		const state = { is: 'waiting' };
		const joined = channel.join(subscriber);
		joined.then(
			() => void (state.is = 'joined'),
			(error: ExchangeError) => void (state.is = error.code),
		);
		subscriber.start();
		const keys = () => events.map(({ eventKey }) => eventKey);
		return { subscriber, joined, events, notices, state, keys };
	}
	const report = {
		confirmed: (head?: Position, resumedFrom?: Position) => channel.happened({ type: 'confirmed', head, resumedFrom }),
	};
	const say = (seq: number, id: string, epoch = 'e'): void =>
		channel.happened(
			{ type: 'data', topic: name, position: at(seq, epoch), ts: null, data: fill(id), length: 100 },
			time.now(),
		);
	const pass = async (seconds: number) => (await time.run(time.now() + seconds * SECOND_MS), settled());
	return { time, channel, service, calls, join, say, pass, ...report, reads: () => service.reads.splice(0).length };
}

/** The same with one subscriber that joined when the topic was confirmed at this position. */
export async function joinedChannel(head?: Position, options?: Parameters<typeof openChannel>[0]) {
	const stage = openChannel(options);
	const consumer = stage.join();
	stage.confirmed(head);
	await consumer.joined;
	return { ...stage, ...consumer };
}

export const STORED = { version: 1, topics: { [NAME]: { epoch: 'e', seq: 1, watermark: 1, keys: [] } } };
