/** The words of the editor, by key. Pure. */
import { environments } from '@partner-exchange/core/catalogue';
import type { PaletteNode } from '../src/palette';
import { statusWords } from '../src/host/status-words';
import { EVENTS_TYPE, PREFIX, ALERTS_TYPE } from '../src/types';
import { listenerWords } from './listeners';
import { sayAll, sayLabel, sayName, sayNames, type Say, type WordTree } from './say';
import { paletteTitles, titleOf, words } from './words';
import { accountWords, eventWords } from './words-own';

export const localeOf = (palette: readonly PaletteNode[], say: Say): WordTree => ({
	...sayAll(say, {
		common: words,
		account: accountWords,
		titles: titlesOf(palette),
		palette: paletteTitles,
	}),
	...Object.fromEntries(palette.map((node) => [node.name, wordsOf(node, say)])),
	events: { ...sayAll(say, eventWords), fields: listenerWords(say) },
	environments: Object.fromEntries(
		Object.entries(environments).map(([id, { label, help }]) => [id, { label: say(label), help: say(help) }]),
	),
	// A status is a word that flows may read, so the editor finds its translation by the word itself.
	...Object.fromEntries(statusWords.map((word) => [word, sayLabel(say, word)])),
});

const listening = [EVENTS_TYPE, ALERTS_TYPE].map((type) => type.slice(PREFIX.length));

const titlesOf = (palette: readonly PaletteNode[]): WordTree => {
	const names = [...palette.map(({ name }) => name), ...listening];
	return { account: 'exchange account', ...Object.fromEntries(names.map((name) => [name, titleOf(name)])) };
};

const wordsOf = ({ offers, rows }: PaletteNode, say: Say) => ({
	operations: Object.fromEntries(offers.map(({ verb, operation }) => [verb, sayName(say, operation.label)])),
	fields: Object.fromEntries(
		rows.map(({ name, field: { label, help, named } }) => [
			name,
			{ label: sayLabel(say, label), help: say(help), ...(named ? { values: sayNames(say, named) } : {}) },
		]),
	),
});
