import { operationOf, pairKey, type OperationId } from '../../catalogue';
import type { UntypedClient } from '../../client/contract';
import { withPageLength } from '../../wire/page-length';
import { identityOf, type Item } from '../../wire/payload';
import { pairKeyOf } from '../topics';

export type HistoryReader = Pick<UntypedClient, 'call' | 'page'>;

export interface ReadOptions {
	signal: AbortSignal;
}

/** Reads the history of topics over REST, which supplies the durable baseline. (Interface, part 6.) */
export interface History {
	/** One page of a list, as long as the service allows. */
	page(list: OperationId, input: Item, options: ReadOptions): Promise<Item[]>;
	read(id: OperationId, input: Item, options: ReadOptions): Promise<unknown>;
	/** The pair of a topic, as REST names it. */
	pairOf(topic: string, options: ReadOptions): Promise<string>;
}

export function createHistory(reader: HistoryReader): History {
	const pairs = new Map<string, string>();

	/**
	 * Topic names write every slash of a pair as an underscore. Pairs may contain further underscores: then the list of
	 * markets decides and is read once. If that read fails, every underscore is taken for a slash.
	 */
	async function pairOf(topic: string, options: ReadOptions): Promise<string> {
		const key = pairKeyOf(topic) ?? '';
		const guess = key.replaceAll('_', '/');
		if (guess.split('/').length <= 2 || pairs.has(key)) return pairs.get(key) ?? guess;
		const markets = await reader.page('market.list', {}, options).catch(() => undefined);
		const names = markets?.map((market) => identityOf(market, operationOf('market.list')));
		if (names) pairs.set(key, names.find((name) => pairKey(name) === key) ?? guess);
		return pairs.get(key) ?? guess;
	}

	return {
		page: withPageLength(reader.page),
		pairOf,
		read: (id, input, { signal }) => reader.call(id, input, { signal, retries: 0 }),
	};
}
