import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodePropertyOptions } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';

const PAGE = join(__dirname, '..', '..', 'docs', 'n8n-package.md');
/** Where the operations of a resource cannot be used everywhere. */
const where: Readonly<Record<string, string>> = { simulation: ' (test systems)', sandbox: ' (your own machine)' };

/** The page on npm, whose table of operations follows from the form. The rest of it is written by hand. */
export function npmPage(): string {
	const { properties } = new PartnerExchange().description;
	const choices = (name: string, resource?: string) =>
		properties.find(
			(each) => each.name === name && (!resource || each.displayOptions?.show?.['resource']?.includes(resource)),
		)!.options as INodePropertyOptions[];
	const rows = choices('resource').map(({ name, value }) => {
		const operations = choices('operation', String(value)).map((operation) => operation.name);
		return [`${name}${where[String(value)] ?? ''}`, operations.join(', ')];
	});
	const table = padded([['Resource', 'Operations'], ...rows]);
	return readFileSync(PAGE, 'utf8').replace(/^\| Resource [\s\S]*?\n(?=\n)/m, table);
}

/** A table as prettier lays it out. */
function padded(rows: readonly string[][]): string {
	const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
	const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |\n`;
	const [headings = [], ...others] = rows.map(line);
	return [headings, line(widths.map((width) => '-'.repeat(width))), ...others].join('');
}
