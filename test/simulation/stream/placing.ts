import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { Refusal } from '../../../packages/sandbox/src/engine/refusal';
import type { Random } from '../support/random';

/** How those who trade in a simulation reach the exchange: through other doors than the stream. */
export interface Placing {
	chance: Random;
	exchange: Exchange;
	/** Told of every action, for the trace. */
	note(...parts: string[]): void;
}

/** Actions may come too late or be impossible, as those of people are. */
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

/** Answers the identifier of the order it was about. */
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
