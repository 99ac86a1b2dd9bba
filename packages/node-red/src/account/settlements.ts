/** Listeners for the final status of orders whose outcome was unknown. */
import type { Settlement } from '@partner-exchange/core';

/** Most listeners at once; the oldest is dropped first. */
const WAITING_MAX = 100;

type Hear = (settlement: Settlement) => void;

export interface Settlements {
	/** Calls `hear` once, when the order with this idempotency key is settled. */
	follow(key: string, hear: Hear): void;
	tell(settlement: Settlement): void;
}

export function createSettlements(): Settlements {
	const waiting = new Map<string, Hear>();
	return {
		follow: (key, hear) => {
			waiting.delete(key);
			waiting.set(key, hear);
			const [oldest] = waiting.keys();
			if (waiting.size > WAITING_MAX && oldest !== undefined) waiting.delete(oldest);
		},
		tell: (settlement) => {
			const hear = waiting.get(settlement.key);
			waiting.delete(settlement.key);
			hear?.(settlement);
		},
	};
}

/** The status text of a settlement. */
export const settledStatus = ({ outcome }: Settlement) =>
	({ fill: outcome === 'unknown' ? 'yellow' : 'green', text: `order settled · ${outcome}` }) as const;
