import { pairKey } from '../../catalogue';
import { textOf, type Item } from '../../wire/payload';
import { compare, isDecimal, readDecimal } from '../../decimal';
import { ExchangeError } from '../../errors';
import type { EventFilters } from '../contract';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';

/** A filter on something the event does not tell lets it pass: better one event too many than one too few. */
export function passes(filters: EventFilters, { item, order }: TopicEvent): boolean {
	const { statuses, sides, pairs, minQuantity } = filters;
	return (
		among(statuses, order?.status) &&
		among(sides, textOf(item, 'side')) &&
		among(pairs, textOf(item, 'pair_id')) &&
		isEnough(minQuantity, item)
	);
}

const among = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
	allowed === undefined || allowed.length === 0 || value === undefined || allowed.includes(value);

function isEnough(least: string | undefined, item: Item | undefined): boolean {
	if (least === undefined || least === '') return true;
	const quantity = textOf(item, 'quantity');
	return !isDecimal(quantity) || compare(quantity, String(least).trim()) >= 0;
}

/** Refuses a filter that could never be applied, before anything is subscribed. */
export function assertFilters({ minQuantity }: EventFilters = {}): void {
	if (minQuantity === undefined || minQuantity === '') return;
	const read = readDecimal(minQuantity);
	if ('text' in read) return;
	throw new ExchangeError('invalid_input', {
		operation: 'Stream',
		field: 'minQuantity',
		what: `The minimum quantity ${read.reason}`,
	});
}

/** Whether filters may let something of an exact topic through: one that is about a single pair says so itself. */
export function topicFilter({ pairs = [] }: EventFilters = {}): (topic: string) => boolean {
	const keys = new Set(pairs.map(pairKey));
	if (keys.size === 0) return () => true;
	return (topic) => {
		const pair = pairKeyOf(topic);
		return pair === undefined || keys.has(pair);
	};
}
