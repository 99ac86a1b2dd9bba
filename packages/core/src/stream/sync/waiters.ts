import type { ExchangeError } from '../../errors';
import type { Subscriber } from '../delivery/subscriber';

/** What a caller waits for. */
export interface Needs {
	confirmation: boolean;
	baseline: boolean;
}

/** Whether it is about this subscriber; undefined for a caller without one. */
type Whose = (subscriber: Subscriber | undefined) => boolean;

/** Callers that wait until a topic is confirmed, or a baseline read. */
interface Waiters {
	/** Resolves once both needs are met. */
	wait(subscriber: Subscriber | undefined, needs: Needs): Promise<void>;
	meet(need: keyof Needs, whose?: Whose): void;
	reject(whose: Whose, error: ExchangeError): void;
	/** Subscribers that wait for a confirmation. Asked for every message. */
	unconfirmed(): readonly Subscriber[];
}

interface Waiter {
	subscriber: Subscriber | undefined;
	needs: Needs;
	resolve(): void;
	reject(error: ExchangeError): void;
}

export function createWaiters(): Waiters {
	const waiters = new Set<Waiter>();

	function resolveIfMet(waiter: Waiter): void {
		if (waiter.needs.confirmation || waiter.needs.baseline) return;
		waiters.delete(waiter);
		waiter.resolve();
	}

	return {
		wait: (subscriber, needs) =>
			new Promise((resolve, reject) => {
				const waiter = { subscriber, needs: { ...needs }, resolve, reject };
				waiters.add(waiter);
				resolveIfMet(waiter);
			}),
		meet: (need, whose = () => true) => {
			for (const waiter of [...waiters].filter(({ subscriber }) => whose(subscriber))) {
				waiter.needs[need] = false;
				resolveIfMet(waiter);
			}
		},
		reject: (whose, error) => {
			for (const waiter of [...waiters].filter(({ subscriber }) => whose(subscriber))) {
				waiters.delete(waiter);
				waiter.reject(error);
			}
		},
		unconfirmed: () =>
			waiters.size === 0
				? nobody
				: [...waiters].flatMap(({ subscriber, needs }) => (subscriber && needs.confirmation ? [subscriber] : [])),
	};
}

const nobody: readonly Subscriber[] = [];
