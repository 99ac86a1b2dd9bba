import type { ExchangeError } from '../errors';
import type { Subscriber } from './delivery/subscriber';

/** The subscribers of a stream, each with whether its topics are confirmed. */
export interface Members {
	/** Starts delivery once the subscriber has joined. Rejects if joining fails, or the subscriber fails before. */
	admit(subscriber: Subscriber, join: () => Promise<void>): Promise<void>;
	isReady(subscriber: Subscriber): boolean;
	/** Removes a subscriber and tells its consumer the error. */
	fail(subscriber: Subscriber, error: ExchangeError): void;
	delete(subscriber: Subscriber): void;
	all(): Subscriber[];
}

interface Member {
	isReady: boolean;
	reject(error: ExchangeError): void;
}

export function createMembers(remove: (subscriber: Subscriber) => void): Members {
	const members = new Map<Subscriber, Member>();

	function fail(subscriber: Subscriber, error: ExchangeError): void {
		const member = members.get(subscriber);
		if (!member) return;
		// Without effect if the subscriber is ready already: its promise is settled, so `onFailed` is called below.
		member.reject(error);
		remove(subscriber);
		if (member.isReady) safely(() => subscriber.consumer.onFailed?.(error));
	}

	function admit(subscriber: Subscriber, join: () => Promise<void>): Promise<void> {
		const ready = new Promise<void>((resolve, reject) => {
			const member = { isReady: false, reject };
			members.set(subscriber, member);
			join().then(
				() => {
					member.isReady = true;
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
		admit,
		isReady: (subscriber) => members.get(subscriber)?.isReady ?? false,
		fail,
		delete: (subscriber) => void members.delete(subscriber),
		all: () => [...members.keys()],
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
