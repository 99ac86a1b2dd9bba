import type { Whole } from '../../whole';
import type { Subscriber } from '../delivery/subscriber';
import { instant } from '../failure';
import { isKnown, isSettled } from '../ledger/judge';
import { latest } from '../ledger/numbers';
import { FULL_PAGE_MIN, PAGES_MAX, REST_PER_PAGE_MS } from '../limits';
import { noticeTexts } from '../notice-text';
import { lookedForMissing } from '../sync/doubt';
import { distinctEvents } from '../sync/window';
import type { TopicEvent } from '../topics/event';
import type { FollowedRecords } from '../topics/topic';
import { readFollowed } from './followed-records';
import { readBaseline, type BaselinePorts } from './list-baseline';
import { noRows, observeRows, settledBefore, type ListRows } from './list-rows';
import { readPage, walkList, type EventWalk } from './list-walk';
import { offerGap, offerRead, type Gap } from './offers';
import { createSharedBaseline } from './shared-baseline';
import { inOrder, tried, type Pages, type Source, type SourceWalk, type WalkEnd } from './source';

/** One walk from the newest rows back to those that every subscriber has. */
interface ListBackfill {
	walk: EventWalk;
	served: ReadonlySet<Subscriber>;
	beganAt: number;
	/** Everything behind this place is read. */
	after: number;
	rows: ListRows;
}

