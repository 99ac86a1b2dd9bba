import { button, byId, element } from './dom';
import { openRequest } from './request-dialog';
import { rows, textRow } from './rows';
import type { RequestRecord } from './state';
import { timeOfDay } from './time';

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
