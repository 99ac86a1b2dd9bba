import type { OperationId } from '../catalogue';
import { isExchangeError } from '../errors';
import type { Item } from './payload';

/** Rows asked for at once; a service that refuses so many records in one call is asked for fewer. (Interface, part 7.) */
const PAGE_LENGTHS = [100, 50, 20, 10] as const;

/** How many rows the service gives at once, for each list that refused more: one for all clients of an account. */
export type PageLengths = Map<OperationId, PageLength>;

interface PageLength {
	most: number;
	/** Whether so many came; or else it is where a search goes on that was cut short. */
	isGiven: boolean;
}

export const createPageLengths = (): PageLengths => new Map();

/** Reads with as many rows as are wanted, or else with as many as the service allows. */
export async function withinPageLength<Answer>(
	{ list, wanted, lengths }: { list: OperationId; wanted: number; lengths: PageLengths },
	read: (limit: number) => Promise<Answer>,
): Promise<Answer> {
	const known = lengths.get(list);
	const most = Math.min(wanted, known?.most ?? wanted);
	let refusal: unknown;
	for (const limit of [most, ...PAGE_LENGTHS.filter((shorter) => shorter < most)]) {
		try {
			const answer = await read(limit);
			if (refusal !== undefined) lengths.set(list, { most: limit, isGiven: true });
			return answer;
		} catch (error) {
			const isRefused = isExchangeError(error, 'refused');
			if (!isRefused && refusal !== undefined) lengths.set(list, { most: limit, isGiven: false });
			if (!isRefused) throw error;
			// What is refused at any length is refused for another reason, which the first refusal tells as well.
			refusal ??= error;
		}
	}
	if (known?.isGiven === false) lengths.delete(list);
	throw refusal;
}

/** Reads one page of a list. */
export type ReadPage<Context> = (list: OperationId, input: Item, context: Context) => Promise<Item[]>;

/** The same, as long as the service allows, which is learned for each list. */
export function withPageLength<Context>(read: ReadPage<Context>): ReadPage<Context> {
	const lengths = createPageLengths();
	return (list, input, context) =>
		withinPageLength({ list, wanted: PAGE_LENGTHS[0], lengths }, (limit) => read(list, { ...input, limit }, context));
}
