import type { HttpResponse } from '@partner-exchange/core';
import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { isOpen } from '../../../packages/sandbox/src/engine/order-life';
import { OWN } from './story';

/** A service that loses fills and finished orders in a restart. */
export interface Records {
	restart(): void;
	/** Whether it no longer has an order or a fill. */
	isForgotten(id: string): boolean;
	/** Its response to a read of a lost record. */
	answerTo(url: string): HttpResponse | undefined;
}

const ONE_ORDER = /\/orders\/([^/?]+)(?:\?|$)/;

const unknownOrder: HttpResponse = {
	status: 404,
	headers: {},
	body: JSON.stringify({ error: { code: 'unknown_order', message: 'The account has no such order.' } }),
};

export function keepRecords({ engine: { state } }: Exchange): Records {
	const forgotten = new Set<string>();
	const isForgotten = (id: string): boolean => forgotten.has(id);

	return {
		restart: () => {
			const { orders, fills } = state.accounts.get(OWN)!;
			for (const { id } of fills) forgotten.add(id);
			for (const id of orders) {
				const order = state.orders.get(id);
				if (!order || !isOpen(order)) forgotten.add(id);
			}
		},
		isForgotten,
		answerTo: (url) => (isForgotten(ONE_ORDER.exec(url)?.[1] ?? '') ? unknownOrder : undefined),
	};
}
