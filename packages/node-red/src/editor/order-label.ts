/** The label of an order on the canvas. */
import type { EditorNode } from './host';
import { isVariable } from './validation';
import { say } from './words';

/** The order in the form, such as `buy 10 USD at 1500`; empty where the message says what is traded. */
export function orderLabel(node: EditorNode): string {
	const [side, quantity, pair, type, price] = ['side', 'quantity', 'pair_id', 'order_type', 'price'].map((name) =>
		typed(node, name),
	);
	const [base] = pair!.toUpperCase().split(/[/_-]/);
	if (!side || !base) return '';
	const limit = type === 'limit' && price ? say('common.at', { price }) : '';
	return [say(`events.fields.side.values.${side}`), quantity, base, limit].filter(Boolean).join(' ');
}

function typed(node: EditorNode, name: string): string {
	const value = String(node[name] ?? '').trim();
	return (node[`${name}Type`] ?? 'str') === 'str' && !isVariable(value) ? value : '';
}
