/**
 * `npm run translations`: the texts of Node-RED's editor that a language lacks, and the translations of texts that are
 * gone. A change needs none of this, because a missing text is shown in English; a release does.
 */
import { helpHtml } from '../packages/node-red/build/generate';
import { tables } from '../packages/node-red/build/languages';
import { localeOf } from '../packages/node-red/build/locale';
import { inEnglish, type Say, type Table } from '../packages/node-red/build/say';
import { palette } from '../packages/node-red/src/palette';

/** Every text of the editor, as shown in forms and help pages. */
export function saidTexts(): string[] {
	const said = new Set<string>();
	const record: Say = (english, facts) => {
		said.add(english);
		return inEnglish(english, facts);
	};
	localeOf(palette, record);
	helpHtml(record);
	return [...said];
}

/** The changes a table needs, one line per text. */
export function findings(language: string, table: Table, said: readonly string[]): string[] {
	const file = `packages/node-red/languages/${language}.json`;
	const missing = said.filter((text) => !Object.hasOwn(table, text));
	const stale = Object.keys(table).filter((text) => !said.includes(text));
	return [
		...missing.map((text) => `${JSON.stringify(text)} has no translation: add it to ${file}`),
		...stale.map(
			(text) =>
				`${JSON.stringify(text)} is said no more: in ${file}, give its translation to the text it became, or remove it`,
		),
	];
}

/** What all languages lack. */
export function allFindings(): string[] {
	const said = saidTexts();
	return Object.entries(tables).flatMap(([language, table]) => findings(language, table, said));
}

if (require.main === module) {
	const found = allFindings();
	console.log(found.length === 0 ? 'Every language has every text.' : found.join('\n'));
	process.exitCode = found.length === 0 ? 0 : 1;
}
