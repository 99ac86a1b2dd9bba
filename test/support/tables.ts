/** The tables of a Markdown page by heading, each row by column name. */
export type Tables = Record<string, Record<string, string>[]>;

export function tablesIn(markdown: string): Tables {
	const tables: Tables = {};
	let heading = '';
	let columns: string[] | undefined;
	for (const line of markdown.split('\n')) {
		const title = /^#+ (.*)$/.exec(line);
		if (title) heading = title[1]!;
		if (!line.startsWith('|')) {
			columns = undefined;
			continue;
		}
		const cells = line
			.slice(1, line.lastIndexOf('|'))
			.split('|')
			.map((cell) => cell.trim());
		if (cells.every((cell) => /^-+$/.test(cell))) continue;
		if (columns)
			(tables[heading] ??= []).push(Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])));
		else columns = cells;
	}
	return tables;
}

/** The words of a cell such as `a, b*`. */
export const wordsIn = (cell: string | undefined): string[] =>
	(cell ?? '')
		.split(',')
		.map((word) => word.trim())
		.filter(Boolean);
