import { compare } from '../decimal';
import type { EventFilters } from './contract';
import type { Happening } from './happening';

/** A filter on something the happening does not tell lets it pass: better one event too many than one too few. */
export function passes(
	{ statuses, sides, pairs, minQuantity }: EventFilters,
	{ status, side, pair, quantity }: Happening,
): boolean {
	return (
		among(statuses, status) &&
		among(sides, side) &&
		among(pairs, pair) &&
		(minQuantity === undefined || minQuantity === '' || quantity === undefined || compare(quantity, minQuantity) >= 0)
	);
}

const among = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
	allowed === undefined || allowed.length === 0 || value === undefined || allowed.includes(value);
