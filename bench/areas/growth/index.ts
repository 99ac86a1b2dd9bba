import { createClient, createStream, type Account, type Clock, type Consumer } from '@partner-exchange/core';
import { nodePorts, wsSocket } from '@partner-exchange/core/node';
import { stopwatch, type Area, type Contestant, type Sample } from '../../area';
import { serveLists } from './lists';
import { serveTopics } from './topics';

const refuse = (): never => {
	throw new Error('Nothing is read without a key');
};
const withoutKey = {
	call: () => Promise.reject(new Error('Nothing is read without a key')),
	items: refuse,
	page: refuse,
};

interface Listening {
	/** Topics that events come of, in turn. */
	topics: number;
	subscribers: number;
	/** What each of them listens to, and what of that passes. */
	consumer: (index: number) => Pick<Consumer, 'topics' | 'filters'>;
	/** Events that come before those that are measured. */
	before?: number;
}

/** So many events to subscribers of one connection. */
function listen(size: number, address: string, listening: Listening): Promise<Sample> {
	const { topics, subscribers, consumer, before = 0 } = listening;
	const [baseUrl, wsUrl] = [`http://${address}/v1`, `ws://${address}/${topics}/${before + size}/v1/ws`];
	const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: '' };
	const stream = createStream({ ...nodePorts(), account, client: withoutKey, openSocket: wsSocket });
	return new Promise((resolve, reject) => {
		let end = stopwatch();
		let left = before + size;
		const deliver = async (events: readonly unknown[]): Promise<void> => {
			const isBefore = left > size;
			left -= events.length;
			if (isBefore && left <= size) end = stopwatch();
			if (left <= 0) resolve(end(size));
		};
		const opened = Array.from({ length: subscribers }, (_, index) =>
			stream.subscribe({
				...consumer(index),
				batchMax: 1_000,
				deliver,
				onCheckpoint: () => undefined,
				onFailed: reject,
			}),
		);
		Promise.all(opened.map(({ ready }) => ready)).then(() => (end = stopwatch()), reject);
	});
}

const pairTopic = (index: number): string => `trades.P${index}_NGN`;

/** Named `at1000`, because whole numbers would be put in an order of their own. */
const steps = (counts: readonly number[], contestant: (count: number) => Contestant): Record<string, Contestant> =>
	Object.fromEntries(counts.map((count) => [`at${count}`, contestant(count)]));

const common = { unit: 'events', judged: 'cpu', size: 50_000, smoke: 100, serve: serveTopics } as const;

export const byTopics: Area = {
	...common,
	size: 300_000,
	title: 'Growth: topics',
	about: 'The cost of one event while the topics of one connection grow. Each topic has one subscriber.',
	curve: 'topics',
	baseline: 'at1',
	contestants: steps([1, 2, 5, 10, 20, 50], (count) => ({
		title: `ours, ${count} topics`,
		run: (size, address) =>
			listen(size, address, {
				topics: count,
				subscribers: count,
				consumer: (index) => ({ topics: [pairTopic(index)] }),
			}),
	})),
	targets: [{ of: 'at50', over: 'at1', atLeast: 1 / 1.3, says: 'flat within 1.3x' }],
};

const PAIRS = 50;

/** Who filters for a pair of which nothing comes wants nothing. */
const interested = (count: number): Contestant => ({
	title: `ours, ${count} subscribers`,
	run: (size, address) =>
		listen(size, address, {
			topics: PAIRS,
			subscribers: count,
			consumer: (index) => ({ topics: [pairTopic(index % PAIRS)], filters: { pairs: [`P${index}/NGN`] } }),
		}),
});

export const bySubscribers: Area = {
	...common,
	size: 20_000,
	title: 'Growth: subscribers by interest',
	about:
		'The cost of one event while the subscribers grow. Each filters for one pair, so at most one of them wants an event.',
	curve: 'subscribers',
	baseline: 'at50',
	contestants: steps([50, 100, 200, 500, 1_000], interested),
	targets: [{ of: 'at1000', over: 'at50', atLeast: 1 / 1.3, says: 'flat within 1.3x' }],
};

/** A run that has told so much before it is measured. */
const remembering = (count: number): Contestant => ({
	title: `ours, ${count} events told`,
	run: (size, address) =>
		listen(size, address, {
			...{ topics: 1, subscribers: 1, consumer: () => ({ topics: [pairTopic(0)] }) },
			before: Math.min(count, size * 100),
		}),
});

export const byKeys: Area = {
	...common,
	title: 'Growth: remembered keys',
	about: 'The cost of one event after so many were told, which is what deduplication has to remember.',
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

/** A list read to its end. */
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
		const end = stopwatch();
		let read = 0;
		for await (const item of client.items('order.list', {})) if (item.id) read += 1;
		if (read !== total) throw new Error(`${read} of ${total} items were read`);
		return end(read);
	},
});

export const byPages: Area = {
	title: 'Growth: pages',
	about:
		'The cost of one item while the list that is read grows, 100 items a page; 80,000 is about the most one run reads.',
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
