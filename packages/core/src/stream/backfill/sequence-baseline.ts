import type { Clock } from '../../ports';
import type { Subscriber } from '../delivery/subscriber';
import { BASELINE_SHARED_MS, READ_SPACING_MS } from '../limits';
import { timeOf, type TopicEvent } from '../topics/event';
import type { Backfill, Gap, Reading } from './backfill';
import { lastSequenceAt } from './last-sequence';
import { highestOf, type SequenceList } from './sequence-list';

/** Reads which numbers of a topic are old for new subscribers; those that join at about the same time share a reading. */
interface SequenceBaseline {
	read: NonNullable<Backfill['baseline']>;
	/** A whole backfill that began at `at` found everything since. */
	confirm(at: number): void;
	/** The connection was lost, or the numbers restarted. */
	forget(): void;
}

interface SequenceBaselinePorts {
	topic: string;
	list: SequenceList;
	tracker: { highest(): number; reached(sequence: number): void };
	clock: Pick<Clock, 'elapsed'>;
	isConfirmed(): boolean;
	observed(events: readonly TopicEvent[]): void;
	reportGap(subscriber: Subscriber, gap: Gap, done: 'out_of_reach'): void;
}

export function createSequenceBaseline(ports: SequenceBaselinePorts): SequenceBaseline {
	const { topic, list, tracker, clock, isConfirmed, observed } = ports;
	/** The latest reading of the newest rows, and when it, or the latest whole backfill since, began. */
	let shared: { rows: Promise<TopicEvent[]>; at: number } | undefined;

	function sharedNewest(reading: Reading): Promise<TopicEvent[]> {
		const sharedMs = isConfirmed() ? BASELINE_SHARED_MS : READ_SPACING_MS;
		if (shared && clock.elapsed() - shared.at < sharedMs) return shared.rows;
		const present = { rows: list.newest(reading), at: clock.elapsed() };
		present.rows.then(observed, () => (shared = shared === present ? undefined : shared));
		shared = present;
		return present.rows;
	}

	async function read(subscriber: Subscriber, reading: Reading, newSince: () => number | undefined): Promise<void> {
		// What the stream has shown before the subscriber joined is older, although the shared rows may not hold it.
		const before = tracker.highest();
		const latest = await sharedNewest(reading);
		const since = newSince();
		const last =
			since === undefined ? Math.max(before, highestOf(latest)) : await lastAt(since, { subscriber, latest, reading });
		// The backfill that follows delivers the newer ones.
		const old = latest.filter(({ sequence = 0 }) => sequence <= last);
		subscriber.markKnown(topic, { events: old, row: old.at(-1) });
		// Where events share numbers, further ones may still get the last.
		const upTo = isAnyShared(latest) ? last - 1 : last;
		subscriber.cover(topic, -1, upTo);
		if (upTo < last) subscriber.shareNumbers(topic, upTo);
		tracker.reached(highestOf(latest));
	}

	/** The last number that existed at a moment. */
	async function lastAt(
		since: number,
		{ subscriber, latest, reading }: { subscriber: Subscriber; latest: readonly TopicEvent[]; reading: Reading },
	): Promise<number> {
		const { old, isOutOfReach } = await lastSequenceAt(since, latest, (after) =>
			list.page({ after_sequence: after }, reading),
		);
		const [first = since] = latest.flatMap(({ item }) => (item && timeOf(item)) ?? []);
		if (isOutOfReach)
			ports.reportGap(subscriber, { after_created_at: isoOf(since), before_created_at: isoOf(first) }, 'out_of_reach');
		return old;
	}

	return {
		read,
		confirm: (at) => {
			if (shared) shared.at = Math.max(shared.at, at);
		},
		forget: () => void (shared = undefined),
	};
}

/** Whether two events have one number. */
const isAnyShared = (sorted: readonly TopicEvent[]): boolean =>
	sorted.some(({ sequence }, index) => sequence !== undefined && sequence === sorted[index + 1]?.sequence);

const isoOf = (time: number): string => new Date(time).toISOString();
