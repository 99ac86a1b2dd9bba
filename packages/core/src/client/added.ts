import type { Operation } from '../catalogue';
import { isItem, itemsIn } from '../wire/payload';
import { withRemaining } from '../wire/remaining';
import { replaceItems } from './post-filter';

/** A read answer with the fields that the client computes of its orders. */
export function withAdded({ adds, list, run }: Operation, data: unknown): unknown {
	if (run.via !== 'rest' || !adds?.includes('remaining_quantity') || typeof data !== 'object') return data;
	if (list === undefined) {
		if (!isItem(data)) return data;
		return isItem(data.order) ? { ...data, order: withRemaining(data.order) } : withRemaining(data);
	}
	const rows = itemsIn(data, list.at);
	return replaceItems(data, rows, rows.map(withRemaining));
}
