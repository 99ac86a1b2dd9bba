/** The languages of the editor, by the names Node-RED has for them. */
import german from '../languages/de.json';
import french from '../languages/fr.json';
import { inEnglish, inLanguage, type Say, type Table } from './say';

/** What was translated, by its English text. */
export const tables = { de: german, fr: french } satisfies Readonly<Record<string, Table>>;

export const languages: Readonly<Record<string, Say>> = {
	'en-US': inEnglish,
	...Object.fromEntries(Object.entries(tables).map(([language, table]) => [language, inLanguage(table)])),
};
