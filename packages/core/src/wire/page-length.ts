import type { OperationId } from '../catalogue';
import { isExchangeError } from '../errors';
import type { Item } from './payload';

/** Page sizes to try, largest first, when the service refuses a page as too large. (Interface, part 7.) */
const PAGE_LENGTHS = [100, 50, 20, 10] as const;

/**
 * The largest page the service allowed, for each list that refused a larger one; shared by all clients of an account.
 */
export type PageLengths = Map<OperationId, PageLength>;

interface PageLength {
	most: number;
	/**
	 * Whether the service answered a page of this size. If not, the search for the size was interrupted and continues
	 * here.
	 */
	isGiven: boolean;
}

export const createPageLengths = (): PageLengths => new Map();

/** Reads with the wanted number of rows, or else with as many as the service allows. */
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
			// When every size is refused, the size is not the reason, so the first refusal is thrown.
			refusal ??= error;
		}
	}
	if (known?.isGiven === false) lengths.delete(list);
	throw refusal;
}

/** Reads one page of a list. */
export type ReadPage<Context> = (list: OperationId, input: Item, context: Context) => Promise<Item[]>;

/** The same read with the page size the service allows, learned for each list. */
export function withPageLength<Context>(read: ReadPage<Context>): ReadPage<Context> {
	const lengths = createPageLengths();
	return (list, input, context) =>
		withinPageLength({ list, wanted: PAGE_LENGTHS[0], lengths }, (limit) => read(list, { ...input, limit }, context));
}
