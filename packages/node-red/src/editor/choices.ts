/** Lists to pick from, read through Node-RED from the chosen account. Typing something else is always possible. */
import { $, RED, type EditorNode, type Selection, type Suggestion } from './host';
import { say } from './words';

/** A list is read again after this time, so that a new market or recipient shows up without a reload. */
const KEPT_MS = 30_000;

interface Choice {
	value: string;
	label: string;
}

const kept = new Map<string, { at: number; choices: Choice[] }>();

/** Completes what is typed into a field; entries before the last comma stay where `several` are allowed. */
export function completion(picker: string, several = false) {
	return (typed: string, done: (found: Suggestion[]) => void): void => {
		const before = several ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
		const search = typed.slice(before.length).trim();
		const account = String($('#node-input-account').val() ?? '');
		read({ account, picker, search }, (choices, problem) => {
			if (problem) return done([{ value: typed, label: problem }]);
			done(choices.map(({ value, label }) => ({ value: before ? `${before} ${value}` : value, label })));
		});
	};
}

/** The editor opens a list at the first key; a person who clicks expects it too. */
export const openOnClick = (input: Selection): Selection => input.on('click', () => void input.trigger('keyup'));

interface ChoiceRequest {
	account: string;
	picker: string;
	search: string;
}

function read({ account, picker, search }: ChoiceRequest, done: (choices: Choice[], problem?: string) => void): void {
	const key = [account, picker, search].join('\n');
	const known = kept.get(key);
	if (known && Date.now() - known.at < KEPT_MS) return done(known.choices);
	const finish = (answer: unknown): void => {
		const choices = answer as Choice[];
		kept.set(key, { at: Date.now(), choices });
		done(choices);
	};
	const url = `partner-exchange/accounts/${encodeURIComponent(account || '_')}/choices/${picker}?search=${encodeURIComponent(search)}`;
	$.ajax({ url, method: 'GET', dataType: 'json' })
		.done(finish)
		.fail(({ status, responseJSON }) => {
			const node = account ? RED.nodes.node(account) : null;
			if (status !== 404 || !node) return done([], responseJSON?.message ?? say('common.list.unreadable'));
			readUndeployed(node, { picker, search }, finish, (problem) => done([], problem));
		});
}

/** Before the first deploy the runtime does not know the account: its settings are sent along, which needs write permission. */
function readUndeployed(
	node: EditorNode,
	wanted: Pick<ChoiceRequest, 'picker' | 'search'>,
	finish: (answer: unknown) => void,
	fail: (problem: string) => void,
): void {
	const data = JSON.stringify({ ...settingsOf(node), ...wanted });
	$.ajax({ url: 'partner-exchange/choices', method: 'POST', contentType: 'application/json', data, dataType: 'json' })
		.done(finish)
		.fail(({ responseJSON }) => fail(responseJSON?.message ?? say('common.list.undeployed')));
}

/** The settings of an account as they stand in the editor. A key that is already stored never comes here. */
function settingsOf(node: EditorNode): Record<string, unknown> {
	const { environment, baseUrl, wsUrl, allowDifferentHosts, names, credentials } = node;
	const apiKey = (credentials as { apiKey?: string } | undefined)?.apiKey;
	return { environment, baseUrl, wsUrl, allowDifferentHosts, names, apiKey };
}
