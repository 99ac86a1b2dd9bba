import type { AdditionId, Operation } from '../catalogue';
import { withBusinessKey } from '../wire/intent-key';
import { isItem, itemsIn, type Item } from '../wire/payload';
import { withRemaining } from '../wire/remaining';
import { replaceItems } from './post-filter';

const computed: Partial<Record<AdditionId, (record: Item) => Item>> = {
	remaining_quantity: withRemaining,
	business_key: withBusinessKey,
};

/** A read answer with the fields that the client computes of its records. */
export function withAdded({ adds = [], list, run }: Operation, data: unknown): unknown {
	const steps = adds.flatMap((id) => computed[id] ?? []);
	if (run.via !== 'rest' || steps.length === 0 || typeof data !== 'object') return data;
	const completed = (record: Item): Item => steps.reduce((item, step) => step(item), record);
	if (list === undefined) {
		if (!isItem(data)) return data;
		return isItem(data.order) ? { ...data, order: completed(data.order) } : completed(data);
	}
	const rows = itemsIn(data, list.at);
	return replaceItems(data, rows, rows.map(completed));
}
