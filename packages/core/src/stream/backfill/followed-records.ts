import { isItem, type Item } from '../../wire/payload';
import { SINGLE_READS_MAX, STATUS_PAGES_MAX } from '../limits';
import type { TopicEvent } from '../topics/event';
import type { FollowedRecords, Topic } from '../topics/topic';
import type { History, ReadOptions } from './history';
import type { ListReader } from './list-reader';

interface FollowingPorts {
	list: ListReader;
	identify: Topic['identify'];
	history: History;
	followed: FollowedRecords;
	options: ReadOptions;
	offer(events: TopicEvent[]): void;
}

/**
 * Looks up records that may have changed but were on no page of the backfill. Many of them are looked up in lists by
 * status, because one read for each would take too long; the rest are read one by one, a few in each backfill.
 */
export async function readFollowed(ids: readonly string[], turn: number, ports: FollowingPorts): Promise<void> {
	const missing = new Set(ids);
	if (missing.size > SINGLE_READS_MAX) await readByStatus(missing, ports);
	const left = [...missing];
	const first = left.length > SINGLE_READS_MAX ? (turn * SINGLE_READS_MAX) % left.length : 0;
	for (const id of [...left.slice(first), ...left.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		const event = await readOne(id, ports);
		if (event) ports.offer([event]);
	}
}

/** A record that cannot be read stays open and is read again later: it may take a moment to appear. */
async function readOne(id: string, { followed, history, identify, options }: FollowingPorts) {
	const input = { [followed.input]: id };
	const read = await history.read(followed.read, input, options).catch(() => undefined);
	const record = recordIn(read);
	return record && identify({ id, ...record });
}

/** Unwraps a record that stands bare, in a list, or inside an object with one field. */
function recordIn(answer: unknown): Item | undefined {
	if (Array.isArray(answer)) return recordIn(answer[0]);
	if (!isItem(answer)) return undefined;
	const inner = Object.values(answer).filter(isItem);
	return 'status' in answer || inner.length === 0 ? answer : inner[0];
}

async function readByStatus(missing: Set<string>, ports: FollowingPorts): Promise<void> {
	const { list, followed, options } = ports;
	const isOther = ({ order }: TopicEvent) => !missing.has(order?.id ?? '');
	let pages = 0;
	for (const status of [...followed.open, ...followed.ended]) {
		const walk = list.walkStatus(status, isOther, options);
		while (missing.size > 0 && pages < STATUS_PAGES_MAX) {
			pages += 1;
			// The name of the status filter is assumed, so a refusal is no failure.
			const events = await walk.next().catch(() => undefined);
			if (!events) break;
			const updates = events.filter((event) => !isOther(event));
			for (const { order } of updates) missing.delete(order!.id);
			if (updates.length > 0) ports.offer(updates);
		}
	}
}
