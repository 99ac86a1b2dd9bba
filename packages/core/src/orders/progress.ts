import { orderRank } from '../catalogue';
import { firstOf, textOf, type Item } from '../wire/payload';
import { compare, isDecimal } from '../decimal';

/**
 * Whether a reading of an order is behind what is known already: a copy of the service may lag, and an order never goes
 * back. Of a status never heard of nobody can say, so it counts as news.
 */
export function isBehind(seen: Item, known: Item | undefined): boolean {
	if (!known) return false;
	const [was, is] = [orderRank(textOf(known, 'status') ?? ''), orderRank(textOf(seen, 'status') ?? '')];
	if (was !== undefined && is !== undefined && is < was) return true;
	const [had, has] = [known.filled_quantity, seen.filled_quantity];
	return isDecimal(had) && isDecimal(has) && compare(has, had) < 0;
}

/** Where a rejection may carry its reason; the interface says that there is one, not where. */
const reasonNames = [
	'rejection_reason',
	'reject_reason',
	'rejected_reason',
	'reason',
	'status_reason',
	'error_message',
	'message',
	'error',
	'public_message',
];

/** The public message of a rejected order, which a person must see. (Interface, part 7.) */
export function rejectionOf(order: Item): string | undefined {
	if (textOf(order, 'status') !== 'rejected') return undefined;
	const nested = ['rejection', 'error', 'reason']
		.map((name) => order[name])
		.find((value) => typeof value === 'object' && value !== null);
	return (
		firstOf(order, reasonNames) ??
		(nested ? firstOf(nested as Item, reasonNames) : undefined) ??
		'The service gave no reason'
	);
}
