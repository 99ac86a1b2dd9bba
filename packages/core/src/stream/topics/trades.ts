import { operationOf } from '../../catalogue';
import { isDecimal } from '../../decimal';
import { filledText, firstOf, type Item } from '../../wire/payload';
import { recordsIn, sequenceOf, timeOf, type TopicEvent } from './event';
import type { Topic } from './topic';

export const trades: Topic = {
	records: (payload) =>
		recordsIn(payload, ['trade', 'trades'], ({ price, quantity }) =>
			isDecimal(filledText(price) ?? filledText(quantity)),
		),
	identify,
	order: 'sequence',
	backfill: { from: 'sequence', list: 'market.trades' },
};

const identifiers = operationOf('market.trades').list!.identity;

function identify(item: Item): TopicEvent | undefined {
	const identity = firstOf(item, identifiers);
	if (identity === undefined) return undefined;
	const sequence = sequenceOf(item);
	const time = sequence === undefined ? timeOf(item) : undefined;
	return { key: `trade:${identity}`, data: item, item, sequence, time };
}
