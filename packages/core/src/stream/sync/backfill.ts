import { isExchangeError, type ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { StreamNotice } from '../contract';
import { kindOfTopic, type TopicEvent } from '../topics/event';
import type { StreamPolicy } from '../policy';
import { pairOf } from './pair';
import { readBaseline, readHistory, type History, type HistoryReader } from './history';
import type { Inbox } from './inbox';
import type { Subscribers } from './subscribers';
import type { Subscriber } from '../delivery/subscriber';

/** Brings subscribers into step with what REST knows of one topic. */
export interface Backfill {
	/** The first reading for one who was never here: everything in it is old. */
	readBaseline(subscriber: Subscriber): Promise<void>;
	/**
	 * Reads and offers; answers what was read, or nothing if there was nothing to do. A book that is too old is not offered.
	 * Rejects if it should be tried again.
	 */
	run(
		subscribers: readonly Subscriber[],
		watermark: number | undefined,
	): Promise<{ history: History; found: boolean } | 'outdated' | undefined>;
	canRead(): boolean;
	stop(): void;
}

export interface BackfillPorts {
	topic: string;
	clock: Pick<Clock, 'now'>;
	/** Absent without a key, because every read needs one. */
	reader?: HistoryReader;
	policy: StreamPolicy;
	inbox: Pick<Inbox, 'isOutdated'>;
	subscribers: Pick<Subscribers, 'baselined'>;
	observed(events: readonly TopicEvent[]): void;
	/** A first reading failed, and should be tried again. */
	retryBaseline(): void;
	/** The key is refused by a read. */
	refused(error: ExchangeError): void;
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

export function createBackfill({
	topic,
	clock,
	reader,
	policy,
	inbox,
	subscribers: all,
	observed,
	retryBaseline,
	refused,
	notice,
}: BackfillPorts): Backfill {
	const kind = kindOfTopic(topic);
	const baselined = new WeakSet<Subscriber>();
	const inProgress = new WeakMap<Subscriber, Promise<void>>();
	const stopped = new AbortController();
	let turn = 0;
	let source = reader && { topic, reader, pair: pairOf(topic, reader) };
	const settled = (history: History) =>
		kind === 'trades' ? history.watermark : settledTime(history, clock.now(), policy);

	/** Once and no more: what a second one took for old would be lost. */
	function establishBaseline(subscriber: Subscriber): Promise<void> {
		const present =
			inProgress.get(subscriber) ??
			(baselined.has(subscriber)
				? Promise.resolve()
				: baselineOf(subscriber).finally(() => inProgress.delete(subscriber)));
		inProgress.set(subscriber, present);
		return present;
	}

	async function baselineOf(subscriber: Subscriber): Promise<void> {
		if (source && kind !== 'book' && kind !== 'other' && !subscriber.hasStored(topic)) {
			const history = await reading((signal) => readBaseline({ ...source!, signal }), [subscriber]);
			if (history) {
				observed(history.events);
				subscriber.markKnown(topic, history.events, settled(history));
			}
		}
		baselined.add(subscriber);
		subscriber.begin(topic);
		all.baselined(subscriber);
	}

	async function run(subscribers: readonly Subscriber[], watermark: number | undefined): ReturnType<Backfill['run']> {
		// One whose first reading fails does not hold the others up.
		for (const subscriber of subscribers) establishBaseline(subscriber).catch(retryBaseline);
		const served = subscribers.filter((subscriber) => baselined.has(subscriber) && !subscriber.lagging.has(topic));
		if (!source || served.length === 0 || stopped.signal.aborted) return undefined;
		turn += 1;
		const cursors = served.map((subscriber) => subscriber.cursor(topic));
		const history = await reading((signal) => readHistory({ ...source!, cursors, turn, signal, policy }), served);
		if (!history || stopped.signal.aborted) return undefined;
		if (kind === 'book' && inbox.isOutdated(history.events[0]?.sequence)) return 'outdated';
		observed(history.events);
		const counts = served.map((subscriber) =>
			offer(subscriber, history, kind === 'trades' ? watermark : settled(history)),
		);
		return { history, found: counts.some((count) => count > 0) };
	}

	/** Runs a reading. A key that may not read ends all readings, which is said; anything else is tried again. */
	async function reading(
		read: (signal: AbortSignal) => Promise<History>,
		subscribers: readonly Subscriber[],
	): Promise<History | undefined> {
		try {
			return await read(stopped.signal);
		} catch (error) {
			if (stopped.signal.aborted) return undefined;
			const text = `What may have been missed cannot be read. ${error instanceof Error ? error.message : ''}`.trim();
			for (const subscriber of subscribers) notice(subscriber, { kind: 'degraded', topic, text });
			if (isExchangeError(error, 'unauthorized')) refused(error);
			if (!isExchangeError(error, 'unauthorized') && !isExchangeError(error, 'forbidden')) throw error;
			source = undefined;
			return undefined;
		}
	}

	function offer(subscriber: Subscriber, history: History, watermark: number | undefined): number {
		const before = subscriber.counters.reconciled;
		subscriber.offer(history.events, { topic, delivery: 'reconciled', ts: null });
		const count = subscriber.counters.reconciled - before;
		if (count > 0) notice(subscriber, { kind: 'reconciled', topic, text: `${count} found by reading` });
		if (history.gap) {
			const [after, end] = Object.values(history.gap) as (string | number | null)[];
			subscriber.counters.gaps += 1;
			subscriber.offer([{ key: `gap:${topic}:${after}:${end ?? ''}`, data: { gap: history.gap } }], {
				topic,
				delivery: 'reconciled',
				ts: null,
			});
			notice(subscriber, { kind: 'gap', topic, text: `More happened after ${after} than is read back` });
		}
		subscriber.settle(topic, history.events, watermark);
		return count;
	}

	return {
		readBaseline: establishBaseline,
		run,
		canRead: () => source !== undefined,
		stop: () => stopped.abort(),
	};
}

/**
 * Up to where no later reading needs to go back. Lists lag and items overtake each other, so a stretch before the newest is
 * always read again, and an item from the future does not make it shorter.
 */
const settledTime = (
	{ watermark, begins = 0 }: History,
	now: number,
	{ readOverlapMs }: Pick<StreamPolicy, 'readOverlapMs'>,
): number | undefined =>
	watermark === undefined ? undefined : Math.max(begins, Math.min(watermark, now) - readOverlapMs);
