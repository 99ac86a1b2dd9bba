import type { StreamEvent } from '../contract';
import { merged, type Delta, type GrowingDelta } from '../ledger/ledger';
import { QUEUE_HARD_LENGTH_MAX, QUEUE_HARD_MAX, QUEUE_LENGTH_MAX, QUEUE_MAX } from '../limits';
import type { Position } from '../position';

/** What waits for a host, in the order of arrival: a plain value, which these functions change in place. */
export interface Queue {
	entries: Entry[];
	/** The index of the first waiting entry: acknowledged entries before it are cut off many at once. */
	begin: number;
	/** How many entries from there on the host is busy with. */
	inFlight: number;
	/** Characters of the waiting entries, by the lengths of their messages. */
	length: number;
	/** By topic: how many entries wait, and the latest of them. */
	topics: Map<string, { count: number; last: Entry }>;
	/**
	 * Topics whose events were dropped, because the host was too slow, and since when. Their cursors stay until they are
	 * served again.
	 */
	lagging: Map<string, number>;
}

/** An event with the deltas that apply once it is acknowledged: its own, and those without an event that follow it. */
export interface Entry {
	event: StreamEvent;
	delta: Delta;
	length: number;
	later?: GrowingDelta;
}

export const emptyQueue = (): Queue => ({
	entries: [],
	begin: 0,
	inFlight: 0,
	length: 0,
	topics: new Map(),
	lagging: new Map(),
});

export const sizeOf = ({ entries, begin }: Queue): number => entries.length - begin;

/** How many events of a topic wait. */
export const waitingOf = ({ topics }: Queue, topic: string): number => topics.get(topic)?.count ?? 0;

/** Whether so much waits, by number or by length, that its source should pause. */
export const isFull = (queue: Queue): boolean => sizeOf(queue) >= QUEUE_MAX || queue.length >= QUEUE_LENGTH_MAX;

/** Whether so much waits that a paused source should stay paused. */
export const isCrowded = (queue: Queue): boolean =>
	sizeOf(queue) > QUEUE_MAX / 2 || queue.length > QUEUE_LENGTH_MAX / 2;

/** Whether so much waits that nothing more may be added. */
export const isOverfull = (queue: Queue): boolean =>
	sizeOf(queue) >= QUEUE_HARD_MAX || queue.length >= QUEUE_HARD_LENGTH_MAX;

/** Whether all waiting events of a topic were created after a moment. */
export function isYounger({ entries, begin }: Queue, topic: string, time: number): boolean {
	const isOther = ({ event }: Entry): boolean => event.topic !== topic;
	const isAfter = ({ delta }: Entry): boolean => delta.time !== undefined && delta.time > time;
	return entries.slice(begin).every((entry) => isOther(entry) || isAfter(entry));
}

export function push(queue: Queue, entry: Entry): void {
	queue.length += entry.length;
	queue.entries.push(entry);
	count(queue, entry);
}

/** The next entries for the host, which is busy with them until they are acknowledged. */
export function take(queue: Queue, max: number): Entry[] {
	const { entries, begin } = queue;
	const batch = entries.slice(begin, begin + max);
	queue.inFlight = batch.length;
	return batch;
}

/** The host acknowledged what it took. */
export function acknowledged(queue: Queue, batch: readonly Entry[]): void {
	queue.inFlight = 0;
	queue.begin += batch.length;
	const { entries, begin } = queue;
	if (begin > QUEUE_MAX || begin === entries.length) [queue.entries, queue.begin] = [entries.slice(begin), 0];
	for (const { event, length } of batch) {
		queue.topics.get(event.topic)!.count -= 1;
		queue.length -= length;
	}
}

/** Removes the events of a topic, but for those the host is busy with. */
export function discard(queue: Queue, topic: string): void {
	const { entries, begin, inFlight } = queue;
	const rest = entries.slice(begin).filter(({ event }, index) => index < inFlight || event.topic !== topic);
	[queue.entries, queue.begin] = [rest, 0];
	queue.topics.delete(topic);
	queue.length = rest.reduce((sum, { length }) => sum + length, 0);
	rest.filter(({ event }) => event.topic === topic).forEach((entry) => count(queue, entry));
}

/** Has a delta without an event apply once the latest event of its topic is acknowledged; false if none waits. */
export function append(queue: Queue, topic: string, delta: Delta): boolean {
	const latest = latestOf(queue, topic);
	if (latest) latest.later = merged(latest.later, delta);
	return latest !== undefined;
}

/** The same for a position on the stream. */
export function appendPosition(queue: Queue, topic: string, position: Position): boolean {
	const latest = latestOf(queue, topic);
	if (latest) (latest.later ?? latest.delta).position = position;
	return latest !== undefined;
}

function latestOf({ topics }: Queue, topic: string): Entry | undefined {
	const waiting = topics.get(topic);
	return waiting && waiting.count > 0 ? waiting.last : undefined;
}

function count({ topics }: Queue, entry: Entry): void {
	const waiting = topics.get(entry.event.topic);
	if (!waiting) return void topics.set(entry.event.topic, { count: 1, last: entry });
	waiting.count += 1;
	waiting.last = entry;
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
