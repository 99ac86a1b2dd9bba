import { inBackground, tell } from '../background';
import { backoff } from '../backoff';
import { isWildcard } from '../catalogue';
import { causedBy, isExchangeError, type ExchangeError } from '../errors';
import { type Clock, sleep } from '../ports';
import type { Sealed } from '../sealed';
import type { Consumer, Counters, StoredCheckpoint, StreamNotice, StreamState } from './contract';
import { eventFilter, type Passes } from './filter';
import { CATCHING_UP_STORED_EVERY_MS, QUIET_MOVE_EVERY_MS, STORED_KEYS_MAX, TAKE_RETRY_MS } from './limits';
import { type Acknowledged, type StoredTopics, checkpointOf, openCheckpoint } from './log/checkpoint';
import { type Handed, addedUp, admitFor, countsOf, endCatchingUp, getsNews, take } from './log/cursor';
import { type Cursor, eventOf, isFull } from './log/log';
import { noticeTexts, stateTexts } from './notice-text';

/** One {@link Consumer}: its offsets in the logs of its topics, and the delivery to its host. */
export interface Subscriber {
	readonly consumer: Consumer;
	readonly cursors: Map<string, Cursor>;
	/** What an earlier run stored of its topics. */
	readonly stored: StoredTopics;
	readonly seen: SeenCounts;
	counters(): Counters;
	readonly passes: Passes;
	/** Whether it only gets what comes, and asks for no read. */
	readonly hearsOnly: boolean;
	notice(notice: StreamNotice): void;
	/** Its connection changed. A subscriber is not live before a read has shown which events are old. */
	changed(state: StreamState): void;
	/** Resolves once everything that happens from then on is delivered. */
	readonly ready: Promise<void>;
	isReady(): boolean;
	/** It joined its topics. */
	joined(): void;
	/** It may be ready now. */
	look(): void;
	/** Its key was refused repeatedly. */
	refused(error: ExchangeError): void;
	/** Hands over what was added to the logs, unless the host is busy. */
	added(): void;
	/** A topic can be stored from now on. */
	storable(): void;
	/** Stops the delivery; the acknowledgement of a delivery in flight still moves the checkpoint. `error`: why it is not ready. */
	close(error: ExchangeError): void;
}

/** A topic that is not storable yet keeps what was stored of it. */
const sealedIn = ({ topics, checkpoint }: Consumer, stored: StoredTopics): [string, Sealed][] =>
	topics.flatMap((topic): [string, Sealed][] =>
		typeof stored.get(topic) === 'object' ? [[topic, (checkpoint!.topics as Record<string, Sealed>)[topic]!]] : [],
	);

/** What is counted of no topic. */
type SeenCounts = Pick<Counters, 'ignored' | 'reconnects'>;

interface SubscriberPorts {
	/** The address of the account. */
	address: string;
	clock: Clock;
	random: () => number;
	/** The time on the clock of the service when ours showed `at`. */
	serviceTime(at: number): number;
	/** Called when a cursor whose host was too slow has room again. */
	hasRoom(cursor: Cursor): void;
	/** The subscriber failed and gets nothing more. */
	failed(error: ExchangeError): void;
	/** Whether it gets updates of orders alone, and asks for no read. */
	hearsOnly: boolean;
}

