import type { ExchangeError } from '../errors';
import type { Subscriber } from './delivery/subscriber';

/** The subscribers of a stream, each with whether its topics are there. */
export interface Members {
	/** Delivers once it has joined; rejects if it cannot, or fails before. */
	admit(subscriber: Subscriber, join: () => Promise<void>): Promise<void>;
	isReady(subscriber: Subscriber): boolean;
	/** Removes one, which hears why. */
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
		// Who is ready does not hear it here.
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
		// A rejection nobody looks at must not end the process.
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

/** What a host throws in its own callback is no reason for the stream to end. */
function safely(action: () => void): void {
	try {
		action();
	} catch {
		// There is nobody left to tell.
	}
}