/** Reads a list whose sort order the interface does not show. */
export function createListSource(ports: BaselinePorts): Source {
	const { topic, follow, clock, policy, state, notice } = ports;
	const { list: learned } = state;
	const { shape } = learned;
	const shared = createSharedBaseline(state, { clock, needsOpen: follow !== undefined });

	function begin(served: ReadonlySet<Subscriber>): SourceWalk {
		if (clock.now() < learned.restsUntil) return glance();
		const isForAll = (is: (subscriber: Subscriber) => boolean) => [...served].every(is);
		const walk = walkList(ports, {
			...{ shape, settledInARow: policy.knownInARow },
			isSettled: (event) => isForAll((subscriber) => isSettled(subscriber.cursor(topic).offered, event)),
			isUnbroken: (event) =>
				state.missingSince === undefined && isForAll((subscriber) => isKnown(subscriber.cursor(topic).offered, event)),
		});
		const after = Math.min(...[...served].map((subscriber) => subscriber.cursor(topic).offered.watermark ?? -Infinity));
		const backfill = { walk, served, after, beganAt: clock.now(), rows: noRows() };
		return { pages: pagesOf(backfill), end: () => end(backfill) };
	}

	async function* pagesOf({ walk, served, rows }: ListBackfill): Pages {
		try {
			while (walk.pages() < PAGES_MAX) {
				const events = yield* tried(walk.next);
				if (!events) break;
				observeRows(rows, events, { topic, served });
				yield { events };
			}
			if (follow) yield { events: await lookUp(follow, served, rows) };
		} finally {
			// A list of unknown order is left alone for a while after many pages.
			const pages = walk.pages();
			learned.restsUntil = shape.order === 'unknown' && pages > 2 ? clock.now() + pages * REST_PER_PAGE_MS : 0;
		}
	}

	/** Reads the records that may have changed but were on no page. */
	async function lookUp(records: FollowedRecords, served: ReadonlySet<Subscriber>, { orders }: ListRows) {
		const open = new Set([...served].flatMap((subscriber) => [...subscriber.cursor(topic).offered.orders.open.keys()]));
		for (const id of orders) open.delete(id);
		learned.lookups += 1;
		return readFollowed([...open], { follow: records, shape, lookups: learned.lookups }, ports);
	}

	function end({ served, walk, beganAt, rows, after }: ListBackfill): WalkEnd {
		const isCut = walk.pages() >= PAGES_MAX;
		const mayBeCut = walk.isWhole() && !follow && rows.keys.size >= FULL_PAGE_MIN;
		const upTo = settledBefore(learned, rows, ports, beganAt);
		if (!isCut) lookedForMissing(state, beganAt);
		for (const subscriber of served) {
			const watermark = subscriber.cursor(topic).offered.watermark;
			// A list that begins behind all that a subscriber knows may have dropped rows before that.
			const isBehind = mayBeCut && watermark !== undefined && rows.strangers.has(subscriber);
			if ((isCut || isBehind) && rows.oldest > (watermark ?? 0) && Number.isFinite(rows.oldest))
				offerGap(subscriber, unlisted(watermark ?? 0, rows.oldest), { topic, notice, done: 'out_of_reach' });
			if (shape.isContradicted && !learned.isReported)
				notice(subscriber, { kind: 'degraded', text: noticeTexts.unsorted });
			subscriber.completeUpTo(topic, upTo);
		}
		learned.isReported ||= shape.isContradicted === true;
		if (isCut) return { isWhole: true };
		// It may have ended before, behind rows that everybody knew.
		const range = walk.isWhole() ? { after: -Infinity, open: 'all' as const } : { after: Math.max(after, rows.oldest) };
		return { isWhole: true, range: { ...range, upTo } };
	}

	/** Reads the beginning and the end of a list without a known order. */
	function glance(): SourceWalk {
		async function* pages(): Pages {
			const first = yield* tried(() => readPage(ports, 0));
			yield { events: first };
			// A page around the last known end shows the rows before that end and the rows added since.
			const offset = Math.max(0, (shape.end ?? 0) - Math.floor(first.length / 2));
			if (offset > 0) yield { events: yield* tried(() => readPage(ports, offset)) };
		}
		return {
			pages: pages(),
			end: (news) => {
				// More new rows may follow those at either end, so the next walk reads the whole list immediately.
				if (news > 0) learned.restsUntil = 0;
				return { isWhole: news === 0 };
			},
		};
	}

	async function baseline(subscriber: Subscriber, newSince: () => number | undefined): Promise<void> {
		// Older events may have been delivered already and dropped from the deduplication window.
		const lateSince = (): number | undefined => {
			const since = newSince();
			// Places of this list are times.
			return since === undefined
				? undefined
				: Number(latest<Whole>(since, subscriber.cursor(topic).offered.keys.forgotten));
		};
		const reachesTo = lateSince();
		const seen = await shared(async () => {
			const read = await readBaseline(ports, reachesTo);
			ports.observed(read.events);
			return read;
		}, reachesTo);
		if (seen.open === 'some') notice(subscriber, { kind: 'degraded', text: noticeTexts.openLeft });
		const since = lateSince();
		// In the order of their creation, because the memory keeps the latest.
		const events = inOrder(distinctEvents(seen), 'time');
		// Updates of an order that the stream has delivered are new, and so are changes after `since`, of any order.
		const followed = new Set(subscriber.cursor(topic).offered.orders.open.keys());
		const isNew = ({ order, time }: TopicEvent) =>
			(order !== undefined && followed.has(order.id)) ||
			(since !== undefined && Math.max(order?.updatedAt ?? -Infinity, time ?? -Infinity) > since);
		// New events are queued first: `markKnown` waits for the acknowledgement of those older than the watermark.
		offerRead(subscriber, events.filter(isNew), ports);
		subscriber.markKnown(topic, {
			events: events.filter((event) => !isNew(event)),
			row: seen.row,
			// The watermark must not pass new events before they are delivered.
			watermark: seen.upTo === undefined ? undefined : Math.min(Number(seen.upTo), since ?? Infinity),
		});
	}

	return {
		order: 'time',
		begin,
		baseline,
		// Topics whose records change need a backfill of their own, because older records may have changed too.
		placeOf: (subscriber) => {
			if (subscriber.cursor(topic).start !== 'stored' || follow) return undefined;
			return subscriber.cursor(topic).offered.watermark ?? Number.NEGATIVE_INFINITY;
		},
	};
}

/** Rows of the same moment as the oldest one that is listed may be missing, too. */
const unlisted = (after: number, oldest: number): Gap => ({
	after_created_at: instant(after),
	before_created_at: instant(oldest + 1),
});
