import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tablesIn } from './support/tables';

const root = join(__dirname, '..');
const core = join(root, 'packages/core/src');
const tables = tablesIn(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
const tours = Object.entries(tables).filter(([heading]) => heading.startsWith('The tour of'));
/** The folders that a tour may leave out of its paths. */
const folders = [
	...[core, join(core, 'stream'), join(core, 'stream/connection'), join(core, 'orders/handlers')],
	...[join(root, 'packages'), root],
];

const filesIn = (cell: string): (string | undefined)[] =>
	[...cell.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, name]) =>
		folders.map((folder) => join(folder, name!)).find(existsSync),
	);
const cellOf = (row: Record<string, string>): string =>
	Object.entries(row).find(([column]) => column.startsWith('File'))![1];

describe('a tour of ARCHITECTURE.md', () => {
	it.each(tours)('%s names files there are', (_, rows) => {
		const named = rows.flatMap((row) => filesIn(cellOf(row)).map((file) => ({ file, cell: cellOf(row) })));
		expect(named.length).toBeGreaterThan(8);
		expect(named.filter(({ file }) => !file)).toEqual([]);
	});

	it('names the functions of its files, in the tour of one call', () => {
		const missing = tables['The tour of one call']!.flatMap((row) => {
			const text = filesIn(cellOf(row))
				.map((file) => readFileSync(file!, 'utf8'))
				.join('\n');
			return row
				.Step!.split(', ')
				.filter((name) => !new RegExp(`^export .*(function|const) ${name}\\b`, 'm').test(text));
		});
		expect(missing).toEqual([]);
	});
});
