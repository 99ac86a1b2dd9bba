import { notFound } from './refusal';
import { publish, type Events } from './events';
import type { Account, MarketState, State } from './state';

/** The lasting state and the stream's memory: everything a step works on. */
export interface World {
	state: State;
	events: Events;
}

export function accountOf(world: World, id: string): Account {
	const account = world.state.accounts.get(id);
	if (!account) throw notFound('unknown_account', 'There is no such account.');
	return account;
}

export function marketOf(world: World, pairId: string): MarketState {
	const market = world.state.markets.get(pairId);
	if (!market)
		throw notFound(
			'unknown_pair',
			'This pair is not supported. GET /partner/exchange/markets lists the pairs there are.',
		);
	return market;
}

let lastTime = 0;
let lastTimestamp = new Date(0).toISOString();

/** Many events share a millisecond, and writing a date is slow. */
export function timestamp(at: number): string {
	if (at !== lastTime) {
		lastTime = at;
		lastTimestamp = new Date(at).toISOString();
	}
	return lastTimestamp;
}

export function tell(world: World, topic: string, accountId: string | null, data: object): void {
	publish(world.events, { topic, accountId, ts: timestamp(world.state.now), data });
}
