import { isDecimal, isZero, subtract } from '../decimal';
import type { Item } from './payload';

/**
 * An order with what remains of it. An order that is placed again for its whole quantity, after a part of it was
 * filled, trades too much. A service that says itself what remains is believed; an order that does not show what was
 * filled says nothing. (Interface, part 1.)
 */
export function withRemaining(order: Item): Item {
	const { quantity, filled_quantity: filled, remaining_quantity: shown } = order;
	if (isDecimal(shown) || !isDecimal(quantity) || !isDecimal(filled)) return order;
	// Most updates are of orders that rest unfilled, and need no arithmetic.
	if (isZero(filled)) return { ...order, remaining_quantity: quantity };
	const rest = subtract(quantity, filled);
	return { ...order, remaining_quantity: rest.startsWith('-') ? '0' : rest };
}
