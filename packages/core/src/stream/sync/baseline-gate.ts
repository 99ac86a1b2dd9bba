import { isExchangeError } from '../../errors';
import { sleep, type Clock } from '../../ports';
import type { Subscriber } from '../delivery/subscriber';
import { REFUSAL_AGAIN_MS, REFUSALS_CONFIRM } from '../limits';
import type { Backfill, Reading } from '../backfill/backfill';
import type { Inbox } from './inbox';
import { isRefusal, type FailureNotice } from './reading-log';
import type { Subscribers } from './subscribers';

/** The first reading for each subscriber of a topic, before which it is served from no other. */
interface BaselineGate {
	/** Reads once and no more: what a second one took for old would be lost. */
	read(subscriber: Subscriber): Promise<void>;
	isDone(subscriber: Subscriber): boolean;
}

interface BaselineGatePorts {
	name: string;
	clock: Clock;
	subscribers: Subscribers;
	inbox: Pick<Inbox, 'serviceTime'>;
	/** Absent where the topic cannot be read back. */
	backfill: Backfill | undefined;
	reading: Reading;
	tellFailure: FailureNotice;
	/** A first reading came late: what happened since it should have been may lie behind what it saw. */
	cameLate(): void;
}

export function createBaselineGate(ports: BaselineGatePorts): BaselineGate {
	const { name, clock, subscribers, inbox, backfill, reading, tellFailure, cameLate } = ports;
	const baselined = new WeakSet<Subscriber>();
	const inProgress = new Map<Subscriber, Promise<void>>();
	/** Since when each follows the topic, by the clock of the service: what happened from then on is new if it is read late. */
	const followedSince = new WeakMap<Subscriber, () => number>();

	function read(subscriber: Subscriber): Promise<void> {
		if (baselined.has(subscriber)) return Promise.resolve();
		const present = inProgress.get(subscriber) ?? readBaseline(subscriber).finally(() => inProgress.delete(subscriber));
		inProgress.set(subscriber, present);
		return present;
	}

	async function readBaseline(subscriber: Subscriber): Promise<void> {
		if (backfill?.baseline && !subscriber.hasStored(name)) {
			const newSince = lateSince(subscriber);
			try {
				await confirmed(() => backfill.baseline!(subscriber, reading, newSince));
				if (newSince() !== undefined) cameLate();
			} catch (error) {
				// A process that dies before a reading succeeds goes on from here.
				subscriber.follow(name, followedSince.get(subscriber)!());
				tellFailure([subscriber], error);
				// A key that may not read is no reason to keep back what is live.
				if (isExchangeError(error, 'forbidden')) subscribers.baselined(subscriber);
				throw error;
			}
		}
		if (reading.signal.aborted) return;
		followedSince.delete(subscriber);
		baselined.add(subscriber);
		subscriber.begin(name);
		subscribers.baselined(subscriber);
	}

	/** Nothing for a reading that is neither tried again nor left over from an earlier run: all that it finds is old. */
	function lateSince(subscriber: Subscriber): () => number | undefined {
		const known = followedSince.get(subscriber);
		if (known) return known;
		const [earlier, at] = [subscriber.unreadSince(name), clock.now()];
		// Messages that come later may tell what the clock of the service showed then.
		followedSince.set(subscriber, () => earlier ?? inbox.serviceTime(at));
		return () => earlier;
	}

	/** One refusal alone may pass, so it is asked again before it counts. */
	async function confirmed(request: () => Promise<void>): Promise<void> {
		for (let tries = 1; ; tries += 1) {
			try {
				return await request();
			} catch (error) {
				if (!isRefusal(error) || tries >= REFUSALS_CONFIRM || reading.signal.aborted) throw error;
			}
			await sleep(clock, REFUSAL_AGAIN_MS * tries, reading.signal);
		}
	}

	return { read, isDone: (subscriber) => baselined.has(subscriber) };
}
