import { readFileSync } from 'node:fs';
import path from 'node:path';
import { devKeys, scenarios } from '@partner-exchange/sandbox';
import { faultTexts } from '../../packages/sandbox/src/server/faults';
import { helpText } from '../../packages/sandbox/src/flags';

const guide = readFileSync(path.join(__dirname, '../../docs/guides/sandbox.md'), 'utf8');

/** The rows of the table with this first heading: the code in the first cell, and the last cell. */
function table(heading: string): Record<string, string | undefined> {
	const [, rows = ''] = guide.split(new RegExp(`^\\| ${heading} .*\\n\\| -.*\\n`, 'm'));
	const lines = rows.split('\n\n')[0]?.split('\n') ?? [];
	return Object.fromEntries<string | undefined>(
		lines.map((line) => [/`(.*?)`/.exec(line)?.[1] ?? '', line.split('|').at(-2)?.trim()]),
	);
}

describe('the sandbox guide', () => {
	it('lists every fault in the guide in the words of the sandbox, and no other', () => {
		expect(table('Fault')).toEqual(faultTexts);
	});

	it('lists every scenario in the guide in the words of the sandbox, and no other', () => {
		const helps = Object.fromEntries(Object.entries(scenarios).map(([name, { help }]) => [name, help]));
		expect(table('Scenario')).toEqual(helps);
	});

	it('lists every key of a fresh sandbox in the guide, and no other', () => {
		expect(Object.keys(table('Key')).sort()).toEqual(devKeys.map(({ key }) => key).sort());
	});

	it('names in the guide only flags that the command knows', () => {
		const flags = [...guide.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag ?? '');
		expect(flags.length).toBeGreaterThan(5);
		for (const flag of flags) expect(helpText()).toContain(flag);
	});
});
