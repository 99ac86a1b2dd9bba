import type { Random } from '../support/random';
import type { Order } from './host';

/** The longest an order is waited for after it was placed. */
export const WAIT_S_MAX = 20;

/** What an order is to do: the same terms for every try of one intent. */
export function terms(chance: Random, number: number): Order['input'] {
	const side = chance.pick(['buy', 'sell']);
	const quantity = `${100 + number}.00`;
	const common = { pair_id: 'USD/NGN', side, quantity };
	if (chance.happens(0.1)) return { ...common, order_type: 'market' };
	return { ...common, order_type: 'limit', price: side === 'buy' ? '1400.00' : '1600.00' };
}

/** The author of the flow waits for the end of an order that rests, and wants an error when it is not over in time. */
export function drawWait(chance: Random, { order_type }: Order['input']): Order['options'] {
	if (order_type !== 'limit' || !chance.happens(0.3)) return undefined;
	return { wait: 'final', wait_seconds: 1 + chance.below(WAIT_S_MAX), fail_when: 'time_limit' };
}
