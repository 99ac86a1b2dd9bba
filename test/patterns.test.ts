import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import * as regexp from 'eslint-plugin-regexp';
import { parser } from 'typescript-eslint';

const root = join(__dirname, '..');
const sources = globSync(['{nodes,credentials}/**/*.ts', 'packages/*/{src,console}/**/*.ts'], { cwd: root });
/** `npm run lint` holds every source to them: a text may take no more steps than it has characters. */
const rules = {
	'regexp/no-super-linear-backtracking': [2, { report: 'potential' }],
	'regexp/no-super-linear-move': [2, { report: 'potential' }],
} as const;

/** The rules as the linter has them for each source, asked of the linter itself, whose configuration is a module. */
const rulesOfSources = (): Record<string, Record<string, unknown>> =>
	JSON.parse(
		execFileSync(process.execPath, ['--input-type=module', '-e', ASKS, '--', ...Object.keys(rules)], {
			cwd: root,
			input: JSON.stringify(sources),
			encoding: 'utf8',
		}),
	) as Record<string, Record<string, unknown>>;

const ASKS = `
	import { readFileSync } from 'node:fs';
	import { ESLint } from 'eslint';
	const eslint = new ESLint();
	const told = {};
	for (const file of JSON.parse(readFileSync(0, 'utf8'))) {
		if (await eslint.isPathIgnored(file)) continue;
		const { rules } = await eslint.calculateConfigForFile(file);
		told[file] = Object.fromEntries(process.argv.slice(1).map((name) => [name, rules[name]]));
	}
	console.log(JSON.stringify(told));
`;

describe('a text from outside', () => {
	it('makes no pattern of any source slow, because the linter forbids such a pattern', () => {
		const told = Object.entries(rulesOfSources());
		expect(told.length).toBeGreaterThan(200);
		for (const [file, held] of told) expect({ file, held }).toEqual({ file, held: rules });
	});

	it.each(['text.replace(/0+$/, "")', '/^(a+)+$/.test(text)', 'text.match(/\\s+$/)', '/(x|x)*y/.exec(text)'])(
		'the linter notices a pattern that would make %s slow',
		(source) => {
			const config = { languageOptions: { parser }, plugins: { regexp }, rules };
			expect(new Linter().verify(source, config as never)).not.toEqual([]);
		},
	);
});
