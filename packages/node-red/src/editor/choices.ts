/** Autocomplete lists, read from the chosen account through Node-RED. Other values may always be typed. */
import { $, RED, type EditorNode, type Selection, type Suggestion } from './host';
import { say } from './words';

/** Lists are cached for this time, so that a new market or recipient appears without a reload. */
const KEPT_MS = 30_000;

export interface ListedChoice {
	value: string;
	label: string;
}

const lists = new Map<string, { at: number; choices: ListedChoice[] }>();

/** Autocompletes a field; with `several`, only the entry after the last comma. `own`: choices before those of the list. */
export function completion(picker: string, several = false, own: readonly ListedChoice[] = []) {
	return (typed: string, show: (suggestions: Suggestion[]) => void): void => {
		const field = document.activeElement;
		// A list that opens after the user went on to another field covers that field, and takes its Tab and arrow keys.
		const done: typeof show = (suggestions) => document.activeElement === field && show(suggestions);
		const before = several ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
		const search = typed.slice(before.length).trim();
		const account = String($('#node-input-account').val() ?? '');
		choicesOf({ account, picker, search }, (choices, problem) => {
			if (problem) return done([{ value: typed, label: problem }]);
			const fitting = own.filter(({ value, label }) =>
				`${value} ${label}`.toLowerCase().includes(search.toLowerCase()),
			);
			done(
				[...fitting, ...choices].map(({ value, label }) => ({ value: before ? `${before} ${value}` : value, label })),
			);
		});
	};
}

/** The editor opens the list on the first key press; this opens it on a click as well. */
export const openOnClick = (input: Selection): Selection => input.on('click', () => void input.trigger('keyup'));

interface ChoiceRequest {
	account: string;
	picker: string;
	search: string;
}

export function choicesOf(
	{ account, picker, search }: ChoiceRequest,
	done: (choices: ListedChoice[], problem?: string) => void,
): void {
	const key = [account, picker, search].join('\n');
	const cached = lists.get(key);
	if (cached && Date.now() - cached.at < KEPT_MS) return done(cached.choices);
	const finish = (answer: unknown): void => {
		const choices = answer as ListedChoice[];
		lists.set(key, { at: Date.now(), choices });
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

/**
 * The runtime does not know an account before its first deploy, so its settings are sent along, which needs write
 * permission.
 */
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

/** The settings of an account in the editor. A stored key is never part of them. */
function settingsOf(node: EditorNode): Record<string, unknown> {
	const { environment, baseUrl, wsUrl, allowDifferentHosts, names, credentials } = node;
	const apiKey = (credentials as { apiKey?: string } | undefined)?.apiKey;
	return { environment, baseUrl, wsUrl, allowDifferentHosts, names, apiKey };
}
