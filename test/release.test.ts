import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelogAt, manifestAt } from '../scripts/release';

const read = (file: string) => readFileSync(join(__dirname, '..', file), 'utf8');
const packages = ['.', 'packages/core', 'packages/sandbox', 'packages/node-red'];
interface Manifest {
	version: string;
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
}
const ownVersions = ({ version, dependencies, devDependencies }: Manifest) => [
	version,
	...Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, requested]) =>
		name.startsWith('@partner-exchange/') ? [requested] : [],
	),
];

describe('a release', () => {
	it.each(packages)('sets the version of %s and of what it asks of the others, and touches nothing else', (folder) => {
		const before = read(join(folder, 'package.json'));
		const after = manifestAt('7.8.9', before);
		expect(new Set(ownVersions(JSON.parse(after) as Manifest))).toEqual(new Set(['7.8.9']));
		const { version } = JSON.parse(before) as Manifest;
		const ours = (line: string) => /^\t"version"|"@partner-exchange\//.test(line);
		const rest = (text: string) => text.split('\n').filter((line) => !ours(line));
		expect(rest(after)).toEqual(rest(before));
		expect(manifestAt(version, after)).toBe(before);
	});

	it('gives what was unreleased its version and its day', () => {
		const text = '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n';
		expect(changelogAt('0.2.0', '2026-11-22', text)).toBe(
			'# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n- New.\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n',
		);
		expect(() => changelogAt('0.1.0', '2026-11-22', text)).toThrow('has a section for 0.1.0 already');
		const empty = '## [Unreleased]\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n';
		expect(() => changelogAt('0.2.0', '2026-11-22', empty)).toThrow('what is released?');
	});

	it('finds the section of what is unreleased in the changelog as it stands', () => {
		expect(changelogAt('7.8.9', '2026-11-22', read('CHANGELOG.md'))).toContain('## [7.8.9] - 2026-11-22\n');
	});
});
