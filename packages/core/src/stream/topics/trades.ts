import { operationOf } from '../../catalogue';
import { isDecimal } from '../../decimal';
import type { Whole } from '../../whole';
import { filledText, firstOf, type Item } from '../../wire/payload';
import { digest, idIn, plainDecimal, recordsIn, sequenceOf, timeOf, type TopicEvent } from './event';
import type { SequenceTopic } from './topic';

export const trades: SequenceTopic = {
	records: (payload) => recordsIn(payload, wrappers, isTrade),
	identify,
	keeps: 'sequence',
	list: 'market.trades',
};

const wrappers = ['trade', 'trades'];

const isTrade = ({ price, quantity }: Item): boolean => isDecimal(filledText(price) ?? filledText(quantity));

const identifiers = operationOf('market.trades').list!.identifiedByFirstOf;

function identify(item: Item): TopicEvent | undefined {
	const identity = firstOf(item, identifiers);
	const sequence = sequenceOf(item);
	if (identity === undefined) return identifyByContent(item, sequence);
	const time = sequence === undefined ? timeOf(item) : undefined;
	return {
		key: `trade:${idIn(identity)}`,
		data: item,
		item,
		sequence,
		time,
		shape: 'id',
		contentOf,
	};
}

/** A trade without an identifier is known by its content. */
function identifyByContent(item: Item, sequence: Whole | undefined): TopicEvent | undefined {
	if (amountsOf(item).includes(undefined)) return undefined;
	const time = sequence === undefined ? timeOf(item) : undefined;
	const key = contentOf({ item, sequence });
	return { key, isAnonymous: true, data: item, item, sequence, time, shape: '' };
}

const contentOf = ({ item = {}, sequence }: Pick<TopicEvent, 'item' | 'sequence'>): string =>
	`trade:${digest([...amountsOf(item), filledText(item.side), timeOf(item), sequence === undefined ? undefined : String(sequence)])}`;

const amountsOf = ({ price, quantity }: Item): (string | undefined)[] => [
	plainDecimal(filledText(price)),
	plainDecimal(filledText(quantity)),
];
