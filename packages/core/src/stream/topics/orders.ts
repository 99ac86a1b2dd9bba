import { orderRank, statusMeant } from '../../catalogue';
import { compare } from '../../decimal';
import { withBusinessKey } from '../../wire/intent-key';
import { filledText, instantOf, isItem, orderIdOf, shortText, textOf, type Item } from '../../wire/payload';
import { withRemaining } from '../../wire/remaining';
import { idIn, isFinal, plainDecimal, recordsIn, timeOf, type OrderFacts, type TopicEvent } from './event';
import type { EventsTopic } from './topic';

/** The rank assumed for an order of unknown status. */
const ACCEPTED_RANK = orderRank('accepted')!;

export const orders: EventsTopic = {
	records: (payload) => recordsIn(payload, wrappers, isOrder),
	identify,
	keeps: 'events',
	list: 'order.list',
	isFollowed: true,
};

const wrappers = ['order', 'orders'];

const isOrder = ({ status }: Item): boolean => shortText(status) !== undefined;

function identify(item: Item): TopicEvent | undefined {
	const written = orderIdOf(item);
	const status = shortText(item.status);
	if (written === undefined || status === undefined) return undefined;
	const filled = plainDecimal(filledText(item.filled_quantity));
	const replacedBy = isItem(item.replace) ? textOf(item.replace, 'replaced_by_order_id') : undefined;
	const price = plainDecimal(filledText(item.price));
	const quantity = plainDecimal(filledText(item.quantity));
	const terms = quantity === undefined ? undefined : `${price ?? ''}x${quantity}`;
	const order = {
		...namesOf(written),
		// Another spelling is no other state.
		status: statusMeant(status),
		filled,
		replacedBy,
		terms,
		updatedAt: instantOf(item.updated_at),
	};
	return { key: orderKey(order), data: withBusinessKey(withRemaining(item)), item, order, time: timeOf(item) };
}

/** What tells an order from others, and how its service writes that. */
export function namesOf(written: string): Pick<OrderFacts, 'id' | 'written'> {
	const id = idIn(written);
	return { id, written: id === written ? undefined : written };
}

/** The key of an event that reports this state of an order. To say nothing of what is filled is to say that nothing is. */
const orderKey = ({ id, status, filled = '0', replacedBy }: OrderFacts): string =>
	`order:${id}:${status}:${filled}${replacedBy ? `:${replacedBy}` : ''}`;

/**
 * Whether an update reports a new state of an order. Updates overtake each other and are repeated, so a lower status or
 * a smaller filled quantity marks an older update; a final status may only gain a filled quantity or a replacement.
 */
export function isNews(update: OrderFacts, previous: OrderFacts | undefined): boolean {
	if (!previous) return true;
	// An order that ended without a word about it is not told again once a list says how much was filled.
	const { filled = isFinal(previous.status) ? update.filled : '0' } = previous;
	const more = update.filled === undefined || filled === undefined ? 0 : compare(update.filled, filled);
	// No status follows a final one, so it is the latest state even if it shows a smaller filled quantity than before.
	if (isFinal(update.status) && !isFinal(previous.status)) return true;
	if (more < 0) return false;
	if (update.status !== previous.status) {
		// An unknown status ranks equal to the status before it.
		const before = orderRank(previous.status) ?? ACCEPTED_RANK;
		return !isFinal(previous.status) && (orderRank(update.status) ?? before) >= before;
	}
	return more > 0 || isNewReplacement(update, previous);
}

const isNewReplacement = (update: OrderFacts, previous: OrderFacts): boolean =>
	update.replacedBy !== undefined && update.replacedBy !== previous.replacedBy;

/** Whether an update differs from the known state in any way. If the update is not merely older, it is a correction. */
export const differs = (update: OrderFacts, previous: OrderFacts): boolean =>
	update.status !== previous.status ||
	(update.filled !== undefined && previous.filled !== undefined && update.filled !== previous.filled) ||
	(update.terms !== undefined && previous.terms !== undefined && update.terms !== previous.terms) ||
	isNewReplacement(update, previous);

/** The state of an order after an update or a correction; fields that the update omits keep their known values. */
export const after = (update: OrderFacts, previous: OrderFacts | undefined, isCorrection: boolean): OrderFacts => ({
	id: update.id,
	written: update.written ?? previous?.written,
	status: update.status,
	filled: update.filled ?? previous?.filled,
	replacedBy: update.replacedBy ?? previous?.replacedBy,
	// Not filled from the state before, whose time says nothing about this change.
	updatedAt: update.updatedAt,
	terms: update.terms ?? previous?.terms,
	corrections: (previous?.corrections ?? 0) + (isCorrection ? 1 : 0),
});
