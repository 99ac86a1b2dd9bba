import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated, page, table } from './words';

const folder = join(__dirname, '..', '..', 'docs', 'decisions');

/** The subject of a record, by the first two digits of its number. */
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

interface DecisionRecord {
	number: string;
	file: string;
	title: string;
	/** Empty where the record holds. */
	status: string;
}

/** The index of decisions by subject, with titles and links. */
export function decisionsPage(): string {
	const records = readdirSync(folder)
		.filter((file) => /^\d{4}-.*\.md$/.test(file))
		.sort()
		.map(recordOf);
	const unknown = records.filter(({ number }) => !(number.slice(0, 2) in subjects));
	if (unknown.length > 0)
		throw new Error(
			`${unknown.map(({ file }) => file).join(', ')}: no subject has this number; scripts/reference/decisions.ts lists them.`,
		);
	const rows = records.map(({ number, file, title, status }) => [
		subjects[number.slice(0, 2)]!,
		`[${number}](${file}) ${title}${status && `, ${status}`}`,
	]);
	return page(
		generated,
		'# Decisions',
		'A record says what was decided, why, and what follows.',
		table(['Subject', 'Decision'], rows),
	);
}

function recordOf(file: string): DecisionRecord {
	const number = file.slice(0, 4);
	const text = readFileSync(join(folder, file), 'utf8');
	const [, title] = new RegExp(`^# ${number}:? (.+)$`, 'm').exec(text) ?? [];
	if (!title) throw new Error(`docs/decisions/${file} begins with "# ${number} " and its title.`);
	const [, status = ''] = /^Status: (superseded by \[\d{4}\]\(\d{4}-[\w-]+\.md\))\.$/m.exec(text) ?? [];
	return { number, file, title, status };
}
