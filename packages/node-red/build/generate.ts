/** Writes what the editor loads: forms, definitions, help and words, all from the catalogue. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { palette } from '../src/palette';
import { ACCOUNT_TYPE, EVENTS_TYPE, ALERTS_TYPE } from '../src/types';
import { accountDefinition, accountForm, accountHelp } from './account';
import { definitionOf } from './definitions';
import { formOf } from './forms';
import { helpOf } from './help';
import { script } from './html';
import { languages } from './languages';
import { listenerDefinitions, listenerForms, listenerHelp } from './listeners';
import { localeOf } from './locale';
import type { Say } from './say';
import { styles } from './styles';

const folder = join(__dirname, '..');

/** The html file beside the runtime: styles, forms, then the script with one literal `registerType` per type. */
export const editorHtml = (shared: string): string =>
	[
		`<style>\n${styles}\n</style>`,
		accountForm,
		...palette.map(formOf),
		...listenerForms,
		script('text/javascript', {}, shared.replaceAll('</script', '<\\/script')),
		script(
			'text/javascript',
			{},
			[accountDefinition, ...palette.map(definitionOf), ...listenerDefinitions, statuses].join('\n\n'),
		),
	].join('\n\n') + '\n';

const types = [ACCOUNT_TYPE, ...palette.map(({ type }) => type), EVENTS_TYPE, ALERTS_TYPE];
const statuses = `partnerExchange.sayStatuses(${JSON.stringify(types)});`;

export const helpHtml = (say: Say): string =>
	[accountHelp(say), ...palette.map((node) => helpOf(node, say)), ...listenerHelp(say)].join('\n\n') + '\n';

export async function generate(): Promise<void> {
	// A computed name keeps this file CommonJS while the bundler's own module is not.
	const bundler = (await import(join(__dirname, 'bundle.mjs'))) as { editorScript: () => Promise<string> };
	await mkdir(join(folder, 'dist'), { recursive: true });
	await writeFile(join(folder, 'dist/partner-exchange.html'), editorHtml(await bundler.editorScript()));
	for (const [language, say] of Object.entries(languages)) {
		const locale = join(folder, 'dist/locales', language);
		await mkdir(locale, { recursive: true });
		await writeFile(join(locale, 'partner-exchange.html'), helpHtml(say));
		await writeFile(join(locale, 'partner-exchange.json'), `${JSON.stringify(localeOf(palette, say), null, '\t')}\n`);
	}
	await cp(join(folder, 'icons'), join(folder, 'dist/icons'), { recursive: true });
}

if (require.main === module) {
	generate().catch((error: unknown) => {
		process.exitCode = 1;
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	});
}
