import { isWildcard, pairKey, splitTopic } from '../catalogue';
import { readDecimal } from '../decimal';
import { ExchangeError } from '../errors';
import { listedValue } from './listed';
import type { Client, UntypedClient } from './contract';

/** The topics and filters a subscriber asks for. */
interface Selection {
	topics: readonly string[];
	filters?: { pairs?: readonly string[]; minQuantity?: string };
}

const LABEL = 'Events';

/** Most time a subscription waits for the list of markets. */
export const SELECTION_MS_MAX = 5_000;

/**
 * Checks a subscription before it is made: with a mistyped pair or amount it would wait forever. Pairs become the
 * spelling the service lists; when that list cannot be read, they stay as written.
 */
export async function acceptSelection<S extends Selection>(
	client: Pick<UntypedClient, 'call'>,
	selection: S,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<S> {
	const { topics, filters = {} } = selection;
	const minQuantity = acceptMinQuantity(filters.minQuantity);
	const read = (id: Parameters<Client['call']>[0]) => client.call(id, {}, { signal });
	const listed = (field: string, value: string) =>
		listedValue({ operation: LABEL, field, picker: 'pair', value }, read);
	return {
		...selection,
		topics: await Promise.all(
			topics.map(async (topic) => {
				if (isWildcard(topic)) return topic;
				const [name, key] = splitTopic(topic);
				return key === undefined ? topic : `${name}.${pairKey(await listed('pairs', key.replaceAll('_', '/')))}`;
			}),
		),
		filters: {
			...filters,
			...(minQuantity === undefined ? {} : { minQuantity }),
			...(filters.pairs ? { pairs: await Promise.all(filters.pairs.map((pair) => listed('pair_id', pair))) } : {}),
		},
	};
}

function acceptMinQuantity(value: unknown): string | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const read = readDecimal(value);
	if ('text' in read) return read.text;
	throw new ExchangeError('invalid_input', {
		operation: LABEL,
		field: 'min_quantity',
		what: `Minimum Quantity ${read.reason}`,
		advice: `Enter ${read.nearest ?? 'a value such as 1000.00'}; nothing was subscribed`,
	});
}
