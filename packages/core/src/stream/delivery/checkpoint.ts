import { isItem } from '../../wire/payload';
import type { Clock } from '../../ports';
import type { Consumer, StoredPositions } from '../contract';
import { createLedger, type Decision, type Ledger } from './cursor';
import type { Entry } from './queue';
import { QUIET_MOVE_EVERY_MS } from '../limits';
import type { StreamPolicy } from '../policy';

/** Where a consumer stands in all its topics, and what of that it was told to store. */
export interface Standing {
	ledger(topic: string): Ledger;
	/** Whether it was here before and knows where it stopped. */
	hasStored(topic: string): boolean;
	/** From now on the topic is stored: its past is told apart from what is new. */
	begin(topic: string): void;
	/** The host took these, and with them everything before. */
	take(entries: readonly Entry[]): void;
	/** Something is settled without an event. */
	settle(topic: string, decision: Decision): void;
	/** Reports a position that was not reported yet. */
	flush(): void;
}

export function createStanding(consumer: Consumer, policy: StreamPolicy, clock: Clock): Standing {
	const given = consumer.missed === false ? undefined : consumer.positions?.topics;
	const stored = isItem(given) ? given : {};
	const kept = Object.entries(stored).filter(([topic]) => wants(consumer, topic));
	const ledgers = new Map(kept.map(([topic, known]) => [topic, createLedger(known, policy)]));
	const begun = new Set(ledgers.keys());
	let reportedAt = clock.now();
	let unreported = false;

	function ledger(topic: string): Ledger {
		let known = ledgers.get(topic);
		if (!known) ledgers.set(topic, (known = createLedger(undefined, policy)));
		return known;
	}

	/** A topic whose past is not told apart yet is left out, so that this is done when it comes back. */
	function positions(): StoredPositions {
		const stands = [...ledgers].filter(([topic]) => begun.has(topic) || !consumer.topics.includes(topic));
		return { version: 1, topics: Object.fromEntries(stands.map(([topic, known]) => [topic, known.stored()])) };
	}

	function flush(): void {
		if (!unreported) return;
		unreported = false;
		reportedAt = clock.now();
		consumer.moved?.(positions());
	}

	return {
		ledger,
		hasStored: (topic) => isItem(stored[topic]),
		begin: (topic) => {
			ledger(topic);
			begun.add(topic);
			unreported = true;
		},
		take: (entries) => {
			for (const { event, told, settles } of entries) {
				const known = ledger(event.topic);
				known.take(told);
				if (settles) known.commit(settles);
			}
			unreported = true;
			flush();
		},
		settle: (topic, decision) => {
			ledger(topic).commit(decision);
			unreported = true;
			// A position that moves without an event is worth storing, but not each time.
			if (clock.now() - reportedAt >= QUIET_MOVE_EVERY_MS) flush();
		},
		flush,
	};
}

/** What was stored for a topic that is no longer asked for is let go. */
const wants = ({ topics }: Consumer, topic: string): boolean =>
	topics.some((wanted) => wanted === topic || (wanted.endsWith('*') && topic.startsWith(wanted.slice(0, -1))));
