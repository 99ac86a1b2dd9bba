import type { ExchangeError } from '../errors';
import type { Subscriber } from './delivery/subscriber';

/** The subscribers of a stream, each with whether its topics are confirmed. */
export interface StreamSubscribers {
	/** Starts delivery once the subscriber has joined. Rejects if joining fails, or the subscriber fails before. */
	add(subscriber: Subscriber, join: () => Promise<void>): Promise<void>;
	isReady(subscriber: Subscriber): boolean;
	/** Removes a subscriber and tells its host the error. */
	fail(subscriber: Subscriber, error: ExchangeError): void;
	delete(subscriber: Subscriber): void;
	all(): Subscriber[];
}

interface Entry {
	isReady: boolean;
	reject(error: ExchangeError): void;
}

export function createStreamSubscribers(remove: (subscriber: Subscriber) => void): StreamSubscribers {
	const entries = new Map<Subscriber, Entry>();

	function fail(subscriber: Subscriber, error: ExchangeError): void {
		const entry = entries.get(subscriber);
		if (!entry) return;
		// Without effect if the subscriber is ready already: its promise is settled, so `onFailed` is called below.
		entry.reject(error);
		remove(subscriber);
		if (entry.isReady) safely(() => subscriber.consumer.onFailed?.(error));
	}

	function add(subscriber: Subscriber, join: () => Promise<void>): Promise<void> {
		const ready = new Promise<void>((resolve, reject) => {
			const entry = { isReady: false, reject };
			entries.set(subscriber, entry);
			join().then(
				() => {
					entry.isReady = true;
					subscriber.start();
					resolve();
				},
				(error: ExchangeError) => {
					fail(subscriber, error);
					reject(error);
				},
			);
		});
		// An unhandled rejection must not end the process.
		ready.catch(() => undefined);
		return ready;
	}

	return {
		add,
		isReady: (subscriber) => entries.get(subscriber)?.isReady ?? false,
		fail,
		delete: (subscriber) => void entries.delete(subscriber),
		all: () => [...entries.keys()],
	};
}

/** An exception in a callback of the host must not end the stream. */
function safely(action: () => void): void {
	try {
		action();
	} catch {
		// The callback that failed is the one errors are reported to.
	}
}
