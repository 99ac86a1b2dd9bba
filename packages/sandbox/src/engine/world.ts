import { notFound } from './refusal';
import { publish, type Events } from './events';
import type { Account, AccountView, MarketState, MarketView, State, StateView } from './state';

/** The persistent state and the replay buffer of the stream, on which every step works. */
export interface World {
	state: State;
	events: Events;
}

/** Read-only view of the world: only actions, which the journal records, change the state. */
export interface WorldView {
	readonly state: StateView;
	readonly events: Events;
}

export function accountOf(world: World, id: string): Account;
export function accountOf(world: WorldView, id: string): AccountView;
export function accountOf(world: WorldView, id: string): AccountView {
	const account = world.state.accounts.get(id);
	if (!account) throw notFound('unknown_account', 'There is no such account.');
	return account;
}

export function marketOf(world: World, pairId: string): MarketState;
export function marketOf(world: WorldView, pairId: string): MarketView;
export function marketOf(world: WorldView, pairId: string): MarketView {
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

/** The last result is cached, because many events share a millisecond and formatting a date is slow. */
export function timestamp(at: number): string {
	if (at !== lastTime) {
		lastTime = at;
		lastTimestamp = new Date(at).toISOString();
	}
	return lastTimestamp;
}

export function emitEvent(world: World, topic: string, accountId: string | null, data: object): void {
	publish(world.events, { topic, accountId, ts: timestamp(world.state.now), data });
}
