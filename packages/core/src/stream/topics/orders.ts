import { orderRank, orderStatuses } from '../../catalogue';
import { compare } from '../../decimal';
import { filledText, instantOf, isItem, orderIdOf, shortText, textOf, type Item } from '../../wire/payload';
import { isFinal, plainDecimal, recordsIn, timeOf, type OrderFacts, type TopicEvent } from './event';
import type { Topic } from './topic';

/** What an order of a status never heard of is taken to have reached. */
const ACCEPTED_RANK = orderRank('accepted')!;

const statuses = Object.keys(orderStatuses);

export const orders: Topic = {
	records: (payload) => recordsIn(payload, ['order', 'orders'], ({ status }) => shortText(status) !== undefined),
	identify,
	order: 'none',
	backfill: {
		from: 'list',
		list: 'order.list',
		follow: {
			read: 'order.get',
			input: 'order_id',
			open: statuses.filter((status) => orderStatuses[status as keyof typeof orderStatuses] === 'open'),
			ended: statuses.filter((status) => orderStatuses[status as keyof typeof orderStatuses] !== 'open'),
		},
	},
};

function identify(item: Item): TopicEvent | undefined {
	const id = orderIdOf(item);
	const status = shortText(item.status);
	if (id === undefined || status === undefined) return undefined;
	const filled = plainDecimal(filledText(item.filled_quantity));
	const replacedBy = isItem(item.replace) ? textOf(item.replace, 'replaced_by_order_id') : undefined;
	const price = plainDecimal(filledText(item.price));
	const quantity = plainDecimal(filledText(item.quantity));
	const terms = quantity === undefined ? undefined : `${price ?? ''}x${quantity}`;
	const order = { id, status, filled, replacedBy, terms, updatedAt: instantOf(item.updated_at) };
	return { key: orderKey(order), data: item, item, order, time: timeOf(item) };
}

/** What an event of this state of an order is known by. */
export function orderKey({ id, status, filled, replacedBy }: OrderFacts): string {
	const parts = ['order', id, status, filled ?? '-'];
	if (replacedBy) parts.push(replacedBy);
	// Joined, because it is remembered for long: added together, each part would be kept by itself.
	return parts.join(':');
}

/**
 * Whether an update tells something new of an order. Updates overtake each other and are repeated, so a lower status or a
 * smaller filled quantity is taken for an older update, and nothing follows a final status but more of the same.
 */
export function isNews(update: OrderFacts, known: OrderFacts | undefined): boolean {
	if (!known) return true;
	const more = update.filled === undefined || known.filled === undefined ? 0 : compare(update.filled, known.filled);
	// Nothing comes after an end, so the end is true even where less is filled than was told before.
	if (isFinal(update.status) && !isFinal(known.status)) return true;
	if (more < 0) return false;
	if (update.status !== known.status) {
		// A status never heard of ranks with the status before it.
		const before = orderRank(known.status) ?? ACCEPTED_RANK;
		return !isFinal(known.status) && (orderRank(update.status) ?? before) >= before;
	}
	return (
		more > 0 ||
		(update.filled !== undefined && known.filled === undefined && !isFinal(known.status)) ||
		isNewReplacement(update, known)
	);
}

const isNewReplacement = (update: OrderFacts, known: OrderFacts): boolean =>
	update.replacedBy !== undefined && update.replacedBy !== known.replacedBy;

/** Whether an update differs from what is known, in whatever direction: a correction, if it is not merely older. */
export const differs = (update: OrderFacts, known: OrderFacts): boolean =>
	update.status !== known.status ||
	(update.filled !== undefined && known.filled !== undefined && update.filled !== known.filled) ||
	(update.terms !== undefined && known.terms !== undefined && update.terms !== known.terms) ||
	isNewReplacement(update, known);

/** What is known after an update, which may take back what was told; fields it does not repeat stay known. */
export const after = (update: OrderFacts, known: OrderFacts | undefined, isCorrection: boolean): OrderFacts => ({
	id: update.id,
	status: update.status,
	filled: update.filled ?? known?.filled,
	replacedBy: update.replacedBy ?? known?.replacedBy,
	// The time of the state before says nothing of when this one began.
	updatedAt: update.updatedAt,
	terms: update.terms ?? known?.terms,
	corrections: (known?.corrections ?? 0) + (isCorrection ? 1 : 0),
});
