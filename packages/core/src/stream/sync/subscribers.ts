import { ExchangeError } from '../../errors';
import type { Counters } from '../contract';
import type { Receiver } from '../delivery/subscriber';

/** Everybody a topic is for, and those of them for whom it is not there yet. */
export interface Audience {
	receivers(): readonly Receiver[];
	/** Whether anybody's filters may let something of an exact topic through; one who is no receiver has none. */
	isWanted(topic: string): boolean;
	/** Something was counted for everybody. */
	count(...names: (keyof Counters)[]): void;
	/** Resolves when what is needed is there. */
	join(receiver: Receiver, needs: Needs): Promise<void>;
	/** For those who only need the topic to be confirmed. */
	ready(needs: Needs): Promise<void>;
	/** One had let go and is served again from the next confirmation on. */
	rejoin(receiver: Receiver): void;
	/** Those for whom something before the present is still to come. */
	late(): ReadonlySet<Receiver>;
	confirmed(): void;
	/** The past of one is told apart from what is new. */
	based(receiver: Receiver): void;
	/** One leaves; if it was still waiting, it hears why. */
	leave(receiver: Receiver, error?: ExchangeError): void;
	/** All who wait hear that it will not be, or only those without a consumer. */
	reject(error: ExchangeError, whom?: 'all' | 'anonymous'): void;
}

export interface Needs {
	confirmation: boolean;
	baseline: boolean;
}

interface Entry {
	receiver: Receiver | undefined;
	needs: Needs;
	resolve(): void;
	reject(error: ExchangeError): void;
}

export function createAudience(): Audience {
	const receivers = new Set<Receiver>();
	const rejoining = new Set<Receiver>();
	const entries = new Set<Entry>();
	/** Asked for with every message, so it is made anew only when somebody comes or goes. */
	let present: readonly Receiver[] = [];

	const wait = (receiver: Receiver | undefined, needs: Needs): Promise<void> =>
		new Promise((resolve, reject) => {
			const entry = { receiver, needs: { ...needs }, resolve, reject };
			entries.add(entry);
			settle(entry);
		});

	function settle(entry: Entry): void {
		if (entry.needs.confirmation || entry.needs.baseline) return;
		entries.delete(entry);
		entry.resolve();
	}

	function meet(need: keyof Needs, whose: (entry: Entry) => boolean): void {
		for (const entry of [...entries].filter(whose)) {
			entry.needs[need] = false;
			settle(entry);
		}
	}

	function reject(whom: (entry: Entry) => boolean, error: ExchangeError): void {
		for (const entry of [...entries].filter(whom)) {
			entries.delete(entry);
			entry.reject(error);
		}
	}

	return {
		receivers: () => present,
		isWanted: (topic) => present.length === 0 || present.some((receiver) => receiver.wants(topic)),
		count: (...names) => {
			for (const { counters } of present) for (const name of names) counters[name] += 1;
		},
		join: (receiver, needs) => {
			receivers.add(receiver);
			present = [...receivers];
			return wait(receiver, needs);
		},
		ready: (needs) => wait(undefined, needs),
		rejoin: (receiver) => rejoining.add(receiver),
		late: () => {
			if (rejoining.size === 0 && entries.size === 0) return nobody;
			const waiting = [...entries].flatMap(({ receiver, needs }) => (receiver && needs.confirmation ? [receiver] : []));
			return new Set([...rejoining, ...waiting]);
		},
		confirmed: () => {
			rejoining.clear();
			meet('confirmation', () => true);
		},
		based: (one) => meet('baseline', ({ receiver }) => receiver === one),
		leave: (one, error = left()) => {
			receivers.delete(one);
			present = [...receivers];
			rejoining.delete(one);
			reject(({ receiver }) => receiver === one, error);
		},
		reject: (error, whom = 'all') => reject(({ receiver }) => whom === 'all' || receiver === undefined, error),
	};
}

const nobody: ReadonlySet<Receiver> = new Set();

const left = (): ExchangeError =>
	new ExchangeError('aborted', { operation: 'Stream', what: 'The subscription was closed before it was ready' });
