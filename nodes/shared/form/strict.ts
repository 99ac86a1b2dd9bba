import { ExchangeError } from '@partner-exchange/core';

/** Parses a count of a form: digits or a whole number, without JavaScript's coercions. */
export function countOf(field: string, label: string, given: unknown, max = Number.MAX_SAFE_INTEGER): number {
	const text = typeof given === 'number' || typeof given === 'string' ? String(given).trim() : '';
	if (/^[1-9]\d{0,14}$/.test(text) && Number(text) <= max) return Number(text);
	const range = max === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${max}`;
	throw new ExchangeError('invalid_input', { field, what: `${label} must be a whole number ${range}` });
}
