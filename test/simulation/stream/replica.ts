import { createExchange, type Exchange, type ExchangeOptions } from '../../../packages/sandbox/src/api/exchange';
import type { Action } from '../../../packages/sandbox/src/engine/actions';
import type { VirtualTime } from '../support/time';

/**
 * The exchange as it was a while ago, for lists that lag. The same seed and the same actions at the same times give the
 * same exchange, IDs included, so a copy that receives every action late is exactly that.
 */
export interface Replica {
	record(at: number, action: Action): void;
	handle: Exchange['handle'];
}

export function openReplica(options: ExchangeOptions, time: VirtualTime, lagMs: number): Replica {
	const current = () => time.now() - lagMs;
	const exchange = createExchange({ ...options, clock: { now: current, wakeAt: () => undefined } });
	const journal: { at: number; action: Action }[] = [];
	return {
		record: (at, action) => void journal.push({ at, action }),
		handle: (request) => {
			while (journal[0] && journal[0].at <= current()) {
				const { at, action } = journal.shift()!;
				exchange.engine.advanceTo(at);
				exchange.engine.apply(action);
			}
			return exchange.handle(request);
		},
	};
}
