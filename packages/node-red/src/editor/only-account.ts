/** Where there is one account, nobody has to choose it: nodes that name none take it, and later ones find it chosen. */
import { ACCOUNT_TYPE, PREFIX } from '../types';
import { $, RED, type EditorNode } from './host';

/** Nodes that were dragged in or imported, and accounts that were added. Flows being loaded are left as they were deployed. */
export function watchAdded(): void {
	let loaded = false;
	RED.events.on('flows:loaded', () => (loaded = true));
	RED.events.on('nodes:add', (node) => {
		if (!loaded || !node.type.startsWith(PREFIX)) return;
		// The editor still fills the node in, and an import still adds the account that comes with it.
		setTimeout(() => (node.type === ACCOUNT_TYPE ? RED.nodes.eachNode(adopt) : adopt(node)), 0);
	});
}

/** The form of a node that names no account opens with the only one. */
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
