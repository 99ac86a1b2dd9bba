import { confirmRun } from '../delivery/cursor';
import type { Subscriber } from '../delivery/subscriber';
import { timeOfMark, type RunMark } from '../ledger/run-mark';
import { READ_LAG_MS_MAX } from '../limits';
import type { Clock } from '../../ports';
import type { TopicEvent } from '../topics/event';
import { highestOf, type SequenceList, type SequencePage } from './sequence-list';

/** Detects a restart of a topic's sequence numbers: a known number then belongs to another event. */
export interface RestartCheck {
	/** Checks the subscribers whose numbers are in doubt. Returns the pages it read. */
	run(subscribers: Iterable<Subscriber>): Promise<SequencePage[]>;
	/** The numbers may have restarted. What a check in progress has read does not count. */
	doubt(subscribers: readonly Subscriber[]): void;
}

interface RestartCheckPorts {
	topic: string;
	clock: Clock;
	list: SequenceList;
	/** Whether the topic is subscribed at present. */
	isConfirmed(): boolean;
	floorOf(subscriber: Subscriber): number;
	/** The restart is proved for one subscriber. */
	restarted(subscriber: Subscriber): void;
}

/** What a subscriber knew when its numbers fell into doubt, and since when the list was seen to end below that. */
interface Doubt {
	mark: RunMark | undefined;
	highest: number;
	endsBelowSince?: number;
}

/** How far two times of one event may differ, because one may be written without milliseconds. */
const SAME_TIME_MS = 1_000;

export function createRestartCheck(ports: RestartCheckPorts): RestartCheck {
	const { topic, clock, list, isConfirmed, floorOf, restarted } = ports;
	/** The open doubts, and null for subscribers that were checked since theirs. At first each is in doubt. */
	const doubts = new WeakMap<Subscriber, Doubt | null>();

	/** If more is known by now, a list of a new run may pass the earlier number, so it is compared with the present one. */
	function doubt(subscribers: readonly Subscriber[]): void {
		for (const subscriber of subscribers) {
			const { mark } = subscriber.cursor(topic).offered;
			// The floor lies below numbers that were delivered after a gap, so the mark's number counts too.
			const highest = Math.max(floorOf(subscriber), mark?.sequence ?? 0);
			const before = doubts.get(subscriber);
			doubts.set(subscriber, before?.highest === highest ? { ...before } : { highest, mark });
		}
	}

	async function run(subscribers: Iterable<Subscriber>): Promise<SequencePage[]> {
		const pages = new Map<number, SequencePage>();
		const pageFrom = async (sequence: number): Promise<TopicEvent[]> => {
			const page = pages.get(sequence) ?? (await list.page(sequence - 1));
			pages.set(sequence, page);
			return page.events;
		};
		for (const subscriber of subscribers) {
			if (!doubts.has(subscriber)) doubt([subscriber]);
			const open = doubts.get(subscriber);
			const isAnew = open ? await isOther(open, pageFrom) : undefined;
			// Rows that were read before a new doubt arose cannot settle it.
			if (isAnew === undefined || doubts.get(subscriber) !== open) continue;
			doubts.set(subscriber, null);
			if (isAnew) restarted(subscriber);
			else confirmRun(subscriber.cursor(topic));
		}
		return [...pages.values()];
	}

	/** The row with the mark's number decides. Without one, a list that ends below the known numbers means a restart. */
	async function isOther(
		open: Doubt,
		pageFrom: (sequence: number) => Promise<readonly TopicEvent[]>,
	): Promise<boolean | undefined> {
		const { mark, highest } = open;
		const row = mark && rowUnder(mark, await pageFrom(mark.sequence!));
		if (row) return differ(row, mark);
		const endsBelow = async (sequence: number): Promise<boolean> =>
			sequence > 0 && highestOf(await pageFrom(sequence)) < sequence;
		// The list may catch up from one page to the next.
		if (!(await endsBelow(mark?.sequence ?? 0)) && !(await endsBelow(highest))) return false;
		// A list without rows shows nothing. While the topic is not subscribed, lists may lag for longer.
		if (!isConfirmed() || (await list.page()).events.length === 0) return undefined;
		open.endsBelowSince ??= clock.now();
		return clock.now() - open.endsBelowSince < READ_LAG_MS_MAX ? undefined : true;
	}

	return { run, doubt };
}

/** Several events may share the number of the mark. */
function rowUnder({ sequence: number, key }: RunMark, page: readonly TopicEvent[]): TopicEvent | undefined {
	const rows = page.filter(({ sequence }) => sequence === number);
	return rows.find((row) => row.key === key) ?? rows[0];
}

/** Copies of one event may carry different identifiers, but hardly different times. */
function differ(row: TopicEvent, mark: RunMark): boolean {
	const [rowTime, markTime] = [timeOfMark(row), timeOfMark(mark)];
	const isApart = rowTime !== undefined && markTime !== undefined && Math.abs(rowTime - markTime) > SAME_TIME_MS;
	return row.key !== mark.key && isApart;
}
