import { isOffered, judge, offer, offeredOf, shapesWith, type Origin } from '../ledger/judge';
import { acknowledge, isBehind, type Delta, type Shapes } from '../ledger/ledger';
import { latest } from '../ledger/numbers';
import { endOfKnown, isCovered } from '../ledger/ranges';
import type { RunMark } from '../ledger/run-mark';
import { readLedger, storedLedger, type StoredLedger } from '../ledger/stored';
import type { StreamPolicy } from '../policy';
import { sameEpoch, type Position } from '../position';
import type { TopicEvent } from '../topics/event';

/** Holds the ledger of one topic of a subscriber, and what the subscriber was offered beyond it. */
export interface Cursor {
	/** The delta of an event if it is new to the subscriber. */
	judge(event: TopicEvent, origin: Omit<Origin, 'isNews'>): Delta | undefined;
	/** Everything on the stream up to here was offered. */
	reach(position: Position): void;
	/** Everything in a delta without an event was offered. */
	offer(delta: Delta): void;
	/** The names of identifiers, where the list has those of this row; undefined if that is known. */
	shapesWith(row: TopicEvent): Shapes | undefined;
	/** The host acknowledged a delta. */
	acknowledge(delta: Delta): void;
	stored(): StoredLedger;
	/** Whether a row of a list lies before the watermark, so that it holds nothing new. */
	isSettled(event: TopicEvent): boolean;
	/** Whether an event was offered that its identifier tells from all others and that does not change. */
	isKnown(event: TopicEvent): boolean;
	openOrders(): string[];
	/** Every number up to here is known; undefined if the topic has shown no number yet. */
	floor(): number | undefined;
	isCovered(sequence: number): boolean;
	/** Whether several events share a number, so that one that is known says nothing about the others. */
	isShared(): boolean;
	/** The last number of the known stretch that holds this one. */
	endOfKnown(sequence: number): number;
	/** The event that identifies the present run of the service. */
	mark(): RunMark | undefined;
	/**
	 * Whether the numbers may have restarted, given the position of the service, or none if it is unknown.
	 */
	mayRestart(position?: Position): boolean;
	/** The service did not restart its numbers. */
	confirmRun(): void;
	/** The latest position offered, acknowledged or not: later messages have to be replayed after a disconnect. */
	offered(): Position | undefined;
	/** Everything created up to here was read, acknowledged or not. */
	watermark(): number | undefined;
	/** Events up to this place are old, even if their keys are unknown. */
	forget(place: number | undefined): void;
	/** All delivered events whose keys were dropped lie at or before this place. */
	forgotten(): number | undefined;
	/** Whether keys were forgotten, since the last complete backfill, whose events the next one may show. True once. */
	tellsOverrun(): boolean;
	/** Up to where a complete backfill settles the topic: at least up to the keys that were too many to remember. */
	settledBy(watermark: number | undefined): number | undefined;
}

type CursorPolicy = Pick<StreamPolicy, 'isNews' | 'storedKeysMax'>;

export function createCursor(
	stored: unknown,
	{ isNews, storedKeysMax }: CursorPolicy,
	topic: { isNumbered: boolean; isRead: boolean } = { isNumbered: false, isRead: true },
): Cursor {
	const ledger = readLedger(stored);
	const offered = offeredOf(ledger, topic);

	const isDoubtful = (): boolean =>
		offered.isDoubtful === true || ledger.isDoubtful === true || offered.runs !== ledger.runs;

	return {
		judge: (event, origin) => judge(offered, event, { ...origin, isNews }),
		reach: (position) => {
			if (!isBehind(position, offered.position)) offered.position = position;
		},
		offer: (delta) => offer(offered, delta),
		shapesWith: ({ shape }) => (shape === undefined ? undefined : shapesWith(offered.shapes, shape, true)),
		acknowledge: (delta) => void acknowledge(ledger, delta, storedKeysMax),
		stored: () => storedLedger(ledger, isDoubtful()),
		isSettled: ({ time = Infinity }) => !offered.isDeep && time <= (offered.watermark ?? 0),
		isKnown: (event) => !event.isAnonymous && !event.order && isOffered(offered, event),
		openOrders: () => [...offered.orders.open.keys()],
		floor: () => offered.ranges?.[0],
		isCovered: (sequence) => offered.ranges !== undefined && isCovered(offered.ranges, sequence),
		isShared: () => offered.isShared === true,
		endOfKnown: (sequence) => (offered.ranges ? endOfKnown(offered.ranges, sequence) : sequence),
		mark: () => offered.mark,
		mayRestart: (current) => {
			const { position, mark, ranges } = offered;
			const isSameRun = position && current && sameEpoch(current.epoch, position.epoch);
			const isNothingKnown = !position && !mark && (ranges?.[0] ?? 0) <= 0;
			if (isSameRun || isNothingKnown || !ranges) return false;
			return (offered.isDoubtful = ledger.isDoubtful = true);
		},
		confirmRun: () => void (offered.isDoubtful = ledger.isDoubtful = undefined),
		offered: () => offered.position,
		watermark: () => offered.watermark,
		forget: (place) => {
			offered.keys.forgotten = latest(offered.keys.forgotten, place);
			ledger.keys.forgotten = latest(ledger.keys.forgotten, place);
		},
		forgotten: () => offered.keys.forgotten,
		tellsOverrun: () => {
			const isUntold = offered.keys.overrun === 'untold';
			if (isUntold) offered.keys.overrun = 'told';
			return isUntold;
		},
		settledBy: (watermark) => {
			const { overrun, forgotten } = offered.keys;
			offered.keys.overrun = undefined;
			return overrun && !topic.isNumbered ? latest(watermark, forgotten) : watermark;
		},
	};
}
