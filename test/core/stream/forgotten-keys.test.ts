import type { Item } from '@partner-exchange/core';
import type { Feed } from '../../../packages/core/src/stream/feed';
import { append, newLog, type Arrival, type Cursor } from '../../../packages/core/src/stream/log';
import { streamPolicy } from '../../../packages/core/src/stream/policy';
import { walkBack } from '../../../packages/core/src/stream/sources/list';
import { needsOf } from '../../../packages/core/src/stream/sources/source';
import { newTopic } from '../../../packages/core/src/stream/topic-state';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { virtualTime } from '../../simulation/support/time';
import { fill } from './stage';

const time = virtualTime();
const madeAgo = (ms: number, id: string): Item => ({
	...fill(id),
	created_at: new Date(time.now() - ms).toISOString(),
});
const arrival: Arrival = {
	...{ topic: 'user.fills', delivery: 'reconciled', ts: null, isRead: true, now: time.now() },
	isNews: streamPolicy.isNews,
};

it('tells no fill again whose name was forgotten because a backlog had too many', async () => {
	const log = newLog('user.fills', { isBook: false, isNumbered: false, isRead: true, arrivals: { count: 0 } });
	log.cursors.add({ acknowledged: 0 } as Cursor);
	const state = newTopic(log, time.now(), 0.5, undefined);
	const rows = Array.from({ length: 30 }, (_, index) => madeAgo(index * 1_000, `fill-${index}`));
	const feed = {
		...{ name: 'user.fills', topic: fills, state, signal: new AbortController().signal, subscribers: new Map() },
		ports: {
			...{ clock: time, policy: streamPolicy },
			history: { page: async (_: string, { offset }: Item) => rows.slice(Number(offset)), read: fail, pairOf: fail },
		},
	} as unknown as Feed;
	const walk = walkBack(feed, needsOf(state)!);
	for (let page = await walk.next(); page; page = await walk.next()) for (const row of page) append(log, row, arrival);
	// The newest rows of a list come first, and so they are the first to be forgotten.
	const [newest] = rows.map(fills.identify);
	for (const name of [...log.known.keys.keys()].slice(0, 20)) log.known.keys.delete(name);
	Object.assign(log.known, { isOverrun: true, forgotten: newest!.time });
	walk.end();
	expect(rows.map(fills.identify).filter((row) => append(log, row, arrival))).toEqual([]);
	expect(append(log, fills.identify(madeAgo(-1_000, 'later')), arrival)).toBeDefined();
});

function fail(): never {
	throw new Error('It was not expected');
}
