/** The form of the events node: topics, pairs, and where the position is stored. */
import { completion, openOnClick } from './choices';
import { fillDefaults } from './defaults';
import { chooseOnly } from './only-account';
import { $, RED, type EditorNode, type Selection } from './host';
import { showReasons } from './reasons';
import { say, showExamples } from './words';

export function prepareEvents(node: EditorNode): void {
	fillDefaults(node);
	showExamples();
	chooseOnly(node);
	each('topic', (box) =>
		box.prop('checked', listOf(node.topics).includes(String(box.val()))).on('change', showWhatApplies),
	);
	each('status', (box) => box.prop('checked', listOf(node.statuses).includes(String(box.val()))));
	const allPairs = { value: '*', label: say('events.allPairs') };
	offerList($('#partner-exchange-pairs').val(listOf(node.pairs).join(', ')), 'pair', [allPairs]);
	offerList($('#node-input-pair'), 'pair');
	offerStores(String(node.store ?? ''));
	$('#node-input-taken').on('change', showWhatApplies);
	showWhatApplies();
	showReasons(node);
}

export function saveEvents(node: EditorNode): void {
	node.topics = chosen('topic');
	node.statuses = chosen('status');
	node.inputs = comesBack() || isChecked('control') ? 1 : 0;
	node.outputs = 1 + (isChecked('notices') ? 1 : 0) + (isChecked('control') ? 1 : 0);
	node.pairs = String($('#partner-exchange-pairs').val() ?? '')
		.split(',')
		.map((pair) => pair.trim())
		.filter((pair) => pair !== '');
}

/** With choices of its own, which come first, the field takes several values. */
export const offerList = (
	input: Selection,
	picker: string,
	own?: ReadonlyArray<{ value: string; label: string }>,
): void => void openOnClick(input.autoComplete({ search: completion(picker, own !== undefined, own), minLength: 0 }));

/** Shows pairs for topics per pair, order statuses for order updates, and seconds for acknowledgement by time. */
function showWhatApplies(): void {
	let perPair = false;
	each('topic', (box) => (perPair ||= box.prop('checked') === true && box.data('perPair') === true));
	$('.partner-exchange-per-pair').toggle(perPair);
	$('.partner-exchange-per-order').toggle(chosen('topic').includes('user.orders'));
	$('.partner-exchange-by-time').toggle($('#node-input-taken').val() === 'time');
	$('.partner-exchange-by-return').toggle(comesBack());
}

const isChecked = (name: string): boolean => $(`#node-input-${name}`).prop('checked') === true;
const comesBack = (): boolean => $('#node-input-taken').val() === 'back';

/** Positions are stored in a file by default; context stores are offered only if the operator configured some. */
export function offerStores(current: string): void {
	const select = document.getElementById('node-input-store') as HTMLSelectElement | null;
	for (const name of RED.settings.context?.stores ?? []) select?.add(new Option(name, name));
	if (select) select.value = current;
}

function each(name: string, act: (box: ReturnType<typeof $>) => void): void {
	// jQuery ends `each` when the callback returns false, so the result is discarded.
	$(`.partner-exchange-${name}`).each((_, element) => void act($(element)));
}

function chosen(name: string): string[] {
	const values: string[] = [];
	each(name, (box) => void (box.prop('checked') === true && values.push(String(box.val()))));
	return values;
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
