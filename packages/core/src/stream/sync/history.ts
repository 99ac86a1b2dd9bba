import { operationOf, pairKey, type OperationId } from '../../catalogue';
import type { Client } from '../../client/client';
import { isExchangeError } from '../../errors';
import { identityOf, type Item } from '../../wire/payload';
import { PAGE_LENGTHS } from '../limits';
import { pairKeyOf } from '../topics';

export type HistoryReader = Pick<Client, 'call' | 'page'>;

export interface ReadOptions {
	signal?: AbortSignal;
}

/** What REST tells. (Interface, part 6: REST supplies the durable baseline.) */
export interface History {
	/** One page of a list, as long as the service allows. */
	page(list: OperationId, input: Item, options: ReadOptions): Promise<Item[]>;
	read(id: OperationId, input: Item, options: ReadOptions): Promise<unknown>;
	/** The pair a topic is about, as REST names it. */
	pairOf(topic: string, options: ReadOptions): Promise<string>;
}

export function createHistory(reader: HistoryReader): History {
	/** By list: which of the lengths the service accepts. */
	const lengths = new Map<OperationId, number>();
	const pairs = new Map<string, string>();
	let markets: Promise<string[]> | undefined;

	async function namesOfMarkets(options: ReadOptions): Promise<string[]> {
		const rows = await reader.page('market.list', {}, options);
		return rows.map((market) => identityOf(market, operationOf('market.list')));
	}

	/** The service may refuse to answer so many records in one call, so fewer are asked for. (Interface, part 7.) */
	async function page(list: OperationId, input: Item, options: ReadOptions): Promise<Item[]> {
		for (let index = lengths.get(list) ?? 0; ; index += 1) {
			const asked = { ...input, limit: PAGE_LENGTHS[index] };
			try {
				const rows = await reader.page(list, asked, options);
				lengths.set(list, index);
				return rows;
			} catch (error) {
				if (!isExchangeError(error, 'refused') || index + 1 >= PAGE_LENGTHS.length) throw error;
			}
		}
	}

	/**
	 * Topic names write every slash of a pair as an underscore, which cannot be undone where a pair has underscores itself,
	 * so the markets are asked, once; without an answer every underscore was a slash.
	 */
	async function pairOf(topic: string, options: ReadOptions): Promise<string> {
		const key = pairKeyOf(topic) ?? '';
		const known = pairs.get(key);
		if (known !== undefined) return known;
		const guess = key.replaceAll('_', '/');
		markets ??= namesOfMarkets(options);
		const names = await markets.catch(() => undefined);
		markets = names?.some((name) => pairKey(name) === key) ? markets : undefined;
		if (!names) return guess;
		const pair = names.find((name) => pairKey(name) === key) ?? guess;
		pairs.set(key, pair);
		return pair;
	}

	return {
		page,
		pairOf,
		read: (id, input, { signal }) => reader.call(id, input, { signal, isSentOnce: true }),
	};
}
