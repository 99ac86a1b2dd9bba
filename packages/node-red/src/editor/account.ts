/** The form of the config node: fills in well-known addresses, and tests the key on a button. */
import { $, type EditorNode } from './host';
import { showReasons } from './validation';
import { say, showExamples } from './words';
import type { ProcessStatus, TopicStatus } from '@partner-exchange/core/catalogue';

const field = (name: string) => $(`#node-config-input-${name}`);

const limits = ['ordersPerMinute', 'ordersPerDay', 'valuePerMinute', 'valuePerDay'] as const;

export function prepareAccount(node: EditorNode): void {
	showExamples();
	// An account that was not written by this form may lack these properties; the editor shows them as empty, which would be refused.
	for (const name of limits) if (node[name] === undefined) field(name).val('none');
	field('environment').on('change', fillIn);
	$('.partner-exchange-form').on('input change', forgetTest);
	$('#partner-exchange-test').on('click', () => test(node));
	prepareStreamStatus(node.id);
	showReasons(node, 'node-config-input');
}

/** The result of a test says nothing about settings that were changed after it. */
const forgetTest = (): void => void $('#partner-exchange-test-result').text('');

/** Changing the environment replaces only the address of the previous environment, never one that a user typed. */
function fillIn(): void {
	const select = document.getElementById('node-config-input-environment') as HTMLSelectElement;
	const shared = Array.from(select.options).map(({ dataset }) => dataset);
	const chosen = select.selectedOptions[0]?.dataset;
	field('apiKey').attr(
		'placeholder',
		select.value === 'sandbox' ? say('common.example', { example: 'sandbox-key' }) : '',
	);
	$('#partner-exchange-environment').text(chosen ? say(`environments.${select.value}.help`) : '');
	if (!chosen) return;
	const value = String(field('baseUrl').val() ?? '').trim();
	if (value === '' || shared.some(({ baseUrl }) => baseUrl === value))
		field('baseUrl')
			.val(chosen.baseUrl ?? '')
			.attr('placeholder', 'https://…/v1');
}

function test(node: EditorNode): void {
	const result = $('#partner-exchange-test-result');
	result.toggleClass('partner-exchange-good', false).text('…');
	const data = JSON.stringify({
		environment: field('environment').val(),
		baseUrl: field('baseUrl').val(),
		wsUrl: field('wsUrl').val(),
		allowDifferentHosts: field('allowDifferentHosts').prop('checked'),
		apiKey: field('apiKey').val(),
	});
	const url = `partner-exchange/accounts/${encodeURIComponent(node.id)}/test`;
	$.ajax({ url, method: 'POST', contentType: 'application/json', data, dataType: 'json' })
		.done((answer) => {
			const { outcome, environment } = answer as { outcome: string; environment: string };
			result.toggleClass('partner-exchange-good', true).text(say(`account.${outcome}`, { environment }));
		})
		.fail(({ status, responseJSON }) => result.text(responseJSON?.message ?? refusal(status)));
}

const refusal = (status: number): string =>
	say(status === 401 || status === 403 ? 'account.mayNot' : 'account.unreachable');

// The state of the account's stream as a table, loaded when a user opens it.

const PLACE = 'partner-exchange-stream';

function prepareStreamStatus(accountId: string): void {
	const details = document.getElementById(PLACE) as HTMLDetailsElement | null;
	const load = () => loadStatus(accountId);
	details?.addEventListener('toggle', () => details.open && load());
	$(`#${PLACE}-again`).on('click', load);
}

function loadStatus(accountId: string): void {
	const place = document.getElementById(`${PLACE}-tables`)!;
	place.replaceChildren(paragraph('…'));
	$.ajax({ url: `partner-exchange/accounts/${encodeURIComponent(accountId)}/stream`, method: 'GET', dataType: 'json' })
		.done((answer) => place.replaceChildren(...sections(answer as ProcessStatus)))
		.fail(({ responseJSON }) => place.replaceChildren(paragraph(responseJSON?.message ?? say('account.unreachable'))));
}

function sections(status: ProcessStatus): HTMLElement[] {
	if (!status.running) return [paragraph(say('account.stream.none'))];
	const { totals, connections, topics, incomplete_fills } = status;
	const all = ['delivered', 'waiting', 'filtered', 'gaps', 'reads_waiting', 'open_intents'] as const;
	const numbers = all.map((name) => [
		say(`account.stream.${name}`),
		name === 'delivered' ? sumOf(totals.delivered) : totals[name],
	]);
	return [
		table([], numbers),
		table(
			['connection', 'state', 'since', 'error'],
			connections.map((connection) => [
				connection.access,
				stateOf(connection.state),
				localTime(connection.since),
				connection.last_error,
			]),
		),
		table(
			['topic', 'position', 'lag', 'delivered', 'notes'],
			topics.map((topic) => [
				...[topic.topic, topic.seq, topic.lag_ms === null ? null : `${Math.round(topic.lag_ms)} ms`],
				...[sumOf(topic.delivered), remarksOf(topic)],
			]),
		),
		...incomplete_fills
			.filter(({ told }) => told)
			.map(({ order_id: order, counted, expected }) =>
				paragraph(say('account.stream.incomplete', { order, counted, expected })),
			),
	];
}

/** What there is to say of a topic: nothing of most, so that a table of many fits the dialog. */
function remarksOf({ readings: { place }, last_error, ...topic }: TopicStatus): string {
	const counts = (['waiting', 'filtered', 'gaps'] as const)
		.filter((name) => topic[name] > 0)
		.map((name) => `${say(`account.stream.${name}`)}: ${topic[name]}`);
	const turn =
		place === 1 ? say('account.stream.next') : say('account.stream.queued', { others: String((place ?? 0) - 1) });
	return (
		[...counts, ...(place === null ? [] : [turn]), ...(last_error === null ? [] : [last_error])].join(' · ') || '–'
	);
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const localTime = (instant: string): string => new Date(instant).toLocaleString();
const stateOf = (state: string): string => say(`account.stream.states.${state}`);

function table(heads: readonly string[], rows: readonly unknown[][]): HTMLElement {
	const made = element('table');
	if (heads.length > 0)
		made.append(
			line(
				'th',
				heads.map((head) => say(`account.stream.${head}`)),
			),
		);
	made.append(...rows.map((row) => line('td', row)));
	return made;
}

function line(kind: 'td' | 'th', cells: readonly unknown[]): HTMLElement {
	const made = element('tr');
	made.append(...cells.map((cell) => element(kind, cell === null || cell === undefined ? '–' : String(cell))));
	return made;
}

const paragraph = (text: string): HTMLElement => element('p', text);

/** Creates an element with plain text: names from the service or a user are never parsed as HTML. */
function element(kind: string, text = ''): HTMLElement {
	const made = document.createElement(kind);
	made.textContent = text;
	return made;
}
