import { backoff } from '../../backoff';
import { sleep, type Clock } from '../../ports';
import type { StreamEvent } from '../contract';
import type { Position } from '../position';
import { merged, type Delta, type GrowingDelta } from '../ledger/ledger';
import { QUEUE_HARD_LENGTH_MAX, QUEUE_HARD_MAX, QUEUE_LENGTH_MAX, QUEUE_MAX, TAKE_RETRY_MS } from '../limits';

/** Delivers events one call at a time and reports acknowledgements in the order of arrival. */
export interface Queue {
	push(entry: Entry): void;
	/** Removes the undelivered events of a topic. */
	discard(topic: string): void;
	/** How many events of a topic are queued. */
	waiting(topic: string): number;
	/** Whether all queued events of a topic were created after a moment. */
	isYounger(topic: string, time: number): boolean;
	/** A delta without an event, which applies once everything of the topic before it is acknowledged. */
	record(topic: string, delta: Delta): void;
	/** The same for a position on the stream. */
	reached(topic: string, position: Position): void;
	/** Starts the delivery. */
	start(): void;
	/** Whether it was started and not closed. */
	isRunning(): boolean;
	size(): number;
	/** Whether the queue is so full, by number or by length, that its source should pause. */
	isFull(): boolean;
	/** Whether the queue is over half of that limit, so that a paused source should stay paused. */
	isCrowded(): boolean;
	/** Whether nothing more may be queued. */
	isOverfull(): boolean;
	/** Stops the delivery; returns whether it had been started. */
	close(): boolean;
}

/** An event with the deltas that apply once it is acknowledged: its own, and those without an event that follow it. */
export interface Entry {
	event: StreamEvent;
	delta: Delta;
	/** Characters it takes, roughly. */
	length: number;
	later?: GrowingDelta;
}

export interface QueueOptions {
	deliver(events: StreamEvent[]): Promise<void>;
	batchMax: number;
	clock: Clock;
	random: () => number;
	/** The host acknowledged these. */
	acknowledged(entries: readonly Entry[]): void;
	/** A delta applies at once, because no event of its topic was queued. */
	advance(topic: string, delta: Delta): void;
	/** The host rejected; the events will be delivered again. */
	rejected(tries: number): void;
}

export function createQueue(options: QueueOptions): Queue {
	let entries: Entry[] = [];
	/** Index of the first waiting entry: delivered entries before it are cut off in batches. */
	let begin = 0;
	/** By topic: how many entries wait, and the latest of them. */
	const waiting: Waiting = new Map();
	const stopped = new AbortController();
	let [inFlight, length] = [0, 0];
	let [isStarted, isClosed] = [false, false];
	let pumping: Promise<void> | undefined;

	async function pump(): Promise<void> {
		// Events that arrive in the same turn of the event loop are delivered together.
		await Promise.resolve();
		while (size() > 0 && !isClosed) {
			const batch = entries.slice(begin, begin + Math.max(1, options.batchMax));
			inFlight = batch.length;
			const isAcknowledged = await handOver(
				batch.map(({ event }) => event),
				options,
				stopped.signal,
			);
			inFlight = 0;
			if (!isAcknowledged) break;
			forget(batch);
			options.acknowledged(batch);
		}
		pumping = undefined;
	}

	const size = (): number => entries.length - begin;

	function forget(batch: readonly Entry[]): void {
		begin += batch.length;
		if (begin > QUEUE_MAX || begin === entries.length) [entries, begin] = [entries.slice(begin), 0];
		for (const entry of batch) {
			waiting.get(entry.event.topic)!.count -= 1;
			length -= entry.length;
		}
	}

	function push(entry: Entry): void {
		if (isClosed) return;
		length += entry.length;
		entries.push(entry);
		count(waiting, entry);
		run();
	}

	function run(): void {
		if (isStarted && size() > 0) pumping ??= pump();
	}

	function record(topic: string, delta: Delta): void {
		const queued = waiting.get(topic);
		if (!queued || queued.count === 0) return options.advance(topic, delta);
		queued.last.later = merged(queued.last.later, delta);
	}

	return {
		push,
		discard: (topic) => {
			const rest = entries.slice(begin).filter(({ event }, index) => index < inFlight || event.topic !== topic);
			[entries, begin] = [rest, 0];
			waiting.delete(topic);
			length = rest.reduce((sum, entry) => sum + entry.length, 0);
			rest.filter(({ event }) => event.topic === topic).forEach((entry) => count(waiting, entry));
		},
		waiting: (topic) => waiting.get(topic)?.count ?? 0,
		isYounger: (topic, time) => entries.slice(begin).every((entry) => isOther(entry, topic) || isAfter(entry, time)),
		record,
		reached: (topic, position) => {
			const queued = waiting.get(topic);
			if (!queued || queued.count === 0) return options.advance(topic, { position });
			(queued.last.later ?? queued.last.delta).position = position;
		},
		start: () => {
			isStarted = true;
			run();
		},
		isRunning: () => isStarted && !isClosed,
		size,
		isFull: () => size() >= QUEUE_MAX || length >= QUEUE_LENGTH_MAX,
		isCrowded: () => size() > QUEUE_MAX / 2 || length > QUEUE_LENGTH_MAX / 2,
		isOverfull: () => size() >= QUEUE_HARD_MAX || length >= QUEUE_HARD_LENGTH_MAX,
		// The delivery in flight may still be acknowledged after this.
		close: () => {
			isClosed = true;
			stopped.abort();
			return isStarted;
		},
	};
}

const isOther = ({ event }: Entry, topic: string): boolean => event.topic !== topic;
const isAfter = ({ delta }: Entry, time: number): boolean => delta.time !== undefined && delta.time > time;

type Waiting = Map<string, { count: number; last: Entry }>;

function count(waiting: Waiting, entry: Entry): void {
	const queued = waiting.get(entry.event.topic);
	if (!queued) return void waiting.set(entry.event.topic, { count: 1, last: entry });
	queued.count += 1;
	queued.last = entry;
}

/** Delivers the same events until the host acknowledges them or the queue is closed. */
async function handOver(
	events: StreamEvent[],
	{ deliver, rejected, clock, random }: QueueOptions,
	stop: AbortSignal,
): Promise<boolean> {
	for (let tries = 1; ; tries += 1) {
		try {
			await deliver(events);
			return true;
		} catch {
			rejected(tries);
		}
		await sleep(clock, backoff(TAKE_RETRY_MS, tries, random), stop);
		if (stop.aborted) return false;
	}
}

const NODES_MAX = 1_000;

/** Estimates how many characters a payload takes; of a large one only the first values are counted. */
export function lengthOf(payload: unknown): number {
	const left: unknown[] = [payload];
	let length = 0;
	for (let nodes = 0; left.length > 0 && nodes < NODES_MAX; nodes += 1) {
		const value = left.pop();
		if (typeof value === 'string') length += value.length;
		else if (typeof value === 'object' && value !== null) {
			for (const [name, inner] of Object.entries(value).slice(0, NODES_MAX)) {
				length += name.length + 4;
				left.push(inner);
			}
		} else length += 8;
	}
	return length;
}
