/** Sets up the generated form of an action node: typed inputs, autocomplete lists, and only the fields that apply. */
import { completion, openOnClick } from './choices';
import { fillDefaults, chooseOnly } from './prefill';
import { $, type EditorNode, type Selection, type TypedInputType, RED } from './host';
import { showReasons, fits, opened, isVariable } from './validation';
import { say, showExamples } from './words';
import { isProduction } from '@partner-exchange/core/adapters';
import type { Environment } from '@partner-exchange/core/catalogue';

const ICONS = 'red/images/typedInput';
/** Types of a typed input that read the value elsewhere. */
const sources = ['msg', 'flow', 'global', 'env', 'jsonata'];

export function prepare(node: EditorNode): void {
	opened(node);
	forgetWorth();
	fillDefaults(node);
	chooseOnly(node);
	showExamples();
	$('.partner-exchange-typed').each((_, element) => typed(element));
	$('#node-input-operation').on('change', showWhatApplies);
	$('.partner-exchange-typed').on('change', showWhatApplies);
	// What the mouse pastes changes a field without a key, after the event by which Node-RED would look at it.
	$('.partner-exchange-form').on('input', ({ target }) => {
		$(target).trigger('paste');
		showUnits();
	});
	$('#node-input-account').on('change', showWhatApplies);
	$('#node-input-production').on('change', showWhatApplies);
	showWhatApplies();
	showReasons(node);
}

/** Sets up a field from the data attributes of its generated row. */
function typed(element: HTMLElement): void {
	const input = $(element);
	const kind = element.dataset.kind ?? 'text';
	const types =
		kind === 'boolean'
			? ['bool', ...sources]
			: kind === 'json'
				? ['json', ...sources]
				: [typeOf(element, kind), ...sources];
	input.typedInput({ types, typeField: $(`#${element.id}Type`) });
	if (element.dataset.noneVerbs) followOperation(element, kind);
	if (element.dataset.only) followChoice(input, element.dataset.only);
	const typedInput = input.next();
	// The typed input replaces the input that the label refers to, so the label is attached to the new one.
	const label = `${element.id}-label`;
	$(`label[for="${element.id}"]`).attr('id', label);
	for (const part of ['input', 'option-trigger', 'type-select'])
		typedInput.find(`.red-ui-typedInput-${part}`).attr('aria-labelledby', label);
	if (element.dataset.pick) openOnClick(typedInput.find('.red-ui-typedInput-input'));
}

/** A choice that one operation requires and another takes as a filter is emptied when the operation changes. */
function followOperation(element: HTMLElement, kind: string): void {
	const input = $(element);
	const operation = $('#node-input-operation');
	let verb = operation.val();
	operation.on('change', () => {
		if (operation.val() === verb) return;
		verb = operation.val();
		input.typedInput('types', [typeOf(element, kind), ...sources]);
		if (input.typedInput('type') === 'str') input.typedInput('value', '');
	});
}

/** The only value beside a choice comes and goes with that choice. */
function followChoice(input: Selection, only: string): void {
	const [condition, value] = only.split(' ') as [string, string];
	const isChosen = (): boolean => holds(condition) === true;
	let before = isChosen();
	$(`#node-input-${condition.split('=')[0]}`).on('change', () => {
		if (isChosen() === before) return;
		before = isChosen();
		const isFree = input.typedInput('type') === 'str' && ['', value].includes(input.typedInput('value'));
		if (isFree) input.typedInput('value', before ? value : '');
	});
}

/** What an empty choice says: that the chosen operation takes it so, or that something has to be chosen. */
function noneOf({ dataset: { none, noneVerbs } }: HTMLElement): string | undefined {
	const isRequired = noneVerbs && !noneVerbs.split(' ').includes($('#node-input-operation').val() ?? '');
	return isRequired ? 'common.choose' : none;
}

function typeOf(element: HTMLElement, kind: string): TypedInputType {
	const { dataset } = element;
	if (kind === 'choice' || kind === 'choices') {
		const multiple = kind === 'choices';
		const values = (dataset.values ?? '').split(' ');
		const key = noneOf(element);
		const none = multiple || !key ? [] : [{ value: '', label: say(key) }];
		const labelOf = (value: string): string =>
			dataset.words ? say(`${dataset.words}.${value}`) : value.replaceAll(/[_-]/g, ' ');
		return {
			value: 'str',
			label: say('common.kinds.choice'),
			icon: 'fa fa-list-ul',
			multiple,
			options: [...none, ...values.map((value) => ({ value, label: labelOf(value) }))],
		};
	}
	const number = kind === 'decimal' || kind === 'integer';
	return {
		value: 'str',
		label: say(`common.kinds.${number ? 'number' : 'text'}`),
		icon: `${ICONS}/${number ? '09' : 'az'}.svg`,
		validate: (value) => fits(kind, value),
		...(dataset.pick ? { autoComplete: completion(dataset.pick, dataset.several !== undefined) } : {}),
	};
}

/** Shows units such as `USD` and `NGN per USD` for a typed pair; the pair is unknown while it comes from elsewhere. */
function showUnits(): void {
	const pair = $('#node-input-pair_id');
	const isTyped = pair.length > 0 && pair.typedInput('type') === 'str';
	const [base, quote] = isTyped ? pair.typedInput('value').trim().toUpperCase().split(/[/_-]/) : [];
	const units: Record<string, string> = base && quote ? { base, quote, quotePerBase: `${quote} / ${base}` } : {};
	$('.partner-exchange-unit').each((_, element) => void $(element).text(units[element.dataset.unit ?? ''] ?? ''));
	showWorth(quote);
}

