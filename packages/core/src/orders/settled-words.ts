import type { Settlement } from './deps';

const words = {
	accepted: 'it was done',
	refused: 'it was not done',
	unknown: 'it is still unknown: settle it with Resolve Order',
} as const satisfies Record<Settlement['outcome'], string>;

/** What became of an order write of unknown outcome, in one sentence for a log. */
export function settledWords({ key, fields, outcome, result }: Settlement): string {
	const id = String(fields.client_order_id ?? fields.order_id ?? key);
	const order = typeof result?.order_id === 'string' ? ` (order ${result.order_id})` : '';
	return `An order write whose outcome was unknown (${id}) was looked for: ${words[outcome]}${order}`;
}
