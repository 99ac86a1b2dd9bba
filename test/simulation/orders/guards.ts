import type { Options } from '@partner-exchange/core/catalogue';
import type { Random } from '../support/random';
import type { Order } from './host';

const GUARDED = 0.3;
const FORBIDDING = 0.35;

type Terms = Readonly<{ [name: string]: unknown }>;

/** What the person who built the flow allows, which now and then is not what is asked for. */
export function drawGuards(chance: Random, terms: Terms): Pick<Order, 'options' | 'isForbidden'> {
	if (!chance.happens(GUARDED)) return {};
	const isForbidden = chance.happens(FORBIDDING);
	const guard = chance.pick(guards)(terms, isForbidden);
	return { options: { ...guard, check_market: chance.happens(0.5) }, isForbidden };
}

/** Each as it lets pass what is asked for, or does not. */
const quantity = (_: Terms, forbids: boolean): Options => ({ max_quantity: forbids ? '50.00' : '5000.00' });
const guards: readonly (typeof quantity)[] = [
	quantity,
	(_, forbids) => ({ allowed_pairs: forbids ? 'EUR/NGN' : 'EUR/NGN, USD/NGN' }),
	({ side }, forbids) => ({ allowed_sides: (side === 'buy') === forbids ? 'sell' : 'buy' }),
	// A market order has no price that a value could be made of.
	(terms, forbids) =>
		terms.price === undefined ? quantity(terms, forbids) : { max_notional: forbids ? '5000' : '90000000' },
];

/** The same options without any guard. */
export const withoutGuards = ({
	max_quantity,
	max_notional,
	allowed_pairs,
	allowed_sides,
	...rest
}: Options): Options => rest;
