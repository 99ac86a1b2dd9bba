import type { OperationId } from '../catalogue';
import { isExchangeError } from '../errors';
import type { Item } from './payload';

/** Page sizes to try, largest first, when the service refuses a page as too large. (Interface, part 7.) */
export const PAGE_LENGTHS = [100, 50, 20, 10] as const;

/**
 * The largest page the service allowed, for each list that refused a larger one; shared by all clients of an account.
 */
export type PageLengths = Map<OperationId, PageLength>;

interface PageLength {
	/** The largest page to ask for. */
	most: number;
	/** The largest page the service answered; a refusal of one that is no larger has another reason. */
	granted: number;
}

/** Reads with the wanted number of rows, or else with as many as the service allows. */
export async function withinPageLength<Answer>(
	{ list, wanted, lengths }: { list: OperationId; wanted: number; lengths: PageLengths },
	read: (limit: number) => Promise<Answer>,
): Promise<Answer> {
	const learned = (): PageLength => lengths.get(list) ?? { most: Number.POSITIVE_INFINITY, granted: 0 };
	const learn = (news: Partial<PageLength>): void => void lengths.set(list, { ...learned(), ...news });
	const { granted } = learned();
	const first = Math.min(wanted, learned().most);
	let refusal: unknown;
	for (const limit of [first, ...PAGE_LENGTHS.filter((shorter) => shorter < first)]) {
		try {
			const answer = await read(limit);
			learn(refusal === undefined ? { granted: Math.max(learned().granted, limit) } : { most: limit, granted: limit });
			return answer;
		} catch (error) {
			const isRefused = isExchangeError(error, 'refused');
			// The search for the length was interrupted and continues here the next time.
			if (!isRefused && refusal !== undefined) learn({ most: limit });
			if (!isRefused) throw error;
			refusal ??= error;
			if (limit <= granted) break;
		}
	}
	// When every length is refused, the length is not the reason, so the first refusal is thrown.
	if (granted === 0) lengths.delete(list);
	// The service may allow fewer rows than before, so the next refusal begins a search.
	else learn({ granted: 0 });
	throw refusal;
}

/** Reads one page of a list. */
export type ReadPage<Context, Rows = Item[]> = (
	list: OperationId,
	input: Readonly<Item>,
	context: Context,
) => Promise<Rows>;

/** A read with no more rows than the service allows. A read that asks for no number of rows stays as it is. */
export const fitting =
	<Context, Rows>(lengths: PageLengths, read: ReadPage<Context, Rows>): ReadPage<Context, Rows> =>
	(list, input, context) => {
		const wanted = Number(input.limit ?? Number.NaN);
		if (!Number.isSafeInteger(wanted)) return read(list, input, context);
		return withinPageLength({ list, wanted, lengths }, (limit) => read(list, { ...input, limit }, context));
	};

/** A read with the page size the service allows, learned for each list. */
export function withPageLength<Context>(read: ReadPage<Context>): ReadPage<Context> {
	const fitted = fitting(new Map(), read);
	return (list, input, context) => fitted(list, { ...input, limit: PAGE_LENGTHS[0] }, context);
}
