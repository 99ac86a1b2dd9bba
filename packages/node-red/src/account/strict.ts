/**
 * Parses switches of the form strictly: only true or false, because a guess could do the opposite of what the user
 * wants.
 */
import { ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { isEmpty, readBoolean } from '@partner-exchange/core/adapters';

export function switchOf(given: unknown, field: string, code: ErrorCode = 'invalid_input'): boolean {
	const verdict = readBoolean(given);
	if ('value' in verdict) return verdict.value;
	throw new ExchangeError(code, {
		field,
		what: `The setting ${field} ${isEmpty(given) ? 'is empty' : verdict.reason}`,
		advice: `Give it ${verdict.nearest ?? 'true or false'}; nothing was sent`,
	});
}
