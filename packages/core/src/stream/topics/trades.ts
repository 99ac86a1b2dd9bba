import { operationOf } from '../../catalogue';
import { firstOf, type Item } from '../../wire/payload';
import { plainField, recordsIn, sequenceOf, timeOf, type TopicEvent } from './event';
import type { Topic } from './topic';

export const trades: Topic = {
	records: (payload) =>
		recordsIn(payload, ['trade', 'trades'], (item) => plainField(item, ['price', 'quantity']) !== undefined),
	identify,
	order: 'sequence',
	backfill: { from: 'sequence', list: 'market.trades' },
};

function identify(item: Item): TopicEvent | undefined {
	const identity = firstOf(item, operationOf('market.trades').list!.identity);
	if (identity === undefined) return undefined;
	const sequence = sequenceOf(item);
	const time = sequence === undefined ? timeOf(item) : undefined;
	return { key: `trade:${identity}`, data: item, item, sequence, time };
}
