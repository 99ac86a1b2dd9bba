import type { Options } from '@partner-exchange/core/catalogue';
import type { Random } from '../support/random';
import type { Order } from './host';

const GUARDED = 0.3;
const FORBIDDING = 0.35;

type Terms = Readonly<{ [name: string]: unknown }>;

/** The options set by the author of a flow, which sometimes forbid the requested order. */
export function drawGuards(chance: Random, terms: Terms): Pick<Order, 'options' | 'isForbidden'> {
	if (!chance.happens(GUARDED)) return {};
	const isForbidden = chance.happens(FORBIDDING);
	const guard = chance.pick(guards)(terms, isForbidden);
	return { options: { ...guard, check_market: chance.happens(0.5) }, isForbidden };
}

/** Each option in a form that allows the request, or forbids it. */
const quantity = (_: Terms, forbids: boolean): Options => ({ max_quantity: forbids ? '50.00' : '5000.00' });
const guards: readonly (typeof quantity)[] = [
	quantity,
	(_, forbids) => ({ allowed_pairs: forbids ? 'EUR/NGN' : 'EUR/NGN, USD/NGN' }),
	({ side }, forbids) => ({ allowed_sides: (side === 'buy') === forbids ? 'sell' : 'buy' }),
	// A market order has no price to compute a value from.
	(terms, forbids) =>
		terms.price === undefined ? quantity(terms, forbids) : { max_notional: forbids ? '5000' : '90000000' },
];

/** The same options without any limit. */
export const withoutGuards = ({
	max_quantity,
	max_notional,
	allowed_pairs,
	allowed_sides,
	...rest
}: Options): Options => rest;
