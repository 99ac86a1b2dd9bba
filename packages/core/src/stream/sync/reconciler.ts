import type { Clock } from '../../ports';
import type { Subscribers } from './subscribers';
import type { Backfill } from './backfill';
import { kindOfTopic } from '../topics/event';
import type { Inbox } from './inbox';
import { READ_LAG_MS_MAX, READ_SPACING_MS, READ_SPARSE_EVERY_MS } from '../limits';
import type { StreamPolicy } from '../policy';
import { createScheduler } from './scheduler';
import type { Step, SequenceTracker } from './sequence';

/** Decides when REST is read for one topic. */
export interface Reconciler {
	/** Something may be missing. After a subscription it is read at once, whatever was read lately. */
	requestReconcile(reason?: Step | 'subscribed'): void;
	/** Reads once after a while. */
	request(delayMs: number): void;
	stop(): void;
}

export interface ReconcilerPorts {
	topic: string;
	clock: Clock;
	random: () => number;
	policy: StreamPolicy;
	subscribers: Subscribers;
	tracker: SequenceTracker;
	inbox: Inbox;
	backfill: Backfill;
	/** A confirmation may bring a book where no read can. */
	resubscribe(): void;
}

export function createReconciler({
	topic,
	clock,
	random,
	policy,
	subscribers,
	tracker,
	inbox,
	backfill,
	resubscribe,
}: ReconcilerPorts): Reconciler {
	const kind = kindOfTopic(topic);
	const everyMs = kind === 'other' ? undefined : policy.readEveryMs;
	const scheduler = createScheduler({ run: read, clock, random, everyMs });

	async function read(): Promise<void> {
		const isDoubted = kind === 'book' && inbox.isStale();
		if (isDoubted) {
			if (!backfill.canRead()) return resubscribe();
			// Changes that come meanwhile follow what is read.
			inbox.buffer();
		}
		const result = await backfill.run(subscribers.all(), tracker.settledSequence());
		// What is no newer than a sound book tells nothing.
		if (result === 'outdated') return isDoubted ? scheduler.request(READ_SPACING_MS) : undefined;
		if (result) {
			const { history, found } = result;
			if (kind === 'book') inbox.startBook(history.events[0]?.sequence);
			if (history.watermark !== undefined) tracker.reached(history.watermark);
			tracker.read(found);
		}
		inbox.flush();
	}

	/** A book of which something may be missing begins anew. */
	function rebuild(reason?: Step | 'subscribed'): void {
		inbox.markStale();
		if (backfill.canRead()) inbox.buffer();
		scheduler.request(0, reason === 'subscribed');
	}

	return {
		requestReconcile: (reason) => {
			if (reason === 'gap' || reason === 'unusable') subscribers.count('gaps');
			if (kind === 'book') return rebuild(reason);
			if (reason === 'gap' && tracker.isSparse()) return scheduler.ensure(READ_LAG_MS_MAX, READ_SPARSE_EVERY_MS);
			for (const delayMs of policy.readAfterMs) scheduler.request(delayMs, reason === 'subscribed' && delayMs === 0);
		},
		request: (delayMs) => scheduler.request(delayMs),
		stop: scheduler.stop,
	};
}
