import { operationOf, pairKey } from '../../catalogue';
import { identityOf } from '../../wire/payload';
import type { HistoryReader } from './history';

/**
 * Names the pair of a topic as REST does. Topic names write every slash of it as an underscore, which cannot be undone
 * where a pair has underscores itself, so the markets are asked, once; without an answer every underscore was a slash.
 */
export function pairOf(topic: string, reader: Pick<HistoryReader, 'items'>): (signal: AbortSignal) => Promise<string> {
	const key = topic.slice(topic.indexOf('.') + 1);
	const guess = key.replaceAll('_', '/');
	let pair: string | undefined;

	async function find(signal: AbortSignal): Promise<string> {
		for await (const market of reader.items('market.list', {}, { signal })) {
			const id = identityOf(market, operationOf('market.list'));
			if (pairKey(id) === key) return id;
		}
		return guess;
	}

	return async (signal) => {
		pair ??= await find(signal).catch(() => undefined);
		return pair ?? guess;
	};
}
