import { backoff } from '../../backoff';
import { sleep, type Clock } from '../../ports';
import type { StreamEvent } from '../contract';
import { merged, type CursorUpdate, type EventFacts } from './cursor';
import { TAKE_RETRY_MS } from '../limits';

/** Hands events over one call at a time and says what is settled, in the order of arrival. */
export interface Queue {
	/** An event, with what is stored once it was acknowledged. */
	push(event: StreamEvent, facts: EventFacts): void;
	/** Takes back the events of a topic that were not handed over. */
	discard(topic: string): void;
	/** How many events of a topic wait. */
	waiting(topic: string): number;
	/** Something that becomes true once everything of the topic before it was taken. */
	note(topic: string, update: CursorUpdate): void;
	/** Nothing is handed over before this. */
	start(): void;
	size(): number;
	/** Nothing more is handed over from here on. */
	close(): void;
}

/** An event with what is settled once it was taken: itself, and what came to pass between it and the next. */
export interface Entry {
	event: StreamEvent;
	facts: EventFacts;
	settles?: CursorUpdate;
}

export interface QueueOptions {
	deliver(events: StreamEvent[]): Promise<void>;
	batchMax: number;
	clock: Clock;
	random: () => number;
	/** The host took these. */
	acknowledged(entries: readonly Entry[]): void;
	/** Something became true while nothing of its topic waited. */
	settled(topic: string, update: CursorUpdate): void;
	/** The host rejected; the events will be handed over again. */
	rejected(tries: number): void;
}

export function createQueue(options: QueueOptions): Queue {
	const entries: Entry[] = [];
	/** By topic: how many wait, and the one that came last. */
	const waiting = new Map<string, { count: number; last: Entry }>();
	const stopped = new AbortController();
	let inFlight = 0;
	let isStarted = false;
	let pumping: Promise<void> | undefined;

	async function pump(): Promise<void> {
		// What arrives in the same turn is handed over together.
		await Promise.resolve();
		while (entries.length > 0 && !stopped.signal.aborted) {
			const batch = entries.slice(0, Math.max(1, options.batchMax));
			inFlight = batch.length;
			const taken = await handOver(
				batch.map(({ event }) => event),
				options,
				stopped.signal,
			);
			inFlight = 0;
			if (!taken) break;
			entries.splice(0, batch.length);
			for (const { event } of batch) waiting.get(event.topic)!.count -= 1;
			options.acknowledged(batch);
		}
		pumping = undefined;
	}

	function push(event: StreamEvent, facts: EventFacts): void {
		if (stopped.signal.aborted) return;
		const entry = { event, facts };
		entries.push(entry);
		count(entry);
		run();
	}

	function count(entry: Entry): void {
		const present = waiting.get(entry.event.topic);
		if (!present) return void waiting.set(entry.event.topic, { count: 1, last: entry });
		present.count += 1;
		present.last = entry;
	}

	function run(): void {
		if (isStarted && entries.length > 0) pumping ??= pump();
	}

	function note(topic: string, update: CursorUpdate): void {
		const present = waiting.get(topic);
		if (!present || present.count === 0) return options.settled(topic, update);
		present.last.settles = merged(present.last.settles, update);
	}

	return {
		push,
		discard: (topic) => {
			const kept = entries.filter(({ event }, index) => index < inFlight || event.topic !== topic);
			entries.splice(0, entries.length, ...kept);
			waiting.delete(topic);
			kept.filter(({ event }) => event.topic === topic).forEach(count);
		},
		waiting: (topic) => waiting.get(topic)?.count ?? 0,
		note,
		start: () => {
			isStarted = true;
			run();
		},
		size: () => entries.length,
		// What the host is still busy with settles later, if it does.
		close: () => stopped.abort(),
	};
}

/** Hands the same events over until the host takes them or nobody wants to any longer. */
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
