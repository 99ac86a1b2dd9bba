/** What forms fill in by themselves. */
import { $, type EditorNode, RED } from './host';
import { ACCOUNT_TYPE, PREFIX } from '../types';

/** Fills in the defaults of the runtime where a node of a hand-written flow lacks a property. */
export function fillDefaults(node: EditorNode): void {
	for (const [name, { value }] of Object.entries(node._def.defaults)) {
		if (node[name] !== undefined) continue;
		if (typeof value === 'boolean') $(`#node-input-${name}`).prop('checked', value);
		else if (typeof value === 'string') $(`#node-input-${name}`).val(value);
		else node[name] = value;
	}
}

/** Gives the only account of a workspace to nodes that are dragged in or imported. What a flow was deployed with stays. */
export function watchAdded(): void {
	let loaded = false;
	RED.events.on('flows:loaded', () => (loaded = true));
	RED.events.on('nodes:add', (node) => {
		if (!loaded || !node.type.startsWith(PREFIX)) return;
		// Deferred, because the editor has not filled in the node yet, and an import may still add the account.
		setTimeout(() => (node.type === ACCOUNT_TYPE ? RED.nodes.eachNode(adopt) : adopt(node)), 0);
	});
}

/** Preselects the only account in the form of a node without one. */
export function chooseOnly(node: EditorNode): void {
	const account = onlyAccount();
	if (!node.account && account) $('#node-input-account').val(account.id).trigger('change');
}

function adopt(node: EditorNode): void {
	const account = onlyAccount();
	if (!account || !node.type.startsWith(PREFIX) || node.account) return;
	node.account = account.id;
	node.changed = true;
	node.dirty = true;
	RED.nodes.updateConfigNodeUsers?.(node, { action: 'add' });
	RED.editor.validateNode(node);
	RED.nodes.dirty(true);
	RED.view.redraw();
}

function onlyAccount(): EditorNode | undefined {
	const accounts: EditorNode[] = [];
	RED.nodes.eachConfig((config) => void (config.type === ACCOUNT_TYPE && accounts.push(config)));
	return accounts.length === 1 ? accounts[0] : undefined;
}
