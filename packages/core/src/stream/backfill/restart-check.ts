import type { Clock } from '../../ports';
import { timeOfMark, type RunMark } from '../ledger/run-mark';
import { confirmRun } from '../delivery/cursor';
import type { Subscriber } from '../delivery/subscriber';
import { READ_LAG_MS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/** Detects a restart of a topic's sequence numbers: a known number then belongs to another event. */
export interface RestartCheck {
	/** Checks subscribers whose latest suspicion is open. Returns true if another arose meanwhile: run it again then. */
	run(subscribers: readonly Subscriber[], list: NumberedList): Promise<boolean>;
	/** Suspects a restart. A check in progress may have read rows from before it, so its result does not count. */
	doubt(): void;
}

/** The list of numbered events, as one check reads it. */
interface NumberedList {
	/** The page after a number, sorted by number. */
	after(sequence: number, isAgain?: boolean): Promise<readonly TopicEvent[]>;
	/** The highest sequence; zero if there is none. */
	highest(): Promise<number>;
}

interface RestartCheckPorts {
	topic: string;
	clock: Clock;
	/** Whether the topic is subscribed at present. */
	isConfirmed(): boolean;
	floorOf(subscriber: Subscriber): number;
	/** The restart is proved for one subscriber. */
	restarted(subscriber: Subscriber): void;
}

/** How far two times of one event may differ, because one may be written without milliseconds. */
const SAME_TIME_MS = 1_000;

export function createRestartCheck({ topic, clock, isConfirmed, floorOf, restarted }: RestartCheckPorts): RestartCheck {
	let doubts = 1;
	/** The latest suspicion settled for each subscriber. Subscribers that a later backfill serves are checked then. */
	const checkedAt = new WeakMap<Subscriber, number>();
	/** The number a subscriber knew when the list was first seen to end below it, and the time of that. */
	const suspicions = new Map<Subscriber, { highest: number; at: number }>();

	/** The floor lies below numbers that were delivered after a gap, so the mark's number counts too. */
	const knownTo = (subscriber: Subscriber): number =>
		Math.max(floorOf(subscriber), subscriber.cursor(topic).offered.mark?.sequence ?? 0);

	/** The row with the mark's number decides. Without one, a list that ends below the known numbers means a restart. */
	async function isOther(subscriber: Subscriber, list: NumberedList): Promise<boolean | undefined> {
		const mark = subscriber.cursor(topic).offered.mark;
		const row = mark && (await rowUnder(mark, list));
		if (row) return differ(row, mark);
		const isBefore = standsBefore(subscriber, await list.highest());
		if (!mark || isBefore !== false) return isBefore;
		// The list may have caught up since it was read.
		const late = await rowUnder(mark, list, true);
		return late !== undefined && differ(late, mark);
	}

	/**
	 * A lagging list also ends below the known numbers; it proves a restart if it still does after READ_LAG_MS_MAX. While
	 * the topic is not subscribed, the service may be in trouble and its lists may lag for longer.
	 */
	function standsBefore(subscriber: Subscriber, highest: number): boolean | undefined {
		if (highest === 0 || !isConfirmed()) return undefined;
		const suspicion = suspicions.get(subscriber) ?? { highest: knownTo(subscriber), at: clock.now() };
		suspicions.set(subscriber, suspicion);
		if (highest >= suspicion.highest) return false;
		return clock.now() - suspicion.at < READ_LAG_MS_MAX ? undefined : true;
	}

	/** If more is known by now, a list of a new run may pass the earlier number, so it is compared with the present one. */
	function doubt(): void {
		doubts += 1;
		for (const [subscriber, { highest }] of suspicions)
			if (highest !== knownTo(subscriber)) suspicions.delete(subscriber);
	}

	async function run(subscribers: readonly Subscriber[], list: NumberedList): Promise<boolean> {
		for (const subscriber of suspicions.keys()) if (!subscribers.includes(subscriber)) suspicions.delete(subscriber);
		const upTo = doubts;
		for (const subscriber of subscribers) {
			if (checkedAt.get(subscriber) === upTo) continue;
			const isAnew = await isOther(subscriber, list);
			if (isAnew !== undefined) suspicions.delete(subscriber);
			// The rows were read before the new suspicion arose, so they cannot settle it.
			if (doubts !== upTo) return true;
			if (isAnew === undefined) continue;
			checkedAt.set(subscriber, upTo);
			if (isAnew) restarted(subscriber);
			else confirmRun(subscriber.cursor(topic));
		}
		return false;
	}

	return { run, doubt };
}

/** Several events may share the number of the mark. */
async function rowUnder({ sequence: number, key }: RunMark, list: NumberedList, isAgain = false) {
	const rows = (await list.after(number! - 1, isAgain)).filter(({ sequence }) => sequence === number);
	return rows.find((row) => row.key === key) ?? rows[0];
}

/** Copies of one event may carry different identifiers, but hardly different times. */
function differ(row: TopicEvent, mark: RunMark): boolean {
	const [rowTime, markTime] = [timeOfMark(row), timeOfMark(mark)];
	const isApart = rowTime !== undefined && markTime !== undefined && Math.abs(rowTime - markTime) > SAME_TIME_MS;
	return row.key !== mark.key && isApart;
}
