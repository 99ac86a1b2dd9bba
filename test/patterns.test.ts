import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import * as regexp from 'eslint-plugin-regexp';
import { parser } from 'typescript-eslint';

const root = join(__dirname, '..');
const sources = globSync(['{nodes,credentials}/**/*.ts', 'packages/*/{src,console}/**/*.ts'], { cwd: root });

/** Regular expressions in a source file for which some text takes more steps than it has characters. */
function slowIn(source: string): string[] {
	const rules = { 'regexp/no-super-linear-backtracking': 2, 'regexp/no-super-linear-move': 2 } as const;
	const options = [{ report: 'potential' }];
	const config = {
		languageOptions: { parser },
		plugins: { regexp },
		rules: Object.fromEntries(Object.entries(rules).map(([name, level]) => [name, [level, ...options]])),
	};
	return new Linter().verify(source, config as never).map(({ ruleId, line }) => `${ruleId}:${line}`);
}

describe('a text from outside', () => {
	it('makes no pattern slow, however it is written (security 31)', () => {
		expect(sources.length).toBeGreaterThan(200);
		const slow = sources.flatMap((file) =>
			slowIn(readFileSync(join(root, file), 'utf8')).map((match) => `${file} ${match}`),
		);
		expect(slow).toEqual([]);
	});

	it.each(['text.replace(/0+$/, "")', '/^(a+)+$/.test(text)', 'text.match(/\\s+$/)', '/(x|x)*y/.exec(text)'])(
		'the check notices a pattern that would make %s slow (security 31)',
		(source) => {
			expect(slowIn(source)).not.toEqual([]);
		},
	);
});
