/** What the forms of both listening nodes do: lists of boxes, lists in one text, and only the fields that apply. */
import { commaList } from '@partner-exchange/core/adapters';
import { completion, openOnClick, choicesOf, type ListedChoice } from './choices';
import { fillDefaults, chooseOnly } from './prefill';
import { $, RED, type EditorNode } from './host';
import { showReasons, isVariable, opened, settingOf, verdictOn, type Validator } from './validation';
import { say, showExamples } from './words';

export function prepareListener(node: EditorNode): void {
	fillDefaults(node);
	showExamples();
	chooseOnly(node);
	boxes((box, property, value) =>
		box.prop('checked', commaList(node[property]).includes(value)).on('change', showWhatApplies),
	);
	texts((input, property) => void input.val(commaList(node[property]).join(', ')));
	$('.partner-exchange-form [data-pick]').each((_, element) => offerList(element));
	offerStores(String(node.store ?? ''));
	$('.partner-exchange-form select').on('change', showWhatApplies);
	showWhatApplies();
	showReasons(node);
}

/** Lists have no input that the editor would save. */
export function saveListener(node: EditorNode): void {
	const lists: Record<string, string[]> = {};
	boxes((box, property, value) => {
		lists[property] ??= [];
		if (box.prop('checked') === true) lists[property].push(value);
	});
	texts((input, property) => (lists[property] = commaList(input.val())));
	Object.assign(node, lists);
}

/** The switches of the events node decide how many inputs and outputs it has. */
export function saveEvents(node: EditorNode): void {
	saveListener(node);
	const comesBack = $('#node-input-taken').val() === 'back';
	node.inputs = comesBack || isChecked('control') ? 1 : 0;
	node.outputs = 1 + (isChecked('notices') ? 1 : 0) + (isChecked('control') ? 1 : 0);
}

const isChecked = (name: string): boolean => $(`#node-input-${name}`).prop('checked') === true;

/** A list of pairs may name all of them; it and a field for several values complete what follows the last comma. */
function offerList(element: HTMLElement): void {
	const { pick = '', property, several } = element.dataset;
	const own = property === undefined ? undefined : [{ value: '*', label: say('events.allPairs') }];
	const search = completion(pick, own !== undefined || several !== undefined, own);
	openOnClick($(element).autoComplete({ search, minLength: 0 }));
}

/** Shows a field beside the values it belongs to, such as `topics=trades|orderbook`. */
function showWhatApplies(): void {
	$('.partner-exchange-when').each((_, element) => {
		const [property = '', values = ''] = (element.dataset.when ?? '').split('=');
		$(element).toggle(values.split('|').some((value) => chosen(property).includes(value)));
	});
}

function chosen(property: string): string[] {
	const values: string[] = [];
	boxes((box, of, value) => of === property && box.prop('checked') === true && void values.push(value));
	return values.length > 0 ? values : [String($(`#node-input-${property}`).val() ?? '')];
}

type Box = ReturnType<typeof $>;

// jQuery ends `each` when the callback returns false, so results are discarded.
const boxes = (act: (box: Box, property: string, value: string) => unknown): unknown =>
	$('.partner-exchange-box').each((_, box) => void act($(box), box.dataset.property!, String($(box).val())));
const texts = (act: (input: Box, property: string) => unknown): unknown =>
	$('input[type="text"][data-property]').each((_, input) => void act($(input), input.dataset.property!));

/** Checkpoints are stored in a file by default; context stores are offered only if the operator configured some. */
function offerStores(current: string): void {
	const select = document.getElementById('node-input-store') as HTMLSelectElement | null;
	for (const name of RED.settings.context?.stores ?? []) select?.add(new Option(name, name));
	if (select) select.value = current;
}

// The form of the alerts node: what is watched, and a currency of the wallet.

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
