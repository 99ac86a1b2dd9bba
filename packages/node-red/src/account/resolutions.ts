/** Listeners for the final status of orders whose outcome was unknown. */
import type { Resolution } from '@partner-exchange/core';

/** Most listeners at once; the oldest is dropped first. */
const WAITING_MAX = 100;

type Hear = (resolution: Resolution) => void;

export interface Resolutions {
	/** Calls `hear` once, when the order with this idempotency key is settled. */
	follow(key: string, hear: Hear): void;
	tell(resolution: Resolution): void;
}

export function createResolutions(): Resolutions {
	const waiting = new Map<string, Hear>();
	return {
		follow: (key, hear) => {
			waiting.delete(key);
			waiting.set(key, hear);
			const [oldest] = waiting.keys();
			if (waiting.size > WAITING_MAX && oldest !== undefined) waiting.delete(oldest);
		},
		tell: (resolution) => {
			const hear = waiting.get(resolution.key);
			waiting.delete(resolution.key);
			hear?.(resolution);
		},
	};
}

/** The status text of a resolution. */
export const resolutionStatus = ({ outcome }: Resolution) =>
	({ fill: outcome === 'unknown' ? 'yellow' : 'green', text: `order resolved · ${outcome}` }) as const;
