import { createClient, type Account, type Clock, type Consumer } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { stopwatch, type Area, type Contestant, type Sample } from '../../area';
import { feeds, PAIRS } from '../stream/frames';
import { openedAt } from '../stream/ours';
import { begin, serveStreams } from '../stream/server';
import { serveLists } from './lists';

interface Listening {
	feed: 'trades' | 'pairs';
	/** What passes the filters of each subscriber, by its number. */
	filters: readonly NonNullable<Consumer['filters']>[];
	/** Events that come before those that are measured. */
	before: number;
}

/** A number of events to subscribers of one connection. */
async function listen(size: number, address: string, { feed, filters, before }: Listening): Promise<Sample> {
	const stream = openedAt(address, feed);
	const { topics, topicOf } = feeds[feed];
	const sample = await new Promise<Sample>((resolve, reject) => {
		let end = stopwatch();
		let left = before + size;
		const deliver = async (events: readonly unknown[]): Promise<void> => {
			const isBefore = left > size;
			left -= events.length;
			if (isBefore && left <= size) end = stopwatch();
			if (left <= 0) resolve(end(size));
		};
		const opened = filters.map(
			(filter, index) =>
				stream.subscribe({
					...{ topics: [topicOf((index % topics) + 1)], filters: filter, batchMax: 1_000, deliver },
					onCheckpoint: () => undefined,
					onFailed: reject,
				}).ready,
		);
		Promise.all(opened)
			.then(() => begin(address, feed, before + size))
			.catch(reject);
	});
	await stream.close();
	return sample;
}

/** What the compiler of the engine learns is learned before anything is measured, or growth would look like progress. */
const warmUp = (size: number, address: string): Promise<Sample> =>
	listen(Math.min(WARM_UP, size * 10), address, { feed: 'trades', filters: [{}], before: 0 });
const WARM_UP = 200_000;

/** Named `at1000`, because whole numbers would be put in an order of their own. */
const steps = (counts: readonly number[], contestant: (count: number) => Contestant): Record<string, Contestant> =>
	Object.fromEntries(counts.map((count) => [`at${count}`, contestant(count)]));

const common = { unit: 'events', judged: 'cpu', size: 150_000, smoke: 100, serve: serveStreams } as const;

/** A subscriber of a pair of which nothing comes wants nothing. */
const interested = (count: number): Contestant => ({
	title: `ours, ${count} subscribers`,
	run: async (size, address) => {
		await warmUp(size, address);
		const filters = Array.from({ length: count }, (_, index) => ({ pairs: [`P${index}/NGN`] }));
		return listen(size, address, { feed: 'pairs', filters, before: size });
	},
});

export const bySubscribers: Area = {
	...common,
	title: 'Growth: subscribers by interest',
	about: `The cost of one event of ${PAIRS} topics while the subscribers grow. Each filters for one pair, so at most one of them wants an event. Warm: as many events and ${WARM_UP.toLocaleString('en')} of another stream came before.`,
	curve: 'subscribers',
	baseline: 'at50',
	contestants: steps([50, 200, 1_000], interested),
	targets: [{ of: 'at1000', over: 'at50', atLeast: 1 / 1.3, says: 'flat within 1.3x' }],
};

/** A run that has told so much before it is measured. */
const remembering = (count: number): Contestant => ({
	title: `ours, ${count} events told`,
	run: async (size, address) => {
		await warmUp(size, address);
		return listen(size, address, { feed: 'trades', filters: [{}], before: Math.min(count, size * 100) });
	},
});

export const byKeys: Area = {
	...common,
	title: 'Growth: remembered keys',
	about: `The cost of one event after so many were told, which is what has to be remembered. Warm: ${WARM_UP.toLocaleString('en')} events of another stream came before.`,
	curve: 'events told before',
	baseline: 'at10000',
	contestants: steps([10_000, 100_000, 1_000_000], remembering),
	targets: [{ of: 'at1000000', over: 'at10000', atLeast: 1 / 1.3, says: 'flat within 1.3x' }],
};

/** A long list is read with pauses, which would only be waited for here. */
const unpaused: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	after: (delayMs, action) => {
		const timer = setTimeout(action, delayMs <= 1_000 ? 0 : delayMs);
		return () => clearTimeout(timer);
	},
};

const WARM_ITEMS = 10_000;
/** A list read to its end, after others were. */
const paging = (count: number): Contestant => ({
	title: `ours, ${count} items`,
	run: async (scale, address) => {
		const total = scale === 1 ? count : 100;
		const account: Account = {
			environment: 'sandbox',
			baseUrl: `http://${address}/${total}/v1`,
			wsUrl: `ws://${address}/v1/ws`,
			apiKey: 'bench-key',
		};
		const client = createClient(account, { ...nodePorts(), clock: unpaused });
		const readAll = async (): Promise<number> => {
			let read = 0;
			for await (const item of client.items('order.list', {})) if (item.id) read += 1;
			if (read !== total) throw new Error(`${read} of ${total} items were read`);
			return read;
		};
		let warm = 0;
		while (warm < Math.min(WARM_ITEMS, total * 10)) warm += await readAll();
		const end = stopwatch();
		return end(await readAll());
	},
});

export const byPages: Area = {
	title: 'Growth: pages',
	about: `The cost of one item while the list that is read grows, 100 items a page; 80,000 is about the most one run reads. Warm: at least ${WARM_ITEMS.toLocaleString('en')} items were read before.`,
	unit: 'lists',
	judged: 'cpu',
	size: 1,
	smoke: 2,
	serve: serveLists,
	curve: 'items',
	baseline: 'at1000',
	contestants: steps([1_000, 10_000, 80_000], paging),
	targets: [{ of: 'at80000', over: 'at1000', atLeast: 1 / 1.3, says: 'linear within 1.3x' }],
};
