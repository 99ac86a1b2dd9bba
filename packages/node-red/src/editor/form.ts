/** Sets up the generated form of an action node: typed inputs, autocomplete lists, and only the fields that apply. */
import { completion, openOnClick } from './choices';
import { fillDefaults } from './defaults';
import { $, type EditorNode, type TypedInputType } from './host';
import { chooseOnly } from './only-account';
import { showReasons } from './reasons';
import { fits, opened } from './validation';
import { say, showExamples } from './words';

const ICONS = 'red/images/typedInput';
/** Types of a typed input that read the value elsewhere. */
const sources = ['msg', 'flow', 'global', 'env', 'jsonata'];

export function prepare(node: EditorNode): void {
	opened(node);
	fillDefaults(node);
	chooseOnly(node);
	showExamples();
	$('.partner-exchange-typed').each((_, element) => typed(element));
	$('#node-input-operation').on('change', showWhatApplies);
	$('.partner-exchange-typed').on('change', showWhatApplies);
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
	const typedInput = input.next();
	// The typed input replaces the input that the label refers to, so the label is attached to the new one.
	const label = `${element.id}-label`;
	$(`label[for="${element.id}"]`).attr('id', label);
	for (const part of ['input', 'option-trigger', 'type-select'])
		typedInput.find(`.red-ui-typedInput-${part}`).attr('aria-labelledby', label);
	if (element.dataset.pick) openOnClick(typedInput.find('.red-ui-typedInput-input'));
}

function typeOf({ dataset }: HTMLElement, kind: string): TypedInputType {
	if (kind === 'choice' || kind === 'choices') {
		const multiple = kind === 'choices';
		const values = (dataset.values ?? '').split(' ');
		const none = multiple || dataset.none === undefined ? [] : [{ value: '', label: say(dataset.none) }];
		return {
			value: 'str',
			label: say('common.kinds.choice'),
			icon: 'fa fa-list-ul',
			multiple,
			options: [...none, ...values.map((value) => ({ value, label: value.replaceAll('_', ' ') }))],
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
}

/** Shows the fields that the chosen operation has and that apply to the values of the other fields. */
function showWhatApplies(): void {
	showUnits();
	const verb = $('#node-input-operation').val();
	$('.partner-exchange-row').each((_, element) => {
		const { verbs, when, former } = element.dataset;
		const has = verb === undefined || !verbs || verbs.split(' ').includes(verb);
		const offered = has && (former === undefined || isSet(element, former));
		$(element).toggle(offered && (!when || calledFor(when)));
	});
	$('.partner-exchange-options').each((_, element) => {
		const offered = Array.from(element.querySelectorAll<HTMLElement>('.partner-exchange-row')).some(
			(row) => row.style.display !== 'none',
		);
		$(element).toggle(offered);
	});
}

/** An option that is no longer offered is shown where the flow has another value of it than the one it began with. */
function isSet(row: HTMLElement, former: string): boolean {
	const input = $(row).find('.partner-exchange-typed');
	return sources.includes(input.typedInput('type')) || input.typedInput('value') !== former;
}

/**
 * Evaluates a condition such as `order_type=limit`; a field that gets its value elsewhere may hold any value, so it
 * passes.
 */
function calledFor(when: string): boolean {
	return when.split(' ').every((condition) => {
		const [name, value] = condition.split('=') as [string, string];
		const input = $(`#node-input-${name}`);
		if (input.length === 0) return true;
		return input.typedInput('type') !== 'str' || input.typedInput('value') === value;
	});
}
