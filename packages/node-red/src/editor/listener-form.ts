/** What the forms of both listening nodes do: lists of boxes, lists in one text, and only the fields that apply. */
import { commaList } from '@partner-exchange/core/adapters';
import { completion, openOnClick } from './choices';
import { fillDefaults } from './defaults';
import { $, RED, type EditorNode } from './host';
import { chooseOnly } from './only-account';
import { showReasons } from './reasons';
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

/** Positions are stored in a file by default; context stores are offered only if the operator configured some. */
function offerStores(current: string): void {
	const select = document.getElementById('node-input-store') as HTMLSelectElement | null;
	for (const name of RED.settings.context?.stores ?? []) select?.add(new Option(name, name));
	if (select) select.value = current;
}
