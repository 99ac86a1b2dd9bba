import { invalid } from '../engine/refusal';

/**
 * Formats the interface does not show. The first of each list is the default; the others let clients test that they
 * cope.
 */
export const dialects = {
	errors: { about: 'Body of a REST error', values: ['nested', 'message', 'list', 'text', 'empty'] },
	created: { about: 'HTTP status of a creation', values: ['201', '200', '202'] },
	deleted: { about: 'Answer to a deletion', values: ['record', 'empty', 'null'] },
	validation: { about: 'HTTP status of an invalid request', values: ['400', '422'] },
	unknown: { about: 'HTTP status of an unknown order, recipient or transaction', values: ['404', '400'] },
	order: { about: 'Shape of an order read alone', values: ['bare', 'wrapped', 'order_id'] },
	lists: { about: 'Shape of lists the interface does not show', values: ['wrapped', 'bare'] },
	count: { about: 'What count of the order list counts', values: ['total', 'page'] },
	precision: { about: 'How a market tells its precision', values: ['both', 'decimals', 'tick', 'absent'] },
	order_event: { about: 'Payload of user.orders', values: ['bare', 'wrapped', 'list'] },
	stream_error: { about: 'Field of a stream error that names it', values: ['code', 'reason', 'error', 'type'] },
	resume: { about: 'Whether the confirmation says what was resumed', values: ['told', 'silent'] },
	retry_after: { about: 'Whether a 429 says when to come back', values: ['told', 'silent'] },
} as const;

type DialectName = keyof typeof dialects;
export type Dialect = { [Name in DialectName]: (typeof dialects)[Name]['values'][number] };

export const dialectDefault = Object.fromEntries(
	Object.entries(dialects).map(([name, { values }]) => [name, values[0]]),
) as Dialect;

/** Reads choices such as `errors=list`. */
export function chooseDialect(choices: Readonly<Record<string, string>>): Dialect {
	for (const [name, value] of Object.entries(choices)) {
		const values: readonly string[] | undefined = Object.hasOwn(dialects, name)
			? dialects[name as DialectName].values
			: undefined;
		if (!values)
			throw invalid('unknown_dialect', `There is no dialect ${name}. Known are ${Object.keys(dialects).join(', ')}.`);
		if (!values.includes(value)) throw invalid('unknown_dialect', `${name} can be ${values.join(', ')}, not ${value}.`);
	}
	return { ...dialectDefault, ...choices };
}
