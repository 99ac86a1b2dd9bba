/**
 * `npm run release -- 0.2.0`: sets one version in all packages, in their dependencies on each other and in the
 * changelog.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './hosts/npm';
import { allFindings } from './translations';

const root = join(__dirname, '..');
const PACKAGES = ['.', 'packages/core', 'packages/sandbox', 'packages/node-red'];
const OWN = /("@partner-exchange\/[a-z-]+": )"[^"]+"/g;

/** A manifest with the version and the dependencies on our other packages updated; all other text stays unchanged. */
export function manifestAt(version: string, text: string): string {
	return text.replace(/^(\t"version": )"[^"]+"/m, `$1"${version}"`).replace(OWN, `$1"${version}"`);
}

/** Turns the section of unreleased changes into that of the version, and adds a new empty one above. */
export function changelogAt(version: string, day: string, text: string): string {
	const [, entries] = /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[|(?![\s\S]))/m.exec(text) ?? [];
	if (entries === undefined) throw new Error('CHANGELOG.md has no section "## [Unreleased]".');
	if (entries.trim() === '') throw new Error('CHANGELOG.md says nothing below "## [Unreleased]": what is released?');
	if (text.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has a section for ${version} already.`);
	return text.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`);
}

function release([version = '']: string[]): void {
	if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version))
		throw new Error(`\`npm run release --\` takes a version such as 0.2.0, not "${version}".`);
	const untranslated = allFindings();
	if (untranslated.length > 0)
		throw new Error(`${untranslated.length} texts of Node-RED's editor are not translated: npm run translations`);
	const rewrite = (file: string, change: (text: string) => string): void =>
		writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')));
	rewrite('CHANGELOG.md', (text) => changelogAt(version, new Date().toISOString().slice(0, 10), text));
	for (const folder of PACKAGES) rewrite(join(folder, 'package.json'), (text) => manifestAt(version, text));
	rewrite('packages/core/src/node/user-agent.ts', (text) =>
		text.replace(/^(const VERSION = )'[^']+'/m, `$1'${version}'`),
	);
	for (const args of [npm('install', '--package-lock-only', '--no-audit', '--no-fund'), npm('run', '--silent', 'lock')])
		execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
	console.log(`Everything says ${version} now. RELEASING.md says what comes next.`);
}

if (require.main === module) {
	try {
		release(process.argv.slice(2));
	} catch (error) {
		console.error((error as Error).message);
		process.exitCode = 1;
	}
}