/** @throws Where the checkpoint is damaged. */
export function createSubscriber(consumer: Consumer, ports: SubscriberPorts): Subscriber {
	const { clock, random, hearsOnly } = ports;
	const stored = openCheckpoint(consumer.deliverMissed === false ? undefined : consumer.checkpoint, consumer.topics);
	const guarded = guardedConsumer(consumer, ports.failed);
	const seen: SeenCounts = { ignored: 0, reconnects: 0 };
	const cursors = new Map<string, Cursor>();
	const storing = createStoring({ consumer, guarded, stored, cursors }, ports);
	const closed = new AbortController();
	let isStarted = false;
	let isBusy = false;
	let isReady = false;
	let isLive = false;
	let readiness!: { resolve(): void; reject(error: ExchangeError): void };
	const ready = new Promise<void>((resolve, reject) => (readiness = { resolve, reject }));
	const notice = (said: StreamNotice): void => guarded.onNotice?.(said);
	const tellState = (state: StreamState): void => notice({ kind: 'state', state, text: stateTexts[state] });

	function added(): void {
		if (!isStarted || isBusy || closed.signal.aborted) return;
		isBusy = true;
		inBackground(handOver());
	}

	async function handOver(): Promise<void> {
		// Events that arrive in the same turn of the event loop are delivered together.
		await Promise.resolve();
		while (!closed.signal.aborted) {
			const batch = take([...cursors.values()], Math.max(1, consumer.batchMax ?? 1), clock.now());
			if (batch.length === 0) break;
			if (!(await deliverUntilTaken(batch))) return;
			acknowledge(batch);
		}
		isBusy = false;
		if (!closed.signal.aborted) rest();
	}

	/** Delivers the same events until the host acknowledges them; false once it is closed. */
	async function deliverUntilTaken(batch: readonly Handed[]): Promise<boolean> {
		for (let tries = 1; ; tries += 1) {
			try {
				await guarded.deliver(batch.map(({ entry, eventKey }) => eventOf(entry, eventKey)));
				return true;
			} catch (cause) {
				if (tries === 1) notice({ kind: 'degraded', state: 'live', text: noticeTexts.notAcknowledged, cause });
			}
			await sleep(clock, backoff(TAKE_RETRY_MS, tries, random), closed.signal);
			if (closed.signal.aborted) return false;
		}
	}

	function acknowledge(batch: readonly Handed[]): void {
		const now = clock.now();
		for (const { cursor, entry } of batch) {
			if (!entry.facts.kind) cursor.tally.delivered[entry.arrival.delivery] += 1;
			// The cursor may have fallen behind meanwhile, and then what it catches up with lacks these.
			admitFor(cursor, entry, now);
		}
		moveAll();
		storing.changed();
		storing.flush();
	}

	function moveAll(): void {
		for (const cursor of cursors.values()) {
			if (cursor.acknowledged !== cursor.offset) storing.changed();
			cursor.acknowledged = cursor.offset;
			const until = cursor.catchingUp?.until;
			if (until !== undefined && cursor.acknowledged >= until) endCatchingUp(cursor);
			if (cursor.isTooSlow && !isFull(cursor.log, cursor)) ports.hasRoom(cursor);
		}
	}

	/** Nothing waits. A position that moved without an event is worth storing, but not each time. */
	function rest(): void {
		moveAll();
		if (clock.now() - storing.reportedAt() >= QUIET_MOVE_EVERY_MS) storing.flush();
	}

	function start(): void {
		isStarted = true;
		storing.flush();
		added();
	}

	function look(): void {
		if (isReady || cursors.size < new Set(consumer.topics).size || ![...cursors.values()].every(getsNews)) return;
		isReady = true;
		if (isLive) tellState('live');
		start();
		readiness.resolve();
	}

	return {
		consumer,
		cursors,
		stored,
		seen,
		notice,
		added,
		hearsOnly,
		ready,
		passes: hearsOnly ? ({ order }) => order !== undefined : eventFilter(consumer.filters),
		counters: () => countersOf([...cursors.values()], seen),
		changed: (state) => {
			if (state === 'waiting') seen.reconnects += 1;
			// A subscriber that has not started does not wait: a first connection that fails ends it.
			if (state === 'waiting' && !isStarted) return;
			isLive = state === 'live';
			if (isReady || !isLive) tellState(state);
		},
		isReady: () => isReady,
		refused: (error) => guarded.onRefused?.(error),
		storable: () => {
			storing.changed();
			if (isStarted && !closed.signal.aborted) storing.flush();
		},
		joined: () => {
			if (consumer.retriesFirstConnection) start();
			// The caller has its subscription before anything is reported about it.
			inBackground(Promise.resolve().then(look));
		},
		look,
		close: (error) => {
			readiness.reject(error);
			// A subscriber that never started stores nothing: its events would count as delivered.
			if (isStarted && !closed.signal.aborted) storing.flush();
			closed.abort();
		},
	};
}

