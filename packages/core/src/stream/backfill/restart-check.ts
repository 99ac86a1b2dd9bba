import type { Clock } from '../../ports';
import { timeOfMark, type RunMark } from '../delivery/run-mark';
import type { Subscriber } from '../delivery/subscriber';
import { READ_LAG_MS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';

/** Detects a restart of a topic's sequence numbers: a known number then belongs to another event. */
export interface RestartCheck {
	/** Checks, if a restart is suspected; answers whether a suspicion came meanwhile, which is to be checked anew. */
	run(subscribers: readonly Subscriber[], list: NumberedList): Promise<boolean>;
	/** Suspects a restart: a check in progress may have read what was there before it. */
	doubt(): void;
}

/** A list of numbered events as one reading sees it. */
interface NumberedList {
	/** The page behind a number, in order. */
	after(sequence: number, isAgain?: boolean): Promise<readonly TopicEvent[]>;
	/** The highest sequence; zero if there is none. */
	highest(): Promise<number>;
}

interface RestartCheckPorts {
	topic: string;
	clock: Clock;
	floorOf(subscriber: Subscriber): number;
	/** For one subscriber it is certain. */
	restarted(subscriber: Subscriber): void;
}

/** Times of one event, of which one may be written without its milliseconds. */
const SAME_TIME_MS = 1_000;

export function createRestartCheck({ topic, clock, floorOf, restarted }: RestartCheckPorts): RestartCheck {
	let doubts = 1;
	/** The latest doubt that is settled for each: those who are read for later are looked at then. */
	const settled = new WeakMap<Subscriber, number>();
	/** Where a subscriber stood when the service was first seen to stand before it. */
	const suspicions = new Map<Subscriber, { known: number; at: number }>();

	/** The row under the mark decides. Where there is none, a service that stands before what is known has begun anew. */
	async function isOther(one: Subscriber, list: NumberedList): Promise<boolean | undefined> {
		const mark = one.cursor(topic).mark();
		const row = mark && (await rowUnder(mark, list));
		if (row) return differ(row, mark);
		const isBefore = standsBefore(one, mark?.sequence ?? 0, await list.highest());
		if (!mark || isBefore !== false) return isBefore;
		// The list may have caught up in between.
		const late = await rowUnder(mark, list, true);
		return late !== undefined && differ(late, mark);
	}

	/** A list that lags stands before what is known, too, so it counts only if it is still so when lists have caught up. */
	function standsBefore(one: Subscriber, told: number, highest: number): boolean | undefined {
		if (highest === 0) return undefined;
		// The floor stands below numbers that were told where one in between was not.
		const suspicion = suspicions.get(one) ?? { known: Math.max(floorOf(one), told), at: clock.now() };
		suspicions.set(one, suspicion);
		if (highest >= suspicion.known) return false;
		return clock.now() - suspicion.at < READ_LAG_MS_MAX ? undefined : true;
	}

	async function run(subscribers: readonly Subscriber[], list: NumberedList): Promise<boolean> {
		for (const one of suspicions.keys()) if (!subscribers.includes(one)) suspicions.delete(one);
		const upTo = doubts;
		for (const one of subscribers) {
			if (settled.get(one) === upTo) continue;
			const isAnew = await isOther(one, list);
			if (isAnew !== undefined) suspicions.delete(one);
			// A reason that came meanwhile is another, which what was read says nothing of.
			if (doubts !== upTo) return true;
			if (isAnew === undefined) continue;
			settled.set(one, upTo);
			if (isAnew) restarted(one);
			else one.cursor(topic).confirmRun();
		}
		return false;
	}

	return { run, doubt: () => void (doubts += 1) };
}

async function rowUnder({ sequence: known }: RunMark, list: NumberedList, isAgain = false) {
	return (await list.after(known! - 1, isAgain)).find(({ sequence }) => sequence === known);
}

/** Copies of one event may show other identifiers, but hardly another time. */
function differ(row: TopicEvent, mark: RunMark): boolean {
	const [shown, known] = [timeOfMark(row), timeOfMark(mark)];
	const isApart = shown !== undefined && known !== undefined && Math.abs(shown - known) > SAME_TIME_MS;
	return row.key !== mark.key && isApart;
}
