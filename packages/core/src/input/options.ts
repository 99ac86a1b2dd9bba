import { options as described, type Operation, type OptionId, type Options } from '../catalogue';
import { ExchangeError } from '../errors';
import { acceptValue, isMissing } from './input';

/** Checks how a call is to be carried out. A misspelt guard would guard nothing, so an unknown name is refused. */
export function acceptOptions(operation: Operation, given: Options = {}): Options {
	const accepted = Object.entries(given)
		.filter(([, value]) => !isMissing(value))
		.map(([name, value]) => [name, acceptOption(operation, name, value)]);
	return Object.fromEntries(accepted) as Options;
}

function acceptOption(operation: Operation, name: string, given: unknown): unknown {
	if (!Object.hasOwn(described, name)) {
		throw refused(
			operation,
			name.slice(0, 64),
			`There is no option named ${name.slice(0, 64)}`,
			`The options are ${(operation.options ?? []).join(', ') || 'none'}`,
		);
	}
	const option = described[name as OptionId];
	const verdict = acceptValue(option, given);
	if ('reason' in verdict) throw refused(operation, name, `${option.label} ${verdict.reason}`);
	return verdict.value;
}

const refused = (operation: Operation, field: string, what: string, advice?: string): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: operation.label,
		field,
		what,
		...(advice ? { advice: `${advice}; nothing was sent` } : {}),
	});
