import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { Refusal } from '../../../packages/sandbox/src/engine/refusal';
import type { Random } from '../support/random';

/** How the traders of a simulation reach the exchange: not over the stream. */
export interface Placing {
	chance: Random;
	exchange: Exchange;
	/** Called for every action, for the trace. */
	note(...parts: string[]): void;
}

/** Actions may be too late or impossible, like those of people. */
export function attempt<T>({ exchange, note }: Placing, action: () => T): T | undefined {
	try {
		exchange.catchUp();
		return action();
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		note('refused:', error.code);
		return undefined;
	}
}

/** Returns the ID of the order it was about. */
export function order(
	{ chance, exchange, note }: Placing,
	accountId: string,
	action: 'create' | 'cancel' | 'replace',
	fields: Record<string, unknown>,
): string {
	exchange.catchUp();
	note(accountId, action, JSON.stringify(fields));
	const key = chance.uuid();
	const { data } = exchange.apply({ kind: `order_${action}`, accountId, fields, key, fingerprint: key });
	return (data as { order_id: string }).order_id;
}
