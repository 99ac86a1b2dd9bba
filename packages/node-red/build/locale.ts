/** The words of the editor, by key. Pure. */
import { topics } from '@partner-exchange/core/catalogue';
import type { PaletteNode } from '../src/palette';
import { words } from './words';
import { accountWords, eventWords } from './words-own';

export const localeOf = (palette: readonly PaletteNode[]): Record<string, unknown> => ({
	common: words,
	account: accountWords,
	events: eventWords,
	topics: Object.fromEntries(Object.entries(topics).map(([id, { label }]) => [topicKey(id), label])),
	...Object.fromEntries(palette.map((node) => [node.name, wordsOf(node)])),
});

/** A dot would start a section of the locale. */
export const topicKey = (id: string): string => id.replace('.', '-');

const wordsOf = ({ offers, rows }: PaletteNode) => ({
	operations: Object.fromEntries(offers.map(({ verb, operation }) => [verb, operation.label])),
	fields: Object.fromEntries(rows.map(({ name, field: { label, help } }) => [name, { label, help }])),
});
