import type { Operation, Options } from '../catalogue';
import type { Accepted } from '../wire/request';
import { compare, multiply, readDecimal } from '../decimal';
import { ExchangeError } from '../errors';

/** Refuses what the person who built the flow did not allow. A guard that cannot be checked refuses as well. */
export async function enforceRiskLimits(
	operation: Operation,
	asked: Accepted,
	options: Options,
	readSide: () => Promise<string | undefined>,
): Promise<void> {
	const refuse = (field: string, what: string): never => {
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field,
			what,
			advice: 'Change the order or the limit of this node; nothing was sent',
		});
	};
	limitQuantity(asked, options.max_quantity, refuse);
	limitValue(asked, options.max_notional, refuse);
	limitPairs(asked, options.allowed_pairs, refuse);
	const sides = options.allowed_sides ?? 'both';
	if (sides === 'both') return;
	const side = asked.side ?? (await readSide());
	if (side !== sides)
		refuse(
			'side',
			side === undefined
				? `Its side cannot be read, and only ${sides} is allowed`
				: `Side ${String(side)} is not allowed here, only ${sides}`,
		);
}

type Refuse = (field: string, what: string) => never;

function limitQuantity({ quantity }: Accepted, most: unknown, refuse: Refuse): void {
	const limit = limitOf('max_quantity', most, refuse);
	if (limit !== undefined && compare(String(quantity), limit) > 0)
		refuse('quantity', `Quantity ${String(quantity)} is above the maximum of ${limit}`);
}

function limitValue({ quantity, price }: Accepted, most: unknown, refuse: Refuse): void {
	const limit = limitOf('max_notional', most, refuse);
	if (limit === undefined) return;
	if (price === undefined)
		return refuse('price', `A market order has no price, so it cannot be held to the maximum value of ${limit}`);
	const value = multiply(String(quantity), String(price));
	if (compare(value, limit) > 0) refuse('quantity', `Its value of ${value} is above the maximum of ${limit}`);
}

function limitPairs({ pair_id }: Accepted, allowed: string | undefined, refuse: Refuse): void {
	const pairs = (allowed ?? '')
		.split(',')
		.map((pair) => pair.trim())
		.filter((pair) => pair !== '');
	if (pairs.length > 0 && !pairs.includes(String(pair_id)))
		refuse('pair_id', `Pair ${String(pair_id)} is not allowed here, only ${pairs.join(', ')}`);
}

function limitOf(field: string, given: unknown, refuse: Refuse): string | undefined {
	if (given === undefined || given === null || given === '') return undefined;
	const limit = readDecimal(given);
	return 'reason' in limit ? refuse(field, `The limit ${limit.reason}`) : limit.text;
}
