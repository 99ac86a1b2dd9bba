import { BASELINE_ITEMS_MAX, PAGES_MAX } from '../limits';
import type { StreamPolicy } from '../policy';
import type { TopicEvent } from '../topics/event';
import type { FollowedRecords } from '../topics/topic';
import { readOpen } from './followed-records';
import { newestTime, noRows, observeRows, settledBefore } from './list-rows';
import { walkList, type ListPorts } from './list-walk';
import type { Baseline } from './shared-baseline';
import type { SourcePorts } from './source';

export interface BaselinePorts extends SourcePorts, ListPorts {
	follow?: FollowedRecords;
	policy: StreamPolicy;
}

/** Reads the baseline: the events that count as history for a new subscriber. */
export async function readBaseline(ports: BaselinePorts, newSince = Number.POSITIVE_INFINITY): Promise<Baseline> {
	const { follow, policy, topic, state } = ports;
	const { shape } = state.list;
	const events: TopicEvent[] = [];
	const rows = noRows();
	// A baseline that comes late has to reach back to `newSince`.
	const reach = (): number => Math.min((newestTime(rows) ?? Number.NEGATIVE_INFINITY) - policy.readOverlapMs, newSince);
	const isSettled = ({ time }: TopicEvent) => time !== undefined && time < reach();
	const walk = walkList(ports, { shape, settledInARow: policy.knownInARow, isSettled });
	let isCut = false;
	for (let page = await walk.next(); page; page = isCut ? undefined : await walk.next()) {
		events.push(...page);
		observeRows(rows, page, { topic, served: [] });
		// In a list that is newest first all further rows are older. Without a known order or times the whole list is read.
		const isLong = shape.order === 'newest_first' && events.length >= BASELINE_ITEMS_MAX;
		isCut = (isLong && rows.oldest < newSince) || walk.pages() >= PAGES_MAX;
	}
	const after = walk.isWhole() ? Number.NEGATIVE_INFINITY : isCut ? rows.oldest : reach();
	const settled = settledBefore(state.list, rows, ports);
	const range = { after, upTo: settled === undefined ? undefined : Math.max(after, settled), row: events.at(-1) };
	if (!follow || walk.isWhole()) return { events, ...range, open: 'all' };
	const open = await readOpen({ follow, shape }, ports);
	return { events: [...events, ...open.events], ...range, open: open.isWhole ? 'all' : 'some' };
}
