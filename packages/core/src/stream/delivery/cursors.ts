import { plus, type Whole } from '../../whole';
import type { Clock } from '../../ports';
import type { Consumer } from '../contract';
import { judge, offer, shapesWith } from '../ledger/judge';
import { acknowledge, reach, type Delta } from '../ledger/ledger';
import { QUIET_MOVE_EVERY_MS } from '../limits';
import type { StreamPolicy } from '../policy';
import type { Position } from '../position';
import type { TopicEvent } from '../topics/event';
import {
	checkpointOf,
	closeCursor,
	forget,
	openCursor,
	openCursors,
	settledBy,
	type Cursor,
	type CursorOptions,
} from './cursor';
import type { HandOver } from './hand-over';
import { append, appendPosition, isYounger, type Entry, type Queue } from './queue';

/** Moves the cursors of one subscriber. What moved is stored once the host has acknowledged everything before it. */
export interface Cursors {
	cursor(topic: string): Cursor;
	/** Moves a cursor without an event: offers a delta. */
	move(topic: string, delta: Delta): void;
	/** Everything on the stream up to here was offered. */
	advance(topic: string, position: Position): void;
	/** Everything after one sequence up to another was offered or does not exist. */
	cover(topic: string, after: Whole, upTo: Whole): void;
	/** A backfill is complete and everything in it was offered: history is settled up to the watermark. */
	completeUpTo(topic: string, watermark: number | undefined): void;
	/** Makes history up to a watermark known without delivering it. */
	markKnown(topic: string, history: History): void;
	/** A topic is followed although its baseline cannot be read yet. Since when is stored at once. */
	follow(topic: string): void;
	/** The baseline is read: the topic is stored from now on. */
	begin(topic: string): void;
}

/** What a baseline found. */
interface History {
	/** What counts as old: rows of the list, and what the stream has brought since. */
	events: readonly TopicEvent[];
	/** A row of the list, which shows under which names it carries its identifiers. */
	row: TopicEvent | undefined;
	watermark?: number | undefined;
}

/** What only the subscriber that owns the cursors calls. */
interface OwnCursors extends Cursors {
	/** Has a delta that was offered apply once everything of its topic before it is acknowledged. */
	record(topic: string, delta: Delta): void;
	/** The host acknowledged these entries, and with them all earlier ones. */
	acknowledged(entries: readonly Entry[]): void;
	/** Reports the cursors for storage if they changed since the last report. */
	flush(): void;
	close(): void;
}

interface CursorsPorts extends CursorOptions {
	policy: StreamPolicy;
	clock: Clock;
	queue: Queue;
	handOver: Pick<HandOver, 'isRunning' | 'isClosed'>;
}

export function createCursors(consumer: Consumer, ports: CursorsPorts): OwnCursors {
	const { policy, clock, queue, handOver } = ports;
	const { lagging } = queue;
	const cursors = openCursors(consumer, ports);
	let [isReported, reportedAt] = [true, clock.now()];

	function cursor(topic: string): Cursor {
		const before = cursors.get(topic);
		if (before) return before;
		const first = openCursor(topic, undefined, ports);
		cursors.set(topic, first);
		return first;
	}

	function flush(): void {
		if (isReported) return;
		[isReported, reportedAt] = [true, clock.now()];
		consumer.onCheckpoint?.(checkpointOf(cursors));
	}

	/** Applies a delta at once. A position that moves without an event is worth storing, but not each time. */
	function apply(topic: string, delta: Delta): void {
		const { ledger, keysMax } = cursor(topic);
		acknowledge(ledger, delta, keysMax);
		isReported = false;
		if (clock.now() - reportedAt >= QUIET_MOVE_EVERY_MS) flush();
	}

	function record(topic: string, delta: Delta): void {
		if (!append(queue, topic, delta)) apply(topic, delta);
	}

	function move(topic: string, delta: Delta): void {
		offer(cursor(topic).offered, delta);
		record(topic, delta);
	}

	function markKnown(topic: string, { events, row, watermark }: History): void {
		// A baseline may end after the subscriber left.
		if (handOver.isClosed()) return;
		const of = cursor(topic);
		const origin = { isRead: false, isHistory: true, now: clock.now(), isNews: policy.isNews };
		const history = events.flatMap((event) => judge(of.offered, event, origin) ?? []);
		const deltas = new Map(history.map((delta) => [delta.order?.id ?? delta.key!, delta]));
		// Queued events after the watermark are found again after a crash, so the known ones can be stored before them.
		const isAtOnce = watermark !== undefined && !lagging.has(topic) && isYounger(queue, topic, watermark);
		if (isAtOnce) apply(topic, { deltas, watermark });
		else record(topic, { deltas });
		forget(of, watermark);
		const shapes = row?.shape === undefined ? undefined : shapesWith(of.offered.shapes, row.shape, true);
		// Events dropped by a lagging subscriber are younger than the baseline, so its watermark holds for them, too.
		move(topic, { watermark, isWhole: true, shapes });
	}

	function acknowledged(entries: readonly Entry[]): void {
		let [topic, of]: [string?, Cursor?] = [];
		for (const { event, delta, later } of entries) {
			// Most batches are of one topic, so its cursor is looked up once.
			if (!of || event.topic !== topic) [topic, of] = [event.topic, cursor(event.topic)];
			if (!event.kind) of.tally.delivered[event.delivery] += 1;
			acknowledge(of.ledger, delta, of.keysMax);
			if (later) acknowledge(of.ledger, later, of.keysMax);
		}
		isReported = false;
		flush();
	}

	function follow(topic: string): void {
		const { baseline } = cursor(topic);
		if (typeof baseline !== 'object') return;
		const since = baseline.since();
		if (baseline.stored !== since) isReported = false;
		baseline.stored = since;
		// A baseline may fail after the subscriber was closed, when its successor already stores the position.
		if (handOver.isRunning()) flush();
	}

	return {
		...{ cursor, move, markKnown, follow, record, acknowledged, flush },
		advance: (topic, position) => {
			if (lagging.has(topic)) return;
			reach(cursor(topic).offered, position);
			if (!appendPosition(queue, topic, position)) apply(topic, { position });
		},
		cover: (topic, after, upTo) => {
			if (lagging.has(topic) || upTo <= after) return;
			// Everything from the beginning on is old, whether or not its keys are known.
			if (after < 0) forget(cursor(topic), upTo);
			move(topic, { ranges: [[plus(after, 1), upTo]] });
		},
		completeUpTo: (topic, watermark) => {
			if (lagging.has(topic)) return;
			move(topic, { watermark: settledBy(cursor(topic).offered, watermark), isWhole: true });
		},
		begin: (topic) => {
			cursor(topic).baseline = 'read';
			isReported = false;
		},
		close: () => {
			for (const [topic, each] of cursors) closeCursor(topic, each, ports.keys);
		},
	};
}
