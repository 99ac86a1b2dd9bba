/** All words of statuses, so that the editor can translate each of them. */
import { errorCodes, type ErrorCode } from '@partner-exchange/core';

const own = [
	...(['working', 'sending', 'looking', 'waiting', 'outcome unknown', 'orders stopped'] as const),
	...(['connecting', 'connected', 'disconnected', 'catching up', 'key refused', 'closed', 'stopped'] as const),
	...(['starting', 'watching', 'waiting for the flow', 'by message', 'not stored', 'position lost'] as const),
	...(['order settled', 'accepted', 'refused', 'unknown'] as const),
	...(['PRODUCTION', 'attempt', 'under way', 'filtered', 'gaps'] as const),
] as const;

type Spaced<Code extends string> = Code extends `${infer Head}_${infer Tail}` ? `${Head} ${Spaced<Tail>}` : Code;
type StatusWord = (typeof own)[number] | Spaced<ErrorCode>;

/** A status text: words and numbers separated by dots, as in `connected · 12 · 3 filtered`. */
export type StatusText = StatusWord | `${StatusWord} · ${string}`;

/** An error code as status words. */
export const inWords = (code: ErrorCode): StatusWord => code.replaceAll('_', ' ') as Spaced<ErrorCode>;

export const statusWords: readonly string[] = [
	...new Set<string>([...own, ...(Object.keys(errorCodes) as ErrorCode[]).map(inWords)]),
];
