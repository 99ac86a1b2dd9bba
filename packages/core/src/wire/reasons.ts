import { isItem, type Item } from './payload';

/** Names of fields with a reason, and of those that say what it is about. */
const reasonNames = [
	...['message', 'msg', 'error', 'error_description', 'error_message', 'detail', 'details'],
	...['reason', 'title', 'errors'],
];
const fieldNames = ['field', 'param', 'property', 'loc'];

/**
 * What the body of an error or the reasons of a rejected order say. The interface does not show them, so every text under
 * a likely name counts: the first one often says no more than "invalid", and the reason is in a list beside it.
 * (Interface, part 7.)
 */
export function reasonIn(body: unknown): string | undefined {
	const reasons = reasonsIn(body).map((reason) => reason.trim().replace(/\.$/, ''));
	return [...new Set(reasons)].join('; ') || undefined;
}

function reasonsIn(body: unknown, field?: string): string[] {
	if (typeof body === 'string') return body.trim() === '' ? [] : [field === undefined ? body : `${field}: ${body}`];
	if (Array.isArray(body)) return body.flatMap((each) => reasonsIn(each, field));
	if (!isItem(body)) return [];
	const named = reasonNames.flatMap((name) => reasonsIn(body[name], fieldIn(body) ?? field));
	if (named.length > 0) return named;
	if (body.data !== undefined) return reasonsIn(body.data);
	return Object.entries(body).flatMap(([name, value]) => reasonsIn(value, name));
}

/** The input that a reason is about, which may be the last of a path. */
function fieldIn(body: Item): string | undefined {
	const fields = fieldNames.map((name) => [body[name]].flat().at(-1));
	return fields.find((field) => typeof field === 'string');
}
