import type { Random } from '../support/random';
import type { Seen } from './host';
import type { Finding } from './weather';

type Stored = { topics: Record<string, Record<string, unknown>> };

/**
 * What a host gives back after a crash, instead of what it was told to store last. Where it is not what a trigger stored,
 * the trigger may begin anew, so that events are owed from then on.
 */
export function find(what: Finding, consumer: Seen, chance: Random): void {
	if (what === 'the generation before') {
		// One of the first moments may lack a topic, which would begin anew.
		const { stored, covers } = consumer.before ?? {};
		if (stored && covers?.topics.length === consumer.consumer.topics.length)
			[consumer.stored, consumer.covers] = [stored, covers];
		return;
	}
	consumer.stored =
		what === 'nothing' ? undefined : (broken(consumer.stored as Stored | undefined, chance) as Seen['stored']);
	consumer.isBroken = what === 'something broken';
	// Of a topic that is not broken what came before is told. Who is refused begins again.
	consumer.beganAt = what === 'nothing' ? undefined : Number.NEGATIVE_INFINITY;
	consumer.covers = consumer.before = consumer.readyAt = undefined;
	consumer.deliveries.length = 0;
}

const nonsense = [null, 'text', -1, 1e300, [], {}, [[]], [null, 'x', [1, 2]], true];

/** Some fields of each topic are lost or nonsense. */
function broken(stored: Stored | undefined, chance: Random): object {
	const spoilt = (value: unknown): unknown => (chance.happens(0.5) ? chance.pick(nonsense) : value);
	const topics = Object.entries(stored?.topics ?? {}).map(([topic, ledger]) => [
		topic,
		chance.happens(0.2)
			? chance.pick(nonsense)
			: Object.fromEntries(
					Object.entries(ledger).map(([name, value]) => [name, chance.happens(0.4) ? spoilt(value) : value]),
				),
	]);
	return { ...stored, topics: Object.fromEntries(topics) as object };
}
