import { options as described, type Operation, type OptionId, type Options } from '../catalogue';
import { ExchangeError } from '../errors';
import { acceptValue, isEmpty } from './value';

/**
 * Checks how a call is to be carried out. What is misspelt, does not belong to the operation or came out empty would guard
 * nothing, so each is refused by name. Only `undefined` counts as not given.
 */
export function acceptOptions(operation: Operation, given: Options = {}): Options {
	const accepted = Object.entries(given)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, acceptOption(operation, name, value)]);
	return Object.fromEntries(accepted) as Options;
}

function acceptOption(operation: Operation, name: string, given: unknown): unknown {
	const refuse = (what: string, advice?: string): never => {
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field: name.slice(0, 64),
			what,
			...(advice ? { advice: `${advice}; nothing was sent` } : {}),
		});
	};
	const offered = `The options are ${(operation.options ?? []).join(', ') || 'none'}`;
	if (!Object.hasOwn(described, name)) return refuse(`There is no option named ${name.slice(0, 64)}`, offered);
	const option = described[name as OptionId];
	if (!operation.options?.includes(name as OptionId))
		return refuse(`It has no option ${option.label}, so it would not do what the option says`, offered);
	if (isEmpty(given)) return refuse(`${option.label} is set and empty`, 'Give it a value, or take the option away');
	const verdict = acceptValue(option, given);
	if ('value' in verdict) return verdict.value;
	return refuse(
		`${option.label} ${verdict.reason}`,
		verdict.nearest === undefined ? undefined : `Enter ${verdict.nearest}`,
	);
}
