import type { Field } from '../catalogue';
import { filledText, isItem } from '../wire/payload';

/** What a record shows beside its `id` that says what it is a record of, by the list its identifier is picked from. */
const signs = {
	order: ['order_type', 'time_in_force', 'filled_quantity', 'client_order_id'],
	openOrder: ['order_type', 'time_in_force', 'filled_quantity', 'client_order_id'],
	recipient: ['recipient_type'],
	transaction: ['rail', 'settlement_rail', 'previous_status'],
} as const;

/**
 * The identifier that a record of the service gives a field such as `order_id`. An answer to a create, or a fill, has
 * it under that name. A record of a list, or an event, has it under `id`, which counts only where the record shows that
 * it is of that kind: a row of somebody's table may have an `id`, too. A filter of a list is left empty on purpose.
 */
export function recordId(
	name: string,
	{ pick, optional }: Pick<Field, 'pick' | 'optional'>,
	record: unknown,
): string | undefined {
	if (!isItem(record) || optional || pick === undefined || !Object.hasOwn(signs, pick)) return undefined;
	const kind = pick as keyof typeof signs;
	const own =
		(kind === 'openOrder' || kind === 'order' ? filledText(record.new_order_id) : undefined) ??
		filledText(record[name]);
	if (own !== undefined) return own;
	if (kind === 'transaction' && isItem(record.transaction)) return filledText(record.transaction.id);
	return signs[kind].some((sign) => Object.hasOwn(record, sign)) ? filledText(record.id) : undefined;
}
