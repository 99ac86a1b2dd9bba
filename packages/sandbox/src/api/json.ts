import type { Fields } from '../engine/order-request';

/** Reads what comes from outside: bodies, stream messages and commands, all with the same limit of depth. */
const DEPTH_MAX = 8;

/** The object, or the reason why the text is not one. */
export function readJson(text: string): Fields | string {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return 'is not valid JSON';
	}
	if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be a JSON object';
	return isDeeper(value, DEPTH_MAX) ? 'is nested too deeply' : (value as Fields);
}

/** Goes no deeper than the limit, so that no nesting exhausts the stack. */
function isDeeper(value: unknown, left: number): boolean {
	if (value === null || typeof value !== 'object') return false;
	if (left === 0) return true;
	for (const inner of Object.values(value)) if (isDeeper(inner, left - 1)) return true;
	return false;
}
