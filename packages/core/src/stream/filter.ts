import { pairKey } from '../catalogue';
import { textOf, type Item } from '../wire/payload';
import { compare, isDecimal, readDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { assertGiven, readElsewhere, texts } from '../given';
import type { EventFilters } from './contract';
import { pairKeyOf } from './topics';
import type { TopicEvent } from './topics/event';

/** A filter on a field that the event does not carry lets it pass: better one event too many than one too few. */
export function eventFilter({ statuses, sides, pairs, minQuantity }: EventFilters = {}): (
	event: TopicEvent,
) => boolean {
	const filters = [
		...among(statuses, ({ order }) => order?.status),
		...among(sides, ({ item }) => textOf(item, 'side')),
		...among(pairs, ({ item }) => textOf(item, 'pair_id')),
		...(minQuantity ? [({ item }: TopicEvent) => isEnough(minQuantity, item)] : []),
	];
	return filters.length === 0 ? () => true : (event) => filters.every((passes) => passes(event));
}

/** A filter without values lets everything pass, so it is left out. */
function among(
	allowed: readonly string[] = [],
	valueOf: (event: TopicEvent) => string | undefined,
): ((event: TopicEvent) => boolean)[] {
	if (allowed.length === 0) return [];
	return [
		(event) => {
			const value = valueOf(event);
			return value === undefined || allowed.includes(value);
		},
	];
}

function isEnough(least: string, item: Item | undefined): boolean {
	const quantity = textOf(item, 'quantity');
	return !isDecimal(quantity) || compare(quantity, String(least).trim()) >= 0;
}

const parts = { statuses: texts, sides: texts, pairs: texts, minQuantity: readElsewhere };

/** Refuses a filter that could never be applied, before anything is subscribed. */
export function assertFilters(filters: EventFilters = {}): void {
	assertGiven(filters, parts, { of: 'A filter', operation: 'Stream' });
	const { minQuantity } = filters;
	if (minQuantity === undefined || minQuantity === '') return;
	const read = readDecimal(minQuantity);
	if ('text' in read) return;
	throw new ExchangeError('invalid_input', {
		operation: 'Stream',
		field: 'minQuantity',
		what: `The minimum quantity ${read.reason}`,
	});
}

/** Whether events of an exact topic may pass the filters: a topic about one pair has that pair in its name. */
export function topicFilter({ pairs = [] }: EventFilters = {}): (topic: string) => boolean {
	const keys = new Set(pairs.map(pairKey));
	if (keys.size === 0) return () => true;
	return (topic) => {
		const pair = pairKeyOf(topic);
		return pair === undefined || keys.has(pair);
	};
}
