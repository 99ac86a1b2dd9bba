/** All words of statuses, so that the editor can translate each of them. */
import { errorCodes, type ErrorCode } from '@partner-exchange/core';
import { orderStatuses } from '@partner-exchange/core/catalogue';

const own = [
	...(['working', 'sending', 'looking', 'waiting', 'outcome unknown', 'orders stopped'] as const),
	...(['connecting', 'connected', 'disconnected', 'catching up', 'key refused', 'closed', 'stopped'] as const),
	...(['starting', 'watching', 'waiting for the flow', 'by message', 'not stored', 'position lost'] as const),
	...(['order settled', 'accepted', 'refused', 'unknown'] as const),
	...(['done', 'dry run', 'bought', 'sold', 'results'] as const),
	...(['PRODUCTION', 'attempt', 'lookup', 'until', 'under way', 'filtered', 'gaps'] as const),
] as const;

type Spaced<Code extends string> = Code extends `${infer Head}_${infer Tail}` ? `${Head} ${Spaced<Tail>}` : Code;
type StatusWord = (typeof own)[number] | Spaced<ErrorCode>;

/** A status text: words and numbers separated by dots, as in `connected · 12 · 3 filtered`. */
export type StatusText =
	StatusWord | `${StatusWord} · ${string}` | `${'bought' | 'sold'} ${string}` | `${number} results`;

/** Most characters that a status takes from an answer. */
const SHOWN_MAX = 20;
export const isShort = (text: string): boolean => /^[\w.]+$/.test(text) && text.length <= SHOWN_MAX;

/** An error code, or the status of a record, as status words. */
export const inWords = (code: string): StatusWord => code.replaceAll('_', ' ') as StatusWord;

export const statusWords: readonly string[] = [
	...new Set<string>([...own, ...[...Object.keys(errorCodes), ...Object.keys(orderStatuses)].map(inWords)]),
];
