import type { OperationId } from '../catalogue';
import { isExchangeError } from '../errors';
import type { Item } from './payload';

/** Rows asked for at once; a service that refuses so many records in one call is asked for fewer. (Interface, part 7.) */
const PAGE_LENGTHS = [100, 50, 20, 10] as const;

/** Reads one page of a list. */
export type ReadPage<Context> = (list: OperationId, input: Item, context: Context) => Promise<Item[]>;

/** The same, as long as the service allows, which is learned for each list. */
export function withPageLength<Context>(read: ReadPage<Context>): ReadPage<Context> {
	const accepted = new Map<OperationId, number>();
	return async (list, input, context) => {
		for (let index = accepted.get(list) ?? 0; ; index += 1) {
			try {
				const rows = await read(list, { ...input, limit: PAGE_LENGTHS[index] }, context);
				accepted.set(list, index);
				return rows;
			} catch (error) {
				if (!isExchangeError(error, 'refused') || index + 1 >= PAGE_LENGTHS.length) throw error;
			}
		}
	};
}
