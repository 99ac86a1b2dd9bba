import { invalid, Refusal } from '../engine/refusal';
import type { Fields } from '../engine/order-request';
import type { AccountView, StateView } from '../engine/state';
import type { Action, Outcome } from '../engine/actions';
import type { WorldView } from '../engine/world';
import type { Answer } from './answer';
import type { Dialect } from './dialect';
import type { RoutedOperationId } from './path';

/** A parsed request, the input of a route handler. */
export interface Call {
	/** Read-only: state changes only through `apply`, which records them in the journal. */
	world: WorldView;
	state: StateView;
	dialect: Dialect;
	production: boolean;
	apply(action: Action): Outcome;
	/** Refuses an idempotency key that another request in progress holds. */
	requireFree(account: AccountView, key: string): void;
	/** The caller; undefined on public routes. */
	account: AccountView;
	params: Record<string, string>;
	query: URLSearchParams;
	headers: Readonly<Record<string, string | undefined>>;
	body: Fields;
}

export type Handler = (call: Call) => Answer;

/** One handler for each REST operation of these resources; the compiler reports a missing one. */
export type RoutesOf<Resource extends string> = Record<Extract<RoutedOperationId, `${Resource}.${string}`>, Handler>;

/** Parses a whole number of the query: the default when absent, lowered to the maximum, refused when malformed. */
export function countOf(
	query: URLSearchParams,
	name: string,
	{ standard, max, min = 1 }: { standard: number; max: number; min?: number },
): number {
	const text = query.get(name);
	if (text === null) return standard;
	const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
	if (value < min) throw invalid(`invalid_${name}`, `${name} must be a whole number from ${min}.`);
	return Math.min(value, max);
}

export const OFFSET_MAX = 1_000_000;

/** One page of a list that is newest first. */
export function page<Item>(
	items: readonly Item[],
	query: URLSearchParams,
	{ standard, max }: { standard: number; max: number },
): Item[] {
	const part = partOf(query, { standard, max });
	return items.slice(part.offset, part.offset + part.max);
}

/** The offset and length of the requested page. */
export const partOf = (query: URLSearchParams, { standard, max }: { standard: number; max: number }) => ({
	max: countOf(query, query.has('page_size') ? 'page_size' : 'limit', { standard, max }),
	offset: countOf(query, 'offset', { standard: 0, max: OFFSET_MAX, min: 0 }),
});

export function readBody(text: string | undefined, contentType: string | undefined): Fields {
	if (text === undefined || text === '') return {};
	if (!/^application\/json\b/i.test(contentType ?? '')) {
		throw new Refusal('unsupported_media_type', 'unsupported_media_type', 'The body must be sent as application/json.');
	}
	const value = readJson(text);
	if (typeof value === 'string') throw invalid('invalid_body', `The body ${value}.`);
	return value;
}

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
