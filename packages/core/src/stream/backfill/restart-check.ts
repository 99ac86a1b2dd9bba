import { plus, type Whole } from '../../whole';
import { confirmRun } from '../delivery/cursor';
import type { Subscriber } from '../delivery/subscriber';
import { doubtRun } from '../ledger/judge';
import { timeOfMark, type RunDoubt, type RunMark } from '../ledger/run-mark';
import { READ_LAG_MS_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import { highestOf, readPageAfter, type SequenceListPorts, type SequencePage } from './sequence-list';

/** How far two times of one event may differ, because one may be written without milliseconds. */
const SAME_TIME_MS = 1_000;

/**
 * Checks the subscribers whose numbers are in doubt: after a restart of the service a known number belongs to another event.
 * `restarted` is called for those whose numbers did restart. Returns the pages it read.
 */
export async function checkRuns(
	subscribers: Iterable<Subscriber>,
	ports: SequenceListPorts,
	restarted: (subscriber: Subscriber) => void,
): Promise<SequencePage[]> {
	const pages = new Map<Whole, SequencePage>();
	const pageFrom = async (sequence: Whole): Promise<TopicEvent[]> => {
		const page = pages.get(sequence) ?? (await readPageAfter(ports, plus(sequence, -1)));
		pages.set(sequence, page);
		return page.events;
	};
	for (const subscriber of subscribers) {
		const cursor = subscriber.cursor(ports.topic);
		// At first they are in doubt without a sign.
		if (cursor.offered.doubt === undefined) doubtRun(cursor.offered);
		const { doubt } = cursor.offered;
		if (!doubt || doubt === 'settled') continue;
		const isAnew = await isOther(doubt, pageFrom, ports);
		if (isAnew === undefined || cursor.offered.doubt !== doubt) continue;
		if (isAnew) restarted(subscriber);
		else confirmRun(cursor);
	}
	return [...pages.values()];
}

/** The row with the mark's number decides. Without one, a list that ends below the known numbers means a restart. */
async function isOther(
	doubt: RunDoubt,
	pageFrom: (sequence: Whole) => Promise<readonly TopicEvent[]>,
	ports: SequenceListPorts,
): Promise<boolean | undefined> {
	const { mark, highest } = doubt;
	const row = mark && rowUnder(mark, await pageFrom(mark.sequence!));
	if (row) return differ(row, mark);
	const endsBelow = async (sequence: Whole): Promise<boolean> =>
		sequence > 0 && highestOf(await pageFrom(sequence)) < sequence;
	// The list may catch up from one page to the next.
	if (!(await endsBelow(mark?.sequence ?? 0)) && !(await endsBelow(highest))) return false;
	// A list without rows shows nothing. While the topic is not subscribed, lists may lag for longer.
	if (!ports.state.isConfirmed || (await readPageAfter(ports)).events.length === 0) return undefined;
	const now = ports.clock.now();
	doubt.endsBelowSince ??= now;
	return now - doubt.endsBelowSince < READ_LAG_MS_MAX ? undefined : true;
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
