import { control } from './control';
import { byId, setText } from './dom';
import { notice } from './notice';
import type { WholeRequest } from './state';

/** Opens a request with its bodies and the fault that struck it. */
export async function openRequest(id: number): Promise<void> {
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
