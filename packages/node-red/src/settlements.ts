/** Who waits to hear what became of an order after its outcome was unknown. */
import type { Settlement } from '@partner-exchange/core';

/** More are not looked for at once; who waits longest is forgotten first. */
const WAITING_MAX = 100;

type Hear = (settlement: Settlement) => void;

export interface Settlements {
	/** Told once, by the idempotency key of the order. */
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

/** How a status says what was found. */
export const settledStatus = ({ outcome }: Settlement) =>
	({ fill: outcome === 'unknown' ? 'yellow' : 'green', text: `order settled · ${outcome}` }) as const;
