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

/** Pages that hold the decisions of one subject, and records that took in others, with the numbers these had. */
const subjectPages: readonly (readonly [string, string, string])[] = [
	['stream.md', 'The stream, and wallet polling', '0400 to 0407, 0411 to 0417, 0435 to 0437, 0445, 0446, 0452, 0453'],
	['n8n.md', 'The n8n nodes', '0451, 0500 to 0502, 0504, 0505, 0507, 0508, 0513, 0520 to 0523'],
	['node-red.md', 'The Node-RED nodes', '0600 to 0607, 0611'],
	['sandbox.md', 'The sandbox', '0200 to 0221'],
	['performance.md', 'Speed, size and many subscribers', '0106 (peers in the bench), 0801 to 0860, 0901 to 0905'],
	['cases.md', 'Cases without a test', '0010'],
	['decisions/0007-lists-are-read-until-a-page-brings-nothing-new.md', 'Lists, page by page', '0441, 0450'],
	['decisions/0009-a-write-without-a-key-is-sent-once.md', 'Simulated deposits and withdrawals', '0310'],
	['decisions/0020-dependencies-are-few-and-exact.md', 'What is shipped', '0702'],
	['decisions/0100-tests-run-in-real-hosts.md', 'A complete n8n, versions of the hosts', '0101, 0612'],
	['decisions/0102-n8ns-rules-are-gates.md', "n8n's strict mode", '0106 (strict mode)'],
	['decisions/0105-simulations-prove-the-promises.md', 'Simulations', '0303, 0320, 0408, 0409, 0440'],
	['decisions/0301-a-write-is-accepted-refused-or-unknown.md', 'What an answer proves', '0311'],
	['decisions/0302-an-acknowledgement-is-not-a-result.md', 'What proves a replacement', '0307'],
	[
		'decisions/0306-limits-and-stop-switch-belong-to-the-account.md',
		'What the limits of an account count',
		'0309, 0312',
	],
	['decisions/0308-an-order-list-is-read-once.md', 'What a process remembers of the order list', '0314'],
	['decisions/0454-a-topic-and-a-connection-are-each-one-state-and-one-step.md', 'The state of a connection', '0455'],
];

interface DecisionRecord {
	number: string;
	file: string;
	title: string;
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
	const sections = Object.entries(subjects).flatMap(([digits, subject]) => {
		const rows = records
			.filter(({ number }) => number.startsWith(digits))
			.map(({ number, file, title, status }) => [`[${number}](${file})`, title, status]);
		return rows.length > 0 ? [`## ${subject}`, table(['Record', 'Decision', 'Status'], rows)] : [];
	});
	return page(
		generated,
		'# Decisions',
		'A record says what was decided, why, and what follows. Decisions of one subject stand together:',
		table(
			['Where', 'Earlier records'],
			subjectPages.map(([file, subject, numbers]) => [`[${subject}](../${file})`, numbers]),
		),
		...sections,
	);
}

function recordOf(file: string): DecisionRecord {
	const number = file.slice(0, 4);
	const text = readFileSync(join(folder, file), 'utf8');
	const [, title] = new RegExp(`^# ${number}:? (.+)$`, 'm').exec(text) ?? [];
	if (!title) throw new Error(`docs/decisions/${file} begins with "# ${number} " and its title.`);
	const [, status] = /^Status: (accepted|superseded by \[\d{4}\]\(\d{4}-[\w-]+\.md\))\.$/m.exec(text) ?? [];
	if (!status)
		throw new Error(`docs/decisions/${file} needs a line "Status: accepted." or "Status: superseded by [NNNN](file)."`);
	return { number, file, title, status };
}
