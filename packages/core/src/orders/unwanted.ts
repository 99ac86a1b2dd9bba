import { options } from '../catalogue';
import { isDecimal, isZero } from '../decimal';
import { ExchangeError, type ErrorCode } from '../errors';
import { orderIdOf, textOf, type Item } from '../wire/payload';
import type { Plan } from './plan';

/** An end of an order that a caller may want told as an error, so that no flow takes it for a success. */
interface Unwanted {
	option: 'fail_rejected' | 'fail_unfilled' | 'fail_time_limit';
	code: ErrorCode;
	is: (item: Item) => boolean;
	what: (item: Item) => string;
	advice: string;
}

const ends: readonly Unwanted[] = [
	{
		option: 'fail_rejected',
		code: 'rejected',
		is: ({ status }) => status === 'rejected',
		what: ({ rejection }) => `The service took the order and then rejected it${reason(rejection)}`,
		advice: 'Correct what the reason names and place it as a new order; this one is over',
	},
	{
		option: 'fail_unfilled',
		code: 'unfilled',
		is: (item) => item.status === 'cancelled' && isUnfilled(item),
		what: () => 'The order was cancelled before anything of it was filled',
		advice: 'Place it anew with another price or time in force if it is still wanted; this one is over',
	},
	{
		option: 'fail_time_limit',
		code: 'time_limit',
		is: ({ wait }) => (wait as { ended?: unknown } | undefined)?.ended === 'time_limit',
		what: ({ status }) => `The order stood at ${String(status)} when the time to wait was over`,
		advice: 'It is still under way: read or cancel it by its order ID, and do not place it again',
	},
];

const reason = (rejection: unknown): string => (typeof rejection === 'string' ? `: ${rejection}` : '');

/** A quantity that is not shown is not a quantity of nothing. */
export const isUnfilled = ({ filled_quantity: filled }: Item): boolean => isDecimal(filled) && isZero(filled);

/** The error an order ends in, where its end is one the caller calls so. It carries what a flow needs to go on. */
export function unwantedEnd(item: Item, { operation, context }: Plan): ExchangeError | undefined {
	const end = ends.find(
		({ option, is }) =>
			operation.options?.includes(option) &&
			(context.options?.[option] ?? options[option].default) === true &&
			is(item),
	);
	if (!end) return undefined;
	return new ExchangeError(end.code, {
		operation: operation.label,
		what: end.what(item),
		advice: end.advice,
		details: factsOf(item),
	});
}

const told = [
	'client_order_id',
	'idempotency_key',
	'business_key',
	'pair_id',
	'side',
	'order_type',
	'quantity',
	'price',
	'filled_quantity',
	'status',
	'rejection',
] as const;

function factsOf(item: Item): Record<string, string> {
	const facts: Record<string, string> = {};
	const orderId = orderIdOf(item);
	if (orderId !== undefined) facts.order_id = orderId;
	for (const name of told) {
		const value = textOf(item, name);
		if (value !== undefined) facts[name] = value;
	}
	return facts;
}