/** Shows the fields that the chosen operation has and that have an effect beside the values of the other fields. */
function showWhatApplies(): void {
	showUnits();
	const verb = $('#node-input-operation').val();
	const offered = (row: HTMLElement): boolean => row.style.display !== 'none';
	const rows: HTMLElement[] = [];
	$('.partner-exchange-row').each((_, row) => {
		const { verbs } = row.dataset;
		const has = verb === undefined || !verbs || verbs.split(' ').includes(verb);
		$(row).toggle(has && hasEffect(row));
		rows.push(row);
	});
	$('.partner-exchange-options').each(
		(_, fold) => void $(fold).toggle(rows.some((row) => fold.contains(row) && offered(row))),
	);
	const field = rows.find((row) => row.dataset.name && offered(row))?.dataset.name;
	$('#partner-exchange-message')
		.toggle(field !== undefined)
		.text(field ? say('common.form', { field }) : '');
}

function hasEffect(row: HTMLElement): boolean {
	const { when, beside, production } = row.dataset;
	if (production !== undefined && !mattersInProduction()) return false;
	return (!when || when.split(' ').every((each) => holds(each) !== false)) && (!beside || holds(beside) !== true);
}

/** The switch is shown where money may be real, and where it is on. */
const mattersInProduction = (): boolean =>
	$('#node-input-production').prop('checked') === true || mayBeProduction($('#node-input-account').val());

/**
 * Evaluates a condition such as `order_type=limit`. It is undefined for a field that gets its value elsewhere, which may
 * be any, and for one that is empty, which the message fills.
 */
function holds(condition: string): boolean | undefined {
	const [name, value] = condition.split('=') as [string, string];
	const input = $(`#node-input-${name}`);
	if (input.length === 0 || sources.includes(input.typedInput('type'))) return undefined;
	const own = input.typedInput('value');
	return own === '' ? undefined : own === value;
}

// Below a quantity the form shows what it comes to at the prices of the moment, if the form itself says what is traded.

/** A person may still be typing. */
const PAUSE_MS = 500;

let pause: ReturnType<typeof setTimeout> | undefined;
let asked = '';

/** Shows why the market would refuse the quantity, in the words of the run, and nothing where no price can be had. */
function showWorth(quote: string | undefined): void {
	const place = $('#partner-exchange-worth');
	if (place.length === 0) return;
	const [pair_id, side, quantity] = ['pair_id', 'side', 'quantity'].map(typedIn);
	const isWhole = pair_id && side && quantity && quote && fits('decimal', quantity);
	const account = $('#node-input-account').val() ?? '';
	const query = isWhole ? new URLSearchParams({ pair_id, side, quantity }).toString() : '';
	const question = `partner-exchange/accounts/${encodeURIComponent(account || '_')}/estimate?${query}`;
	if (question === asked) return;
	asked = question;
	place.text('');
	clearTimeout(pause);
	if (!isWhole) return;
	pause = setTimeout(() => {
		$.ajax({ url: question, method: 'GET', dataType: 'json' }).done((answer) => {
			if (question !== asked || answer === null) return;
			const { quantity: plain, total, problems } = answer as { quantity: string; total: string; problems: string[] };
			const amount = BigInt(total.split('.')[0]!).toLocaleString(RED.i18n.lang());
			const worth = say('common.worth', { amount, currency: quote });
			place.text(problems[0] ?? (plain === quantity ? worth : say('common.invalid.step', { plain })));
			// The lines stay once they were there: the form must not move under a click.
			place.each((_, lines) => void (lines.style.minHeight = `${lines.offsetHeight}px`));
		});
	}, PAUSE_MS);
}

/** A new form asks again. */
const forgetWorth = (): void => void (asked = '');

function typedIn(name: string): string {
	const input = $(`#node-input-${name}`);
	return input.length > 0 && input.typedInput('type') === 'str' ? input.typedInput('value').trim() : '';
}

// Whether an account may be one where money is real, as the editor has it: deployed or not.

/** An account that is missing, or that the editor cannot read, may be one. So may one whose settings are variables. */
function mayBeProduction(id: string | undefined): boolean {
	const account = id === undefined ? null : RED.nodes.node(id);
	if (!account) return true;
	const text = (name: string): string => String(account[name] ?? '').trim();
	try {
		const environment = text('environment') as Environment;
		const { baseUrl, wsUrl, testHosts } = {
			baseUrl: text('baseUrl'),
			wsUrl: text('wsUrl'),
			testHosts: text('testHosts'),
		};
		return isProduction({ environment, baseUrl, wsUrl, testHosts, apiKey: '' });
	} catch {
		return true;
	}
}

// The label of an order on the canvas.

/** The order in the form, such as `buy 10 USD at 1500`; empty where the message says what is traded. */
export function orderLabel(node: EditorNode): string {
	const [side, quantity, pair, type, price] = ['side', 'quantity', 'pair_id', 'order_type', 'price'].map((name) =>
		textOn(node, name),
	);
	const [base] = pair!.toUpperCase().split(/[/_-]/);
	if (!side || !base) return '';
	const limit = type === 'limit' && price ? say('common.at', { price }) : '';
	return [say(`events.fields.side.values.${side}`), quantity, base, limit].filter(Boolean).join(' ');
}

function textOn(node: EditorNode, name: string): string {
	const value = String(node[name] ?? '').trim();
	return (node[`${name}Type`] ?? 'str') === 'str' && !isVariable(value) ? value : '';
}
