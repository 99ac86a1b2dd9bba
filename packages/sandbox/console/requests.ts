import { button, byId, element, setText } from './dom';
import { rows, textRow } from './rows';
import type { RequestRecord, WholeRequest } from './state';
import { timeOfDay } from './time';
import { control } from './control';
import { notice } from './notice';

export function requestsPanel(): (requests: readonly RequestRecord[]) => void {
	return rows<RequestRecord>(byId('requests'), {
		key: (entry) => String(entry.id),
		create: (entry) => {
			const cells = [
				element('td', { title: entry.at }),
				element('td', { class: 'long' }),
				element('td'),
				element('td'),
			];
			const path = button('', () => void openRequest(entry.id), { class: 'plain' });
			const row = textRow<RequestRecord>(
				[cells[0], path, cells[2], cells[3]].filter((cell) => cell !== undefined),
				texts,
			);
			// The row takes the button for a cell; it belongs into one.
			cells[1]?.append(path);
			row.node.replaceChildren(...cells);
			return {
				node: row.node,
				update: (next) => {
					row.update(next);
					row.node.classList.toggle('warn', next.fault !== null || Number(next.answer) >= 400);
				},
			};
		},
		empty: () => element('tr', {}, element('td', { class: 'empty', attributes: { colspan: '4' } }, 'No request yet.')),
	});
}

const texts = ({ at, method, path, answer, fault, email }: RequestRecord): string[] => [
	timeOfDay(at),
	`${method} ${path}`,
	[answers[answer] ?? answer, fault].filter((part) => part !== null).join(' · '),
	email ?? '–',
];

const answers: Readonly<Record<string, string>> = { waiting: 'waiting', none: 'no answer' };

/** Opens a request with its bodies and the fault that struck it. */
async function openRequest(id: number): Promise<void> {
	try {
		const { requests } = await control.request(id);
		if (requests[0]) show(requests[0]);
	} catch (error) {
		notice(error instanceof Error ? error.message : String(error), 'failed');
	}
}

function show({ method, path, headers, body, answer, answerBody, fault }: WholeRequest): void {
	setText(byId('request-title'), `${method} ${path}`);
	setText(byId('request-rule'), fault ? `Struck by ${rule(fault)}` : 'No fault struck it.');
	setText(
		byId('request-headers'),
		Object.entries(headers)
			.map((each) => each.join(': '))
			.join('\n'),
	);
	setText(byId('request-body'), pretty(body) || 'None');
	setText(byId('request-answer'), `${answer}\n${pretty(answerBody)}`.trim());
	byId<HTMLDialogElement>('request-dialog').showModal();
}

function rule(fault: NonNullable<WholeRequest['fault']>): string {
	const { kind, id, ...rest } = fault;
	const facts = Object.entries(rest).filter(([name]) => name !== 'fired');
	return `${kind} (number ${id}; ${facts.map(([name, value]) => `${name} ${String(value)}`).join(', ')})`;
}

function pretty(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
