import { parseUnits } from './amounts';
import { receivable, type Market } from './market';
import { invalid } from './refusal';
import type { Order, Side, TimeInForce } from './order';

/** A validated order request. Nothing is reserved or stored yet. */
export type OrderRequest = Pick<
	Order,
	'pairId' | 'type' | 'side' | 'quantity' | 'price' | 'timeInForce' | 'clientOrderId'
>;

export type Fields = Record<string, unknown>;

const KNOWN_FIELDS = [
	...['pair_id', 'order_type', 'side', 'quantity', 'price', 'time_in_force', 'client_order_id', 'order_id'],
] as const;

/** The body fields an order write uses; only these go into the journal. */
export const knownFields = (fields: Fields): Fields =>
	Object.fromEntries(KNOWN_FIELDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));

const CLIENT_ORDER_ID_CHARACTERS_MAX = 128;
const SAFE_TEXT = /^[\x20-\x7e]*$/;

export function parseOrder(market: Market, fields: Fields): OrderRequest {
	const type = oneOf(fields, 'order_type', ['limit', 'market']);
	const side = oneOf<Side>(fields, 'side', ['buy', 'sell']);
	const quantity = quantityOf(market, fields);
	const limit = type === 'limit';
	// Interface, part 4: a market order ignores price and time_in_force, and always behaves as IOC.
	const price = limit ? priceOf(market, fields) : null;
	const timeInForce = limit ? timeInForceOf(fields) : 'IOC';
	if (price !== null) requireNotional(market, price, quantity);
	return { pairId: market.pairId, type, side, quantity, price, timeInForce, clientOrderId: clientOrderIdOf(fields) };
}

const timeInForceOf = (fields: Fields): TimeInForce =>
	fields.time_in_force === undefined || fields.time_in_force === null
		? 'GTC'
		: oneOf(fields, 'time_in_force', ['GTC', 'IOC', 'FOK', 'POST_ONLY']);

export function clientOrderIdOf({ client_order_id: id }: Fields): string | null {
	if (id === undefined || id === null) return null;
	if (typeof id !== 'string' || id.length > CLIENT_ORDER_ID_CHARACTERS_MAX || !SAFE_TEXT.test(id)) {
		throw invalid(
			'invalid_client_order_id',
			`client_order_id must be a text of at most ${CLIENT_ORDER_ID_CHARACTERS_MAX} plain characters.`,
		);
	}
	return id;
}

export function quantityOf(market: Market, fields: Fields): bigint {
	const quantity = unitsOf(fields, 'quantity', market.quantityDecimals);
	if (quantity < market.quantityMin)
		throw invalid('quantity_too_small', 'quantity is below the minimum of this market.');
	if (quantity > market.quantityMax)
		throw invalid('quantity_too_large', 'quantity is above the maximum of this market.');
	return quantity;
}

export function priceOf(market: Market, fields: Fields): bigint {
	if (fields.price === undefined || fields.price === null)
		throw invalid('price_required', 'A limit order needs a price.');
	const price = unitsOf(fields, 'price', market.priceDecimals);
	if (price <= 0n) throw invalid('price_too_small', 'price must be above zero.');
	if (price > market.priceMax) throw invalid('price_too_large', 'price is above the maximum of this market.');
	return price;
}

export function requireNotional(market: Market, price: bigint, quantity: bigint): void {
	if (receivable(market, price * quantity) < market.notionalMin) {
		throw invalid(
			'order_too_small',
			'The value of the order (price times quantity) is below the minimum of this market.',
		);
	}
}

/** As sheets, people and the console page itself write large amounts. */
const IN_THOUSANDS = /^\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?$/;

/** The units of an amount; the refusal says what to write. */
export function unitsOf(fields: Fields, name: string, decimals: number): bigint {
	const value = fields[name];
	const units = typeof value === 'string' ? parseUnits(value, decimals) : 'malformed';
	if (units === 'malformed') {
		const meant = typeof value === 'string' && IN_THOUSANDS.test(value) ? value.replaceAll(/[, ]/g, '') : undefined;
		const write = meant ? `without separators: write ${meant}` : 'such as "100.00"';
		throw invalid(`invalid_${name}`, `${name} must be a text of digits with at most one point, ${write}.`);
	}
	if (units === 'too_precise') throw invalid(`${name}_too_precise`, `${name} may have at most ${decimals} decimals.`);
	return units;
}

export function oneOf<const Value extends string>(fields: Fields, name: string, values: readonly Value[]): Value {
	const value = fields[name];
	if (!values.includes(value as Value))
		throw invalid(`invalid_${name}`, `${name} must be one of ${values.join(', ')}.`);
	return value as Value;
}
