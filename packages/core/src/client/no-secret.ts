import type { Operation } from '../catalogue';
import { ExchangeError } from '../errors';
import type { Hide } from '../spellings';

/**
 * Refuses a value that holds the key or the control token. It would be hidden in every answer, so that an order of this
 * name could not be told from others, and a journal would keep it.
 */
export function assertNoSecret(operation: Operation, given: Readonly<Record<string, unknown>>, hide: Hide): void {
	const all = JSON.stringify(given);
	if (hide(all) === all) return;
	for (const [field, value] of Object.entries(given)) {
		const text = JSON.stringify(value) ?? '';
		if (hide(text) === text) continue;
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field,
			what: `${operation.input[field]?.label ?? field} (${field}) holds the key or the control token of the account`,
			advice: 'Use another value: secrets are hidden wherever they appear; nothing was sent',
		});
	}
}
