/** The form of the alerts node: what is watched, and a currency of the wallet. */
import { choicesOf, type ListedChoice } from './choices';
import { $, type EditorNode } from './host';
import { prepareListener } from './listener-form';
import { isVariable, opened, settingOf, verdictOn, type Validator } from './validation';
import { say } from './words';

export function prepareAlerts(node: EditorNode): void {
	opened(node);
	prepareListener(node);
	const event = $('#node-input-event');
	event.on('change', () => {
		for (const name of ['currency', 'threshold', 'pair_id', 'rate']) $(`#node-input-${name}`).trigger('change');
	});
	event.trigger('change');
	$('#node-input-account').on('change', learnCurrencies);
	learnCurrencies();
}

/** The currencies of each account whose list was read. */
const currencies = new Map<string, readonly string[]>();

function learnCurrencies(): void {
	const account = String($('#node-input-account').val() ?? '');
	choicesOf({ account, picker: 'currency', search: '' }, (choices: readonly ListedChoice[]) => {
		if (choices.length === 0) return;
		const values = choices.map(({ value }) => value);
		currencies.set(account, values);
		$('#node-input-currency').trigger('change');
	});
}

const isMissing = (node: EditorNode, event: string, text: string): boolean =>
	text === '' && (settingOf(node, 'event') ?? 'transaction') === event;

/** A currency outside the list of the account is refused where that list could be read. */
export const validCurrency: Validator = function (value, _) {
	const text = String(value ?? '').trim();
	const field = say('events.fields.currency.label');
	if (isMissing(this, 'balance', text)) return say('common.invalid.required', { field });
	const listed = currencies.get(String(settingOf(this, 'account') ?? ''));
	if (text === '' || isVariable(text) || !listed || listed.includes(text.toUpperCase())) return true;
	return say('common.invalid.currency', { field, currencies: listed.join(', ') });
};

/** What has to be filled in where one thing is watched, and is decimal where the kind is named. */
export const needed = (event: string, property: string, kind?: 'decimal'): Validator =>
	function (value, _) {
		const text = String(value ?? '').trim();
		const label = `events.fields.${property}.label`;
		if (isMissing(this, event, text)) return say('common.invalid.required', { field: say(label) });
		return kind === undefined || verdictOn(text, kind, label);
	};
