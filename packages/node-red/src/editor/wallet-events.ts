/** The form of the wallet events node: what is watched, and a currency of the wallet. */
import { choicesOf, type ListedChoice } from './choices';
import { fillDefaults } from './defaults';
import { offerList, offerStores } from './events';
import { $, type EditorNode } from './host';
import { chooseOnly } from './only-account';
import { showReasons } from './reasons';
import { fits, isVariable, opened, settingOf, type Validator } from './validation';
import { say, showExamples } from './words';

export function prepareWalletEvents(node: EditorNode): void {
	opened(node);
	fillDefaults(node);
	showExamples();
	chooseOnly(node);
	const event = $('#node-input-event');
	// Without the property, the runtime watches transactions.
	if (node.event === undefined) event.val('transaction');
	const show = () => {
		$('.partner-exchange-transaction').toggle(event.val() === 'transaction');
		$('.partner-exchange-balance').toggle(event.val() === 'balance');
		for (const name of ['currency', 'threshold']) $(`#node-input-${name}`).trigger('change');
	};
	event.on('change', show);
	$('#node-input-account').on('change', learnCurrencies);
	offerList($('#node-input-currency'), 'currency');
	offerStores(String(node.store ?? ''));
	showReasons(node);
	show();
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

const isMissing = (node: EditorNode, text: string): boolean =>
	text === '' && (settingOf(node, 'event') ?? 'transaction') === 'balance';

/** A currency outside the list of the account is refused where that list could be read. */
export const validCurrency: Validator = function (value, _) {
	const text = String(value ?? '').trim();
	const field = say('events.currency');
	if (isMissing(this, text)) return say('common.invalid.required', { field });
	const listed = currencies.get(String(settingOf(this, 'account') ?? ''));
	if (text === '' || isVariable(text) || !listed || listed.includes(text.toUpperCase())) return true;
	return say('common.invalid.currency', { field, currencies: listed.join(', ') });
};

export const validThreshold: Validator = function (value, _) {
	const text = String(value ?? '').trim();
	const field = say('events.threshold');
	if (isMissing(this, text)) return say('common.invalid.required', { field });
	return fits('decimal', text) || say('common.invalid.decimal', { field });
};
