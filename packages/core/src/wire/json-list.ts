import { mayLoseDigits, parseExactly } from './json';
import { isItem } from './payload';

/**
 * Parses several JSON texts, each as `parseExactly` does; the value of a text it would refuse is undefined. Flat records
 * are parsed as one list, which takes less time than one by one.
 */
export function parseEach(texts: readonly string[], depthMax?: number): unknown[] {
	const records = texts.filter(isFlatRecord);
	const list = parseRecords(records);
	if (list && records.length === texts.length) return list;
	let next = 0;
	return texts.map((text) => (list && isFlatRecord(text) ? list[next++] : parseAlone(text, depthMax)));
}

/** Whether a text begins a record, and no other brace or bracket opens anything, not even inside a string. */
const isFlatRecord = (text: string): boolean => text.startsWith('{') && text.indexOf('{', 1) < 0 && !text.includes('[');

/**
 * The values of flat records; undefined unless all are valid and keep their digits.
 *
 * A list of as many records as there are texts proves that each text is valid by itself: the first brace of every text,
 * which is its only one, then opens one of the records, so between two of them there is nothing but the comma.
 */
function parseRecords(texts: readonly string[]): unknown[] | undefined {
	if (texts.length < 2) return undefined;
	const joined = texts.join(',');
	if (mayLoseDigits(joined)) return undefined;
	try {
		const list = JSON.parse(`[${joined}]`) as unknown[];
		return list.length === texts.length && list.every(isItem) ? list : undefined;
	} catch {
		return undefined;
	}
}

function parseAlone(text: string, depthMax?: number): unknown {
	try {
		return parseExactly(text, undefined, depthMax);
	} catch {
		return undefined;
	}
}
