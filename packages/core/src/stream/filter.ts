import { orderStatuses, pairKey, statusMeant } from '../catalogue';
import { compare, isDecimal, readDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { assertGiven, readElsewhere, texts } from '../given';
import { printable } from '../printable';
import { textOf, type Item } from '../wire/payload';
import type { EventFilters } from './contract';
import { pairKeyOf } from './topics';
import type { TopicEvent } from './topics/event';

/** Whether an event of a topic is for a consumer. */
export type Passes = (event: TopicEvent, topic: string) => boolean;

/** A filter on a field that the event does not carry lets it pass: better one event too many than one too few. */
export function eventFilter({ statuses, sides, pairs, minQuantity }: EventFilters = {}): Passes {
	const filters = [
		...among(statuses, statusMeant, ({ order }) => order?.status),
		...among(sides, plain, ({ item }) => textOf(item, 'side')),
		...among(pairs, keyOf, pairOf),
		...(minQuantity ? [({ item }: TopicEvent) => isEnough(minQuantity, item)] : []),
	];
	return (event, topic) => {
		for (const passes of filters) if (!passes(event, topic)) return false;
		return true;
	};
}

/** A topic about one pair has it in its name. */
const pairOf = ({ item }: TopicEvent, topic: string): string | undefined => pairKeyOf(topic) ?? textOf(item, 'pair_id');

const plain = (word: string): string => word.trim().toLowerCase();
const keyOf = (pair: string): string => plain(pairKey(pair));

/** A filter without values lets everything pass, so it is left out. Another spelling is no other value. */
function among(
	allowed: readonly string[] = [],
	spelt: (value: string) => string,
	valueOf: (event: TopicEvent, topic: string) => string | undefined,
): Passes[] {
	const values = new Set(allowed.map(spelt));
	// A cell that nobody filled in chooses nothing.
	values.delete('');
	if (values.size === 0) return [];
	return [
		(event, topic) => {
			const value = valueOf(event, topic);
			return value === undefined || values.has(spelt(value));
		},
	];
}

function isEnough(least: string, item: Item | undefined): boolean {
	const quantity = textOf(item, 'quantity');
	return !isDecimal(quantity) || compare(quantity, String(least).trim()) >= 0;
}

const parts = { statuses: texts, sides: texts, pairs: texts, minQuantity: readElsewhere };

const words = { statuses: Object.keys(orderStatuses), sides: ['buy', 'sell'] };

/**
 * Refuses a filter that could never be applied, before anything is subscribed, and a value that no event has, because
 * nothing would ever pass, and nobody would know why. Forms list the values, and take others of a later service.
 */
export function assertFilters(filters: EventFilters = {}, isForm = false): void {
	assertGiven(filters, parts, { of: 'A filter', operation: 'Stream' });
	for (const name of ['statuses', 'sides'] as const) {
		const unknown = filters[name]?.find((value) => !words[name].includes(plain(value)));
		if (unknown === undefined || isForm) continue;
		throw new ExchangeError('invalid_input', {
			operation: 'Stream',
			field: name,
			what: `No event has ${printable(unknown.slice(0, 64))} among its ${name}, so nothing would pass`,
			advice: `Choose of ${words[name].join(', ')}; nothing was sent`,
		});
	}
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
