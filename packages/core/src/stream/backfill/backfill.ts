import { isFull } from '../delivery/queue';
import type { Subscriber } from '../delivery/subscriber';
import { PAGE_TRIES_MAX, PAGES_PER_SLICE, SLICE_MS_MAX } from '../limits';
import {
	complete,
	eventsBehind,
	isFresh,
	observe,
	servesReturn,
	type EventWindow,
	type ReadBegin,
} from '../sync/window';
import type { TopicEvent } from '../topics/event';
import { offerRead } from './offers';
import { readBegin } from './shared-baseline';
import { inOrder, type Baselining, type Source, type SourcePorts, type SourceWalk } from './source';

/** Reads over REST what the subscribers of one topic may have missed. */
export interface Backfill {
	/** Absent for a book: a new subscriber gets the present one, and nothing counts as old. */
	baseline?: Baselining;
	/** Continues the backfill and offers the new events. After a failure it resumes where it stopped. */
	run(subscribers: readonly Subscriber[]): Promise<BackfillResult>;
	/** Serves a returning subscriber from the latest backfill; returns false if it needs one of its own. */
	serveNewcomer?(subscriber: Subscriber): boolean;
}

interface BackfillResult {
	/** Whether nothing is left to read. If not, `run` continues with the next slice. */
	isWhole: boolean;
	/** False if subscribers joined during the backfill and need another one. */
	isForAll?: boolean;
	/** Whether the backfill found events that the stream had not delivered. */
	hasNews: boolean;
	/** The snapshot is too old to apply the buffered changes to, or no newer than the known book. */
	isOutdated?: boolean;
	/** The snapshot that replaces the known book. */
	snapshot?: TopicEvent;
}

/** A backfill in progress: the subscribers it serves from its beginning, and how far it came. */
interface Progress extends SourceWalk {
	served: Set<Subscriber>;
	/** How many events were new: of each slice, to the subscriber that had the fewest of them. */
	news: number;
	/** Tries of the next page that failed. */
	failures: number;
	/** Whose window it completes: after an outage it is no longer that of the topic. */
	window: EventWindow;
	began: ReadBegin;
	/** How many outages there had been. After a further one newer rows may be missing, and another walk has to follow. */
	outages: number;
}

type BackfillPorts = Pick<SourcePorts, 'topic' | 'notice' | 'observed' | 'clock' | 'state'>;

/** Reads the pages of a source in slices. Each slice is offered before the next is read. */
export function createBackfill(source: Source, ports: BackfillPorts): Backfill {
	const { clock, state } = ports;
	let progress: Progress | undefined;

	function begin(subscribers: readonly Subscriber[]): Progress {
		const served = new Set(subscribers);
		const { window, outages } = state;
		const began = readBegin(state, clock);
		return { ...source.begin(served), served, news: 0, failures: 0, window, began, outages };
	}

	async function run(subscribers: readonly Subscriber[]): Promise<BackfillResult> {
		if (progress) await drop(progress, subscribers);
		const walk = (progress ??= begin(subscribers));
		const before = walk.news;
		const isRead = await readSlice(walk);
		const hasNews = walk.news > before;
		return isRead ? { ...finish(walk, subscribers), hasNews } : { isWhole: false, hasNews };
	}

	/** Drops those who left, and a walk that none of the others waits for. */
	async function drop(walk: Progress, subscribers: readonly Subscriber[]): Promise<void> {
		for (const subscriber of walk.served) if (!subscribers.includes(subscriber)) walk.served.delete(subscriber);
		// The rows before a page that fails for good have changed meanwhile.
		if (walk.served.size > 0 && walk.failures < PAGE_TRIES_MAX) return;
		progress = undefined;
		await walk.pages.return();
	}

	/** Returns whether nothing is left to read. Pages read before a failure are kept. */
	async function readSlice(walk: Progress): Promise<boolean> {
		const endsAt = clock.now() + SLICE_MS_MAX;
		const events: TopicEvent[] = [];
		const isHeldUp = () => [...walk.served].every((subscriber) => isFull(subscriber.queue));
		let isRead = false;
		for (let pages = 0; pages < PAGES_PER_SLICE && clock.now() <= endsAt && !isHeldUp(); pages += 1) {
			const { value: page, done } = await walk.pages.next(walk.news);
			if (done) isRead = true;
			if (!page) break;
			if ('error' in page) {
				walk.failures += 1;
				if (pages === 0) throw page.error;
				break;
			}
			walk.failures = 0;
			events.push(...page.events);
			if (source.order === 'sequence') offer(walk, events.splice(0));
		}
		offer(walk, events);
		return isRead;
	}

	function offer(walk: Progress, read: readonly TopicEvent[]): void {
		if (read.length === 0) return;
		const events = inOrder(read, source.order);
		observe(state.window, events);
		ports.observed(events);
		walk.news += Math.max(0, ...[...walk.served].map((subscriber) => offerRead(subscriber, events, ports)));
	}

	function finish(walk: Progress, subscribers: readonly Subscriber[]): Pick<BackfillResult, 'isWhole' | 'isForAll'> {
		progress = undefined;
		const { isWhole, range } = walk.end(walk.news);
		if (range) complete(walk.window, range, walk.began);
		const isServed = (subscriber: Subscriber): boolean => walk.served.has(subscriber) || serveNewcomer(subscriber);
		return { isWhole, isForAll: walk.outages === state.outages && subscribers.every(isServed) };
	}

	function serveNewcomer(subscriber: Subscriber): boolean {
		const [place, { window }] = [source.placeOf(subscriber), state];
		const isThere =
			place !== undefined && isFresh(window, clock.now(), state.isConfirmed) && servesReturn(window, place);
		if (isThere) offerRead(subscriber, inOrder(eventsBehind(window, place), source.order), ports);
		return isThere;
	}

	return { baseline: source.baseline, run, serveNewcomer };
}
