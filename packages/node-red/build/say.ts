/** The words of a language. The sources say everything in English, once; another language is a table from that. Pure. */

import { operationIds, operationOf, type Field } from '@partner-exchange/core/catalogue';
import { fieldLabels, sentenceCase } from '../src/host/status-words';

/** Names in braces are filled in: `say('Only when {field} is set', { field })`. */
export type Say = (english: string, facts?: Readonly<Record<string, string>>) => string;

/** Translations by their English text, so that a text that changed has none any more. */
export type Table = Readonly<Record<string, string>>;

export const inEnglish: Say = (english, facts = {}) =>
	english
		.replace(named, (label) => formNames.get(label)!)
		.replace(/\{(\w+)\}/g, (braced, name: string) => facts[name] ?? braced);

/** What the table lacks is said in English: a form with an English label is better than one without. */
export const inLanguage =
	(table: Table): Say =>
	(english, facts) =>
		inEnglish(Object.hasOwn(table, english) ? table[english]! : english, facts);

/** What the forms call the fields, and the palette the operations, of which a sentence may speak. */
const formNames = new Map<string, string>([
	...operationIds.map((id) => [operationOf(id).label, sentenceCase(` ${operationOf(id).label}`).trim()] as const),
	...fieldLabels.map((label) => [label, sentenceCase(label)] as const),
]);

/** One word may mean something else in a sentence, and the longest name is the one that is meant. */
const named = new RegExp(
	`(?<=[a-z] )(?:${[...formNames.keys()]
		.filter((label) => /^[A-Z][\w ]* /.test(label))
		.sort((a, b) => b.length - a.length)
		.join('|')})\\b`,
	'g',
);

/**
 * A label of the catalogue in the case of Node-RED's own: only its first word begins with a capital letter, and of the
 * name of a node none. A translation has the case of its language.
 */
export const sayLabel = (say: Say, label: string): string => {
	const said = say(label);
	return said === label ? sentenceCase(label) : said;
};

export const sayName = (say: Say, label: string): string => {
	const said = sayLabel(say, label);
	return say(label) === label ? said.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()) : said;
};

/** What a form calls the values of a choice, by the value. A dot would start a section of the locale. */
export const sayNames = (say: Say, named: NonNullable<Field['named']>): WordTree =>
	Object.fromEntries(Object.entries(named).map(([value, { label }]) => [nameKey(value), sayName(say, label)]));

export const nameKey = (value: string): string => value.replace('.', '-') || 'none';

/** A page is said line by line: each line of the sources is a paragraph, a heading, or an entry of a list. A route is no text. */
export const sayLines = (say: Say, text: string): string =>
	text
		.split('\n')
		.map((line) => (line === '' || /^- `[^`]*`$/.test(line) ? line : say(line)))
		.join('\n');

/** Every text of a tree of words. */
export const sayAll = (say: Say, tree: WordTree): WordTree =>
	Object.fromEntries(
		Object.entries(tree).map(([key, words]) => [key, typeof words === 'string' ? say(words) : sayAll(say, words)]),
	);

export type WordTree = { readonly [key: string]: string | WordTree };
