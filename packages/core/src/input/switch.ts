import { ExchangeError, type ErrorCode } from '../errors';
import { isEmpty, readBoolean } from './value';

interface Switch {
	/** The name under which the setting is stored. */
	field: string;
	/** What a person reads beside it. */
	label: string;
	/** The code of the error, `invalid_input` by default. */
	code?: ErrorCode;
}

/**
 * Reads a switch of a form: true or false.
 * @throws ExchangeError for any other value, because a guess could do the opposite of what a person wants.
 */
export function readSwitch(value: unknown, { field, label, code = 'invalid_input' }: Switch): boolean {
	const verdict = readBoolean(value);
	if ('value' in verdict) return verdict.value;
	throw new ExchangeError(code, {
		field,
		what: `${label} ${isEmpty(value) ? 'is set and empty' : verdict.reason}`,
		advice: `Give it ${verdict.nearest ?? 'true or false'}; nothing was sent`,
	});
}
