import { isItem, type Item } from './payload';

/** Names of fields with a reason, and of those that say what it is about. */
const reasonNames = [
	...['message', 'msg', 'error', 'error_description', 'error_message', 'detail', 'details'],
	...['reason', 'title', 'errors'],
];
const placeNames = ['field', 'param', 'property', 'loc'];

/**
 * What the body of an error or the reasons of a rejected order say. The interface does not show them, so every text under
 * a likely name counts: the first one often says no more than "invalid", and the reason is in a list beside it.
 * (Interface, part 7.)
 */
export function reasonIn(body: unknown): string | undefined {
	const reasons = reasonsIn(body).map((reason) => reason.trim().replace(/\.$/, ''));
	return [...new Set(reasons)].join('; ') || undefined;
}

function reasonsIn(body: unknown, place?: string): string[] {
	if (typeof body === 'string') return body.trim() === '' ? [] : [place === undefined ? body : `${place}: ${body}`];
	if (Array.isArray(body)) return body.flatMap((each) => reasonsIn(each, place));
	if (!isItem(body)) return [];
	const named = reasonNames.flatMap((name) => reasonsIn(body[name], placeIn(body) ?? place));
	if (named.length > 0) return named;
	if (body.data !== undefined) return reasonsIn(body.data);
	return Object.entries(body).flatMap(([name, value]) => reasonsIn(value, name));
}

/** The input that a reason is about, which may be the last of a path. */
function placeIn(body: Item): string | undefined {
	const places = placeNames.map((name) => [body[name]].flat().at(-1));
	return places.find((place) => typeof place === 'string');
}
