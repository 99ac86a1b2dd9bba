/**
 * Fills in properties that a node from a hand-written flow or an earlier version lacks, with the defaults of the
 * runtime.
 */
import { $, type EditorNode } from './host';

export function fillDefaults(node: EditorNode): void {
	for (const [name, { value }] of Object.entries(node._def.defaults)) {
		if (node[name] !== undefined) continue;
		if (typeof value === 'boolean') $(`#node-input-${name}`).prop('checked', value);
		else if (typeof value === 'string') $(`#node-input-${name}`).val(value);
		else node[name] = value;
	}
}
