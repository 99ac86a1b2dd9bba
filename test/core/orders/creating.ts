import {
	createInFlightIntents,
	type Account,
	type CallContext,
	type Item,
	type OrderPorts,
} from '@partner-exchange/core';
import { handlerOf } from '../../../packages/core/src/orders/handlers';
import { ownerOf } from '../../../packages/core/src/orders/journal';
import { newIntent } from '../../../packages/core/src/orders/machine/state';
import type { OrderList } from '../../../packages/core/src/orders/log/order-list';
import { planOf } from '../../../packages/core/src/orders/plan';
import type { Accepted } from '../../../packages/core/src/wire/request';

export const BEGAN = Date.UTC(2026, 0, 31);
export const at = (ms: number): string => new Date(BEGAN + ms).toISOString();
export const fields = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };
const account: Account = {
	environment: 'sandbox',
	baseUrl: 'http://127.0.0.1:1024/v1',
	wsUrl: 'ws://127.0.0.1:1024/v1/ws',
	apiKey: 'k',
};

export interface PlacingOptions {
	context?: CallContext;
	input?: Accepted;
	/** The service's response to the order, and its status. */
	answer?: unknown;
	status?: number;
	listed?: Item[];
	gap?: string;
	/** Other intents and the orders they are known to have placed. */
	placed?: Record<string, string>;
	isTimed?: boolean;
	/** The list shows no client order ids. */
	hidesNames?: boolean;
	host?: OrderPorts;
	checks?: () => Promise<unknown>;
}

/** Places a new order against a service with these responses and lists. */
export function creating({
	context = { intent: 'a' },
	input = fields,
	answer,
	status = 200,
	listed = [],
	gap,
	isTimed = true,
	hidesNames = false,
	...options
}: PlacingOptions = {}) {
	const plan = planOf('order.create', input, context, { ports: { newId: () => 'run' } });
	const inFlight = createInFlightIntents();
	for (const [key, order_id] of Object.entries(options.placed ?? {}))
		inFlight.conclude(key, '', {
			outcome: { is: 'accepted', result: { order_id }, by: 'answer' },
			state: newIntent(0),
		});
	const looks: unknown[] = [];
	const deps = {
		...{ account, owner: ownerOf(account), inFlight, host: options.host ?? {} },
		service: { at: () => (isTimed ? BEGAN : undefined) },
		ports: {
			clock: { now: () => BEGAN, elapsed: () => 0 },
			send: () =>
				answer instanceof Error
					? Promise.reject(answer)
					: Promise.resolve({ status, headers: {}, body: JSON.stringify({ status: 'success', data: answer }) }),
		},
		list: {
			look: ({ matches, isThorough, since }: Parameters<OrderList['look']>[0]) => {
				looks.push({ isThorough, since });
				const orders = listed
					.map(({ ...order }) => {
						if (hidesNames) delete order.client_order_id;
						return hidesNames ? order : { client_order_id: plan.key, ...order };
					})
					.filter(matches);
				const complete = orders.length === 0 && gap === undefined;
				return Promise.resolve({ orders, complete, gap, hidesNames });
			},
		},
	};
	const handler = handlerOf(plan, deps as never, options.checks ?? (() => Promise.resolve()));
	const lookup = (isEarlier = false) => handler.lookup({ isThorough: false, isEarlier });
	return { ...handler, lookup, looks, plan };
}
