import type { Fields } from '../engine/order-request';

/** The nesting limit of all external input: request bodies, stream messages and commands. */
const DEPTH_MAX = 8;

/** The parsed object, or the reason why the text is invalid. */
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

/** Stops at the limit, so that deep nesting cannot exhaust the stack. */
function isDeeper(value: unknown, left: number): boolean {
	if (value === null || typeof value !== 'object') return false;
	if (left === 0) return true;
	for (const inner of Object.values(value)) if (isDeeper(inner, left - 1)) return true;
	return false;
}
