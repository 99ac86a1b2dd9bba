import { openStatuses, orderStatuses } from '../../catalogue';
import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import { orderIn } from '../../wire/payload';
import { ensure } from '../feed/schedule';
import type { TopicState } from '../feed/topic-state';
import {
	OTHERS_IN_A_ROW,
	PAGE_TRIES_MAX,
	READ_LAG_MS_MAX,
	READ_RETRY_MS,
	SINGLE_READS_MAX,
	STATUS_PAGES_MAX,
} from '../limits';
import { isFinal, type TopicEvent } from '../topics/event';
import { walkList, type EventWalk, type ListPorts } from './history';

export interface FollowingPorts extends ListPorts {
	clock: Clock;
	state: Pick<TopicState, 'list' | 'schedule'>;
}

/**
 * Looks up orders that may have changed but were on no page of the backfill. Many of them are looked up in lists by
 * status, because one read for each would take too long; the rest are read one by one, a few in each backfill. `orders`: each
 * as the service wrote it. `reads`: how many backfills there were before, so that each has its turn. Returns those of which
 * it learned nothing.
 */
export async function* readFollowed(
	orders: ReadonlyMap<string, string>,
	reads: number,
	ports: FollowingPorts,
): AsyncGenerator<readonly TopicEvent[], ReadonlySet<string>> {
	const missing = new Set(orders.keys());
	if (missing.size > SINGLE_READS_MAX) yield* readByStatus(Object.keys(orderStatuses), ports, missing);
	const left = [...missing];
	const first = left.length > SINGLE_READS_MAX ? (reads * SINGLE_READS_MAX) % left.length : 0;
	for (const id of [...left.slice(first), ...left.slice(0, first)].slice(0, SINGLE_READS_MAX)) {
		missing.delete(id);
		try {
			const order = orderIn(await ports.history.read('order.get', { order_id: orders.get(id) }, ports.signal));
			// It may take a moment to appear, so one that is not found stays open, and is read again later.
			const event = order && ports.identify({ id, ...order });
			yield event ? [event] : [];
		} catch (error) {
			// Behind all others, so that one that cannot be read keeps none from its turn.
			if (!mayPass(error)) continue;
			missing.add(id);
			const now = ports.clock.now();
			ensure(ports.state.schedule, now, now + READ_LAG_MS_MAX);
		}
	}
	return missing;
}

/** A refused read will be refused again, and tells nothing; any other failure may pass. */
const mayPass = (error: unknown): boolean =>
	(['unreachable', 'timeout', 'unavailable', 'rate_limited'] as const).some((code) => isExchangeError(error, code));

/** Reads open orders, because they may be older than all pages of a baseline. Returns whether it read them all. */
export const readOpen = (ports: FollowingPorts) => readByStatus(openStatuses, ports);

/**
 * Walks a list by one status after another. It takes the orders that are `missing`, until all are found, or else all that
 * are open, over STATUS_PAGES_MAX pages at most, and over no more than it would take to read the missing ones singly. The
 * service may ignore the filter, so many rows of other statuses in a row end a walk. Returns whether it read all.
 */
async function* readByStatus(
	statuses: readonly string[],
	ports: FollowingPorts,
	missing?: Set<string>,
): AsyncGenerator<readonly TopicEvent[], boolean> {
	const isWanted = ({ order }: TopicEvent): boolean =>
		order !== undefined && (missing?.has(order.id) ?? !isFinal(order.status));
	const pagesMax = Math.min(STATUS_PAGES_MAX, missing?.size ?? Infinity);
	let [pages, isWhole] = [0, true];
	for (const status of statuses) {
		const walk = walkList(ports, {
			query: { status },
			shape: { ...ports.state.list.shape, end: undefined },
			settledInARow: OTHERS_IN_A_ROW,
			isSettled: ({ order }) => order?.status !== status,
		});
		for (; missing?.size !== 0 && pages < pagesMax; pages += 1) {
			const page = await nextOf(walk, ports);
			if (!page) break;
			const wanted = page.filter(isWanted);
			for (const { order } of page) missing?.delete(order?.id ?? '');
			yield wanted;
		}
		isWhole &&= walk.isWhole();
	}
	return isWhole;
}

/** A page that fails is read again. The name of the status filter is assumed, so a refusal ends the walk without an error. */
async function nextOf(walk: EventWalk, { clock, signal }: FollowingPorts) {
	for (let failures = 1; failures <= PAGE_TRIES_MAX; failures += 1) {
		try {
			return await walk.next();
		} catch (error) {
			if (isExchangeError(error, 'refused') || signal.aborted) return undefined;
			if (failures < PAGE_TRIES_MAX) await sleep(clock, READ_RETRY_MS.base * failures, signal);
		}
	}
	return undefined;
}
