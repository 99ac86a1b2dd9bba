/** All words of statuses, so that the editor can translate each of them. */
import { errorCodes, type ErrorCode } from '@partner-exchange/core';
import { limitFields } from '@partner-exchange/core/adapters';
import {
	addressLabels,
	listeners,
	operationIds,
	operationOf,
	options,
	orderStatuses,
	type Field,
} from '@partner-exchange/core/catalogue';

const own = [
	...(['working', 'sending', 'looking', 'waiting', 'outcome unknown', 'orders stopped'] as const),
	...(['connecting', 'connected', 'disconnected', 'catching up', 'key refused', 'closed', 'stopped'] as const),
	...([
		'starting',
		'watching',
		'below',
		'above',
		'waiting for the flow',
		'by message',
		'not stored',
		'checkpoint lost',
	] as const),
	...(['order resolved', 'accepted', 'refused', 'unknown'] as const),
	...(['done', 'done before', 'dry run', 'bought', 'sold', 'result', 'results', 'still open'] as const),
	...(['nothing to cancel', 'exact', 'close', 'different'] as const),
	...(['PRODUCTION', 'attempt', 'lookup', 'until', 'under way', 'filtered', 'gaps'] as const),
] as const;

type Spaced<Code extends string> = Code extends `${infer Head}_${infer Tail}` ? `${Head} ${Spaced<Tail>}` : Code;
type StatusWord = (typeof own)[number] | Spaced<ErrorCode>;

/** A status text: words and numbers separated by dots, as in `connected · 12 · 3 filtered`. */
export type StatusText =
	| StatusWord
	| `${StatusWord} · ${string}`
	| `${'bought' | 'sold'} ${string}`
	| '1 result'
	| `${number} results`
	| `${number} cancelled`
	| `${number} still open`;

/** Most characters that a status takes from an answer. */
const SHOWN_MAX = 20;
export const isShort = (text: string): boolean => /^[\w.]+$/.test(text) && text.length <= SHOWN_MAX;

/** An error code, or the status of a record, as status words. */
export const inWords = (code: string): StatusWord => code.replaceAll('_', ' ') as StatusWord;

/** A label of the catalogue in the case of Node-RED's own: only its first word begins with a capital letter. */
export function sentenceCase(label: string): string {
	return label.replace(/[ (][A-Z](?=[a-z])/g, (first) => first.toLowerCase());
}

type Labelled = Readonly<Record<string, Pick<Field, 'label'>>>;
/** Everything that a person fills in, by the name that errors give it. One name has one label. */
const forms: readonly Labelled[] = [
	...operationIds.map((id) => operationOf(id).input),
	...Object.values(listeners).flatMap((form) => [form.fields, form.filters, form.options]),
	options,
];
const ofTheAccount = [
	...([
		['account', 'Account'],
		['environment', 'Environment'],
		['apiKey', 'API key'],
	] as const),
	...([
		['testHosts', 'Test hosts'],
		['controlToken', 'Control token'],
		['names', 'Wire names'],
	] as const),
	...Object.entries(addressLabels),
	...Object.entries(limitFields).map(([name, { label }]) => [name, label] as const),
];
const labels = new Map<string, string>([
	...forms.flatMap((form) => Object.entries(form)).map(([name, { label }]) => [name, label] as const),
	...ofTheAccount.map(([name, label]) => [name, sentenceCase(label)] as const),
]);

/** The labels of all fields that a person fills in. */
export const fieldLabels: readonly string[] = [...labels.values()];

/** A field as the form calls it. Without a label it keeps its own name, which short ones may. */
export const fieldInWords = (name: string): string | undefined =>
	labels.get(name) ?? (isShort(name) ? name : undefined);

export const statusWords: readonly string[] = [
	...new Set<string>([
		...[...own, ...fieldLabels],
		...[...Object.keys(errorCodes), ...Object.keys(orderStatuses)].map(inWords),
	]),
];