interface Storing {
	consumer: Consumer;
	/** The consumer, wrapped so that its callbacks cannot harm the stream. */
	guarded: Consumer;
	stored: StoredTopics;
	cursors: ReadonlyMap<string, Cursor>;
}

/** Hands checkpoints to the host: one whenever it acknowledged more than the latest one says. */
function createStoring(
	{ consumer, guarded, stored, cursors }: Storing,
	{ address, clock, serviceTime }: SubscriberPorts,
) {
	const sealed = new Map(sealedIn(consumer, stored));
	/** Whether the latest checkpoint was handed to the host, and when. */
	let isReported = true;
	let reportedAt = clock.now();
	/** When a checkpoint was last worked out while somebody caught up. */
	let workedAt = Number.NEGATIVE_INFINITY;
	/** The offsets of the latest checkpoint. */
	let latest: readonly Acknowledged[] = [];

	function flush(): void {
		if (isReported || !consumer.onCheckpoint) return;
		isReported = true;
		reportedAt = clock.now();
		const storing = { keysMax: STORED_KEYS_MAX, serviceTime, address };
		// A wildcard has no list, so it continues from nowhere.
		const offsets = [...cursors].flatMap(([topic, cursor]): Acknowledged[] =>
			isWildcard(topic) ? [] : [{ topic, cursor, offset: cursor.acknowledged }],
		);
		latest = offsets;
		const checkpoint = checkpointOf(sealed, offsets, storing, (topic, worked) => {
			if (latest === offsets) sealed.set(topic, worked);
		});
		workOut(checkpoint);
		guarded.onCheckpoint?.(checkpoint);
	}

	/** While a cursor catches up, a checkpoint is worked out now and then: it cannot be once more was taken. */
	function workOut(checkpoint: StoredCheckpoint): void {
		if (clock.now() - workedAt < CATCHING_UP_STORED_EVERY_MS) return;
		workedAt = clock.now();
		if ([...cursors.values()].some(({ catchingUp }) => catchingUp)) void checkpoint.topics;
	}

	return { flush, changed: () => void (isReported = false), reportedAt: () => reportedAt };
}

/** What the cursors of a subscriber have counted, and the subscriber itself. */
export function countersOf(cursors: readonly Cursor[], seen: SeenCounts = { ignored: 0, reconnects: 0 }): Counters {
	const { delivered, ...counts } = addedUp(cursors.map(countsOf));
	const { live, replayed, reconciled } = delivered;
	return { ...seen, ...counts, delivered: live + replayed + reconciled, reconciled };
}

/**
 * Wraps a consumer so that its callbacks cannot harm the shared stream: a consumer whose callback throws, now or by its
 * promise, is stopped with an error, one of ours as it is. A `deliver` that throws counts as a rejected delivery and is retried.
 */
function guardedConsumer(consumer: Consumer, failed: (error: ExchangeError) => void): Consumer {
	const guarded =
		<A extends unknown[]>(name: string, callback: ((...args: A) => unknown) | undefined) =>
		(...args: A): void =>
			tell(
				() => callback?.(...args),
				(error) => failed(isExchangeError(error) ? error : brokenConsumer(name, error)),
			);

	return {
		...consumer,
		deliver: consumer.deliver.bind(consumer),
		onCheckpoint: guarded('onCheckpoint', consumer.onCheckpoint?.bind(consumer)),
		onRefused: guarded('onRefused', consumer.onRefused?.bind(consumer)),
		onNotice: guarded('onNotice', consumer.onNotice?.bind(consumer)),
	};
}

/** What was thrown is handed back as the cause. It is not quoted, because it may contain secrets. */
const brokenConsumer = (name: string, cause: unknown): ExchangeError =>
	causedBy(cause, 'invalid_input', {
		operation: 'Stream',
		what: `The consumer's ${name} failed with ${cause instanceof Error ? cause.name : 'no error object'}, so it was stopped`,
		advice: 'Correct the consumer and subscribe again; its checkpoint is kept',
	});
