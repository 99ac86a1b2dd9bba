import { readDecimal } from '../../decimal';
import { ExchangeError } from '../../errors';
import { limitFields, NO_LIMIT, type LimitSettings } from './limit-fields';
import type { Period } from './placed';
import { ORDERS_MAX } from './turnover';

/** One limit that is set: the orders of a period, or what they are worth. */
export interface Window {
	name: keyof LimitSettings;
	period: Period;
	/** The period in words: "24 hours". */
	per: string;
	count?: number;
	value?: string;
}

export function windowsOf({ ordersPerMinute, ordersPerDay, valuePerMinute, valuePerDay }: LimitSettings): Window[] {
	const minute = { period: 'minute', per: 'minute' } as const;
	const day = { period: 'day', per: '24 hours' } as const;
	const all: Window[] = [
		{ ...minute, name: 'ordersPerMinute', count: countIn('ordersPerMinute', ordersPerMinute) },
		{ ...day, name: 'ordersPerDay', count: countIn('ordersPerDay', ordersPerDay) },
		{ ...minute, name: 'valuePerMinute', value: valueIn('valuePerMinute', valuePerMinute) },
		{ ...day, name: 'valuePerDay', value: valueIn('valuePerDay', valuePerDay) },
	];
	return all.filter(({ count, value }) => count !== undefined || value !== undefined);
}

function countIn(field: keyof LimitSettings, value: unknown): number | undefined {
	if (value === undefined) return undefined;
	const count = typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value;
	if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= ORDERS_MAX) return count as number;
	throw invalid(field, `must be a whole number from 0 to ${ORDERS_MAX}`);
}

function valueIn(field: keyof LimitSettings, text: unknown): string | undefined {
	if (text === undefined) return undefined;
	const value = readDecimal(text);
	if ('text' in value) return value.text;
	throw invalid(field, value.reason);
}

/** A limit that cannot be parsed would limit nothing, so it is refused. */
const invalid = (field: keyof LimitSettings, reason: string): ExchangeError =>
	new ExchangeError('invalid_account', {
		field,
		what: `${limitFields[field].label} ${reason}`,
		advice: `Give it such a number, or ${NO_LIMIT} where nothing is to be limited; nothing was sent`,
	});
