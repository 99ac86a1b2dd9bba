import { isExchangeError, type ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import type { StreamNotice } from '../contract';
import { kindOfTopic, type Happening } from '../topics/event';
import type { StreamPolicy } from '../policy';
import { pairOf } from './pair';
import { readBaseline, readPast, type Past, type Reader } from './history';
import type { Receiver } from '../delivery/subscriber';

/** Brings receivers into step with what REST knows of one topic. */
export interface CatchUp {
	/** The first reading for one who was never here: everything in it is old. */
	base(receiver: Receiver): Promise<void>;
	/**
	 * Reads and offers; answers what was read, or nothing if there was nothing to do. A book that is too old is not offered.
	 * Rejects if it should be tried again.
	 */
	run(
		receivers: readonly Receiver[],
		watermark: number | undefined,
	): Promise<{ past: Past; found: boolean } | 'outdated' | undefined>;
	canRead(): boolean;
	stop(): void;
}

export interface CatchUpPorts {
	topic: string;
	clock: Pick<Clock, 'now'>;
	/** Absent without a key, because every read needs one. */
	reader?: Reader;
	policy: StreamPolicy;
	/** Whether a book that was read is too old for the changes there were. */
	lacks(sequence: number | undefined): boolean;
	seen(happenings: readonly Happening[]): void;
	based(receiver: Receiver): void;
	/** A first reading failed, and should be tried again. */
	unbased(): void;
	/** The key is refused by a read. */
	refused(error: ExchangeError): void;
	notice(receiver: Receiver, notice: Omit<StreamNotice, 'state'>): void;
}

export function createCatchUp({
	topic,
	clock,
	reader,
	policy,
	lacks,
	seen,
	based: onBased,
	unbased,
	refused,
	notice,
}: CatchUpPorts): CatchUp {
	const kind = kindOfTopic(topic);
	const based = new WeakSet<Receiver>();
	const basing = new WeakMap<Receiver, Promise<void>>();
	const stopped = new AbortController();
	let turn = 0;
	let source = reader && { topic, reader, pair: pairOf(topic, reader) };
	const settled = (past: Past) => (kind === 'trades' ? past.watermark : settledTime(past, clock.now(), policy));

	/** Once and no more: what a second one took for old would be lost. */
	function base(receiver: Receiver): Promise<void> {
		const present =
			basing.get(receiver) ??
			(based.has(receiver) ? Promise.resolve() : readBase(receiver).finally(() => basing.delete(receiver)));
		basing.set(receiver, present);
		return present;
	}

	async function readBase(receiver: Receiver): Promise<void> {
		if (source && kind !== 'book' && kind !== 'other' && !receiver.hasStored(topic)) {
			const past = await reading((signal) => readBaseline({ ...source!, signal }), [receiver]);
			if (past) {
				seen(past.happenings);
				receiver.skip(topic, past.happenings, settled(past));
			}
		}
		based.add(receiver);
		receiver.begin(topic);
		onBased(receiver);
	}

	async function run(receivers: readonly Receiver[], watermark: number | undefined): ReturnType<CatchUp['run']> {
		// One whose first reading fails does not hold the others up.
		for (const receiver of receivers) base(receiver).catch(unbased);
		const served = receivers.filter((receiver) => based.has(receiver) && !receiver.behind.has(topic));
		if (!source || served.length === 0 || stopped.signal.aborted) return undefined;
		turn += 1;
		const ledgers = served.map((receiver) => receiver.ledger(topic));
		const past = await reading((signal) => readPast({ ...source!, ledgers, turn, signal, policy }), served);
		if (!past || stopped.signal.aborted) return undefined;
		if (kind === 'book' && lacks(past.happenings[0]?.sequence)) return 'outdated';
		seen(past.happenings);
		const counts = served.map((receiver) => offer(receiver, past, kind === 'trades' ? watermark : settled(past)));
		return { past, found: counts.some((count) => count > 0) };
	}

	/** Runs a reading. A key that may not read ends all readings, which is said; anything else is tried again. */
	async function reading(
		read: (signal: AbortSignal) => Promise<Past>,
		receivers: readonly Receiver[],
	): Promise<Past | undefined> {
		try {
			return await read(stopped.signal);
		} catch (error) {
			if (stopped.signal.aborted) return undefined;
			const text = `What may have been missed cannot be read. ${error instanceof Error ? error.message : ''}`.trim();
			for (const receiver of receivers) notice(receiver, { kind: 'degraded', topic, text });
			if (isExchangeError(error, 'unauthorized')) refused(error);
			if (!isExchangeError(error, 'unauthorized') && !isExchangeError(error, 'forbidden')) throw error;
			source = undefined;
			return undefined;
		}
	}

	function offer(receiver: Receiver, past: Past, watermark: number | undefined): number {
		const before = receiver.counters.reconciled;
		receiver.offer(past.happenings, { topic, delivery: 'reconciled', ts: null });
		const count = receiver.counters.reconciled - before;
		if (count > 0) notice(receiver, { kind: 'reconciled', topic, text: `${count} found by reading` });
		if (past.gap) {
			const [after, end] = Object.values(past.gap) as (string | number | null)[];
			receiver.counters.gaps += 1;
			receiver.offer([{ key: `gap:${topic}:${after}:${end ?? ''}`, data: { gap: past.gap } }], {
				topic,
				delivery: 'reconciled',
				ts: null,
			});
			notice(receiver, { kind: 'gap', topic, text: `More happened after ${after} than is read back` });
		}
		receiver.settle(topic, past.happenings, watermark);
		return count;
	}

	return {
		base,
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
	{ watermark, begins = 0 }: Past,
	now: number,
	{ readOverlapMs }: Pick<StreamPolicy, 'readOverlapMs'>,
): number | undefined =>
	watermark === undefined ? undefined : Math.max(begins, Math.min(watermark, now) - readOverlapMs);
