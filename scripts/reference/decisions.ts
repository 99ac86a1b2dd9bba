import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated, page, table } from './words';

const folder = join(__dirname, '..', '..', 'docs', 'decisions');

/** The subject of a decision, by the first two digits of its number. */
const subjects: Readonly<Record<string, string>> = {
	'00': 'The whole',
	'01': 'Tests, hosts and the demo',
	'02': 'Sandbox',
	'03': 'Orders',
	'04': 'Stream and wallet',
	'05': 'n8n',
	'06': 'Node-RED',
	'07': 'Security',
	'08': 'Speed and size',
	'09': 'Growing',
};

/** The index of decisions by subject, with titles and links. */
export function decisionsPage(): string {
	const files = readdirSync(folder)
		.filter((file) => /^\d{4}-.*\.md$/.test(file))
		.sort();
	const unknown = files.filter((file) => !(file.slice(0, 2) in subjects));
	if (unknown.length > 0)
		throw new Error(`${unknown.join(', ')}: no subject has this number; scripts/reference/decisions.ts lists them.`);
	const sections = Object.entries(subjects).flatMap(([digits, subject]) => {
		const own = files.filter((file) => file.startsWith(digits));
		const rows = own.map((file) => [`[${file.slice(0, 4)}](${file})`, titleOf(file)]);
		return rows.length > 0 ? [`## ${subject}`, table(['Page', 'What was decided'], rows)] : [];
	});
	return page(generated, '# Decisions', 'Why things are as they are. A notable choice gets a page here.', ...sections);
}

function titleOf(file: string): string {
	const [, title] = /^# \d{4}:? (.+)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
	if (!title) throw new Error(`docs/decisions/${file} begins with "# ${file.slice(0, 4)} " and its title.`);
	return title;
}
