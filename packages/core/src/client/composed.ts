import type { Composition } from '../catalogue';
import { cancelOpenOrders } from './cancel-open';
import { estimateOrder } from './estimate';
import { summarizeFills } from './fill-summary';
import type { Composing } from './contract';

/** How each operation that is computed from others is computed. */
export const composed: Readonly<Record<Composition, (composing: Composing) => Promise<unknown>>> = {
	cancel_open: cancelOpenOrders,
	estimate: estimateOrder,
	fill_summary: summarizeFills,
};
