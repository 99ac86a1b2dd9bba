import { stopwatch, type Area, type Contestant, type Sample } from '../../area';
import { inOrder } from '../stream/frames';
import { latencyOf } from '../stream/latencies';
import { openedAt } from '../stream/ours';
import { begin, monotonicMs, serveStreams } from '../stream/server';

const THOUSAND = 1_000;
const HUNDRED = 100;
/**
 * Fills for a thousand, one every so often, so that each is over before the next. As many as it takes for 99 in 100 to be
 * more than the slowest one.
 */
const FILLS = 200;
const FILLS_PER_SECOND = 8;
const collectGarbage = (globalThis as { gc?: () => void }).gc;

/** Called for each subscriber of a crowd: which of them, and the payload. */
type OnEvent = (subscriber: number, data: Record<string, string>) => void;

/** Opens subscriptions of one account, one after the other, as n8n activates its workflows. */
async function subscribeAll(address: string, subscribers: number, onEvent: OnEvent): Promise<void> {
	const stream = openedAt(address, 'fills');
	for (let subscriber = 0; subscriber < subscribers; subscriber += 1) {
		await stream.subscribe({
			...{ topics: ['user.fills'], batchMax: 100 },
			deliver: async (events) => events.forEach(({ data }) => onEvent(subscriber, data as Record<string, string>)),
			onCheckpoint: () => undefined,
		}).ready;
	}
}

/** From nothing until all of them are served: connected, subscribed, and what was before them read. */
const starting = (title: string, subscribers: number): Contestant => ({
	title,
	run: async (size, address) => {
		const end = stopwatch();
		await subscribeAll(address, Math.min(subscribers, size), () => undefined);
		return end(Math.min(subscribers, size));
	},
});

/** Each fill goes to all of them; how long it takes until the last one has it. */
const eventForAll: Contestant = {
	title: 'ours, a fill for each of them',
	felt: 'A fill that a thousand triggers want, until the last one has it',
	run: async (size, address) => {
		const subscribers = Math.min(THOUSAND, size);
		const fills = Math.min(FILLS, size);
		const checks = Array.from({ length: subscribers }, () => inOrder('fills'));
		let finish: (sample: Sample) => void;
		const finished = new Promise<Sample>((resolve) => (finish = resolve));
		let end = stopwatch();
		let left = subscribers * fills;
		const took: number[] = [];
		await subscribeAll(address, subscribers, (subscriber, data) => {
			checks[subscriber]!('user.fills', data);
			left -= 1;
			if (left % subscribers === 0) took.push(monotonicMs() - Number(data['at']) / 1_000);
			if (left === 0) finish({ ...end(fills), latency: latencyOf(took) });
		});
		await begin(address, 'fills', fills, FILLS_PER_SECOND);
		end = stopwatch();
		return finished;
	},
};

export const triggers: Area = {
	title: 'A thousand triggers',
	about:
		'Consumers of one account in one process, all of them for fills. They subscribe one after the other, each once the one before is served, and every fill is for each of them. The host around them, such as an execution in n8n, is no part of it.',
	unit: 'consumers',
	judged: 'cpu',
	size: THOUSAND,
	smoke: 5,
	baseline: 'first',
	// A subscriber that stays would get what the next one asks for.
	isApart: true,
	serve: serveStreams,
	contestants: {
		first: {
			...starting('ours, the first consumer of a process', 1),
			felt: 'A start: an account opened, until its first trigger is served',
		},
		thousand: { ...starting('ours, a thousand, one after the other', THOUSAND), note: 'the first included' },
		eventForAll,
	},
};

const BUSY = 30_000;

/** What so many consumers of one busy topic hold, after all of them were told all of it. */
const holding = (subscribers: number): Contestant => ({
	title: `ours, ${subscribers} consumer${subscribers === 1 ? '' : 's'}`,
	run: async (size, address) => {
		const end = stopwatch();
		const left = { events: size * subscribers };
		await new Promise<void>((resolve, reject) => {
			subscribeAll(address, subscribers, () => {
				left.events -= 1;
				if (left.events === 0) resolve();
			})
				.then(() => begin(address, 'fills', size))
				.catch(reject);
		});
		// What was handed over last is acknowledged in the turns after it.
		await new Promise((resolve) => setTimeout(resolve, 100));
		collectGarbage?.();
		const { heapUsed, arrayBuffers } = process.memoryUsage();
		return { ...end(size * subscribers), megabytes: (heapUsed + arrayBuffers) / 2 ** 20 };
	},
});

export const memory: Area = {
	title: 'Memory of consumers',
	about: `What a process holds in which so many consumers of one account were told ${BUSY.toLocaleString('en')} fills, after garbage was collected.`,
	unit: 'fills',
	judged: 'cpu',
	size: BUSY,
	smoke: 20,
	baseline: 'one',
	isApart: true,
	serve: serveStreams,
	contestants: { one: holding(1), hundred: holding(HUNDRED) },
	limits: [{ of: 'hundred', beyond: 'one', megabytes: 5 }],
};
