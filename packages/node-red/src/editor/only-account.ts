/** If the workspace has exactly one account, assigns it to nodes without an account, and preselects it in forms. */
import { ACCOUNT_TYPE, PREFIX } from '../types';
import { $, RED, type EditorNode } from './host';

/** Watches for nodes dragged in or imported, and for new accounts. Nodes loaded from deployed flows are not changed. */
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
