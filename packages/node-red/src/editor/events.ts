/** The form of the events node: its switches decide how many inputs and outputs it has. */
import { $, type EditorNode } from './host';
import { prepareListener, saveListener } from './listener-form';

export const prepareEvents = prepareListener;

export function saveEvents(node: EditorNode): void {
	saveListener(node);
	const comesBack = $('#node-input-taken').val() === 'back';
	node.inputs = comesBack || isChecked('control') ? 1 : 0;
	node.outputs = 1 + (isChecked('notices') ? 1 : 0) + (isChecked('control') ? 1 : 0);
}

const isChecked = (name: string): boolean => $(`#node-input-${name}`).prop('checked') === true;
