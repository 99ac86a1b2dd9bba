/** The form of the config node: fills in well-known addresses, and tests the key on a button. */
import { $, type EditorNode } from './host';
import { showReasons } from './reasons';
import { prepareStreamStatus } from './stream-status';
import { say, showExamples } from './words';

const field = (name: string) => $(`#node-config-input-${name}`);

const limits = ['ordersPerMinute', 'ordersPerDay', 'valuePerMinute', 'valuePerDay'] as const;

export function prepareAccount(node: EditorNode): void {
	showExamples();
	// An account of an earlier version lacks these properties; the editor shows them as empty, which would be refused.
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
