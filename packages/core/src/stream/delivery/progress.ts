import type { Clock } from '../../ports';
import type { Delta } from '../ledger/ledger';
import type { Position } from '../position';
import type { TopicEvent } from '../topics/event';
import type { CheckpointTracker } from './checkpoint';
import type { HandOver } from './hand-over';
import { append, appendPosition, isYounger, type Queue } from './queue';

/** Moves the ledgers of one subscriber. Each move is stored once the host has acknowledged everything before it. */
export interface TopicProgress {
	/** Has a delta without an event apply once everything of its topic before it is acknowledged. */
	record(topic: string, delta: Delta): void;
	/** A topic is followed from a moment on although its baseline cannot be read yet. This is stored at once. */
	follow(topic: string): void;
	/** Everything on the stream up to here was offered. */
	advance(topic: string, position: Position): void;
	/** Makes history up to a watermark known without delivering it. */
	markKnown(topic: string, history: History): void;
	/** Everything after one sequence up to another was offered or does not exist. */
	cover(topic: string, after: number, upTo: number): void;
	/** Several events of a topic share a number: after this one, only readings know numbers. */
	shareNumbers(topic: string, after: number): void;
	/** The sequence numbers of a topic restarted. */
	restart(topic: string): void;
	/** A backfill is complete and everything in it was offered: history is settled up to the watermark. */
	completeUpTo(topic: string, watermark: number | undefined): void;
}

/** What a baseline found. */
interface History {
	/** What counts as old: rows of the list, and what the stream has brought since. */
	events: readonly TopicEvent[];
	/** A row of the list, which shows under which names it carries its identifiers. */
	row: TopicEvent | undefined;
	watermark?: number | undefined;
}

interface ProgressPorts {
	checkpoints: Pick<CheckpointTracker, 'cursor' | 'advance' | 'follow' | 'flush'>;
	queue: Queue;
	handOver: Pick<HandOver, 'isRunning'>;
	/** Lagging topics, whose ledgers do not move until they are served again. */
	lagging: ReadonlySet<string>;
	clock: Clock;
}

export function createTopicProgress(ports: ProgressPorts): TopicProgress {
	const { checkpoints, queue, handOver, lagging, clock } = ports;

	function record(topic: string, delta: Delta): void {
		if (!append(queue, topic, delta)) checkpoints.advance(topic, delta);
	}

	function offer(topic: string, delta: Delta): void {
		checkpoints.cursor(topic).offer(delta);
		record(topic, delta);
	}

	return {
		record,
		follow: (topic) => {
			checkpoints.follow(topic);
			// A baseline may fail after the subscriber was closed, when its successor already stores the position.
			if (handOver.isRunning()) checkpoints.flush();
		},
		advance: (topic, position) => {
			if (lagging.has(topic)) return;
			checkpoints.cursor(topic).reach(position);
			if (!appendPosition(queue, topic, position)) checkpoints.advance(topic, { position });
		},
		markKnown: (topic, { events, row, watermark }) => {
			const cursor = checkpoints.cursor(topic);
			const origin = { isRead: false, isHistory: true, now: clock.now() };
			const history = events.flatMap((event) => cursor.judge(event, origin) ?? []);
			// Queued events after the watermark are found again after a crash, so the known ones can be stored before them.
			const isAtOnce = watermark !== undefined && !lagging.has(topic) && isYounger(queue, topic, watermark);
			const delta: Delta = { deltas: new Map(history.map((each) => [each.order?.id ?? each.key!, each])) };
			if (isAtOnce) checkpoints.advance(topic, { ...delta, watermark });
			else record(topic, delta);
			cursor.forget(watermark);
			// Events dropped by a lagging subscriber are younger than the baseline, so its watermark holds for them, too.
			offer(topic, { watermark, isWhole: true, shapes: row && cursor.shapesWith(row) });
		},
		cover: (topic, after, upTo) => {
			if (lagging.has(topic) || upTo <= after) return;
			// Everything from the beginning on is old, whether or not its keys are known.
			if (after < 0) checkpoints.cursor(topic).forget(upTo);
			offer(topic, { ranges: [[after + 1, upTo]] });
		},
		shareNumbers: (topic, after) => offer(topic, { sharedAfter: after }),
		restart: (topic) => offer(topic, { isRenumbered: true }),
		completeUpTo: (topic, watermark) => {
			if (lagging.has(topic)) return;
			offer(topic, { watermark: checkpoints.cursor(topic).settledBy(watermark), isWhole: true });
		},
	};
}
