import { ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { isEmpty, readBoolean } from '@partner-exchange/core/adapters';

/**
 * Parses a switch of a form: true or false. Any other value is refused, because a guess could do the opposite of what
 * the user wants.
 */
export function switchOf(field: string, label: string, given: unknown, code: ErrorCode = 'invalid_input'): boolean {
	const verdict = readBoolean(given);
	if ('value' in verdict) return verdict.value;
	throw new ExchangeError(code, {
		field,
		what: isEmpty(given) ? `${label} is set and empty` : `${label} ${verdict.reason}`,
		advice: `Give it ${verdict.nearest ?? 'true or false'}; nothing was sent`,
	});
}

/** Parses a count of a form: digits or a whole number, without JavaScript's coercions. */
export function countOf(field: string, label: string, given: unknown, max = Number.MAX_SAFE_INTEGER): number {
	const text = typeof given === 'number' || typeof given === 'string' ? String(given).trim() : '';
	if (/^[1-9]\d{0,14}$/.test(text) && Number(text) <= max) return Number(text);
	const range = max === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${max}`;
	throw new ExchangeError('invalid_input', { field, what: `${label} must be a whole number ${range}` });
}
