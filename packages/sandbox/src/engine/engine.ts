import { pairKey } from '@partner-exchange/core/catalogue';
import { perform, type Action, type Outcome } from './actions';
import { createEvents, EVENTS_KEPT_DEFAULT, startEpoch, type Events } from './events';
import { stepMarketMaker, startMarketMaker } from './market-maker';
import { carryOutCancel, carryOutReplace } from './order-changes';
import { processOrder } from './orders';
import { openState, type KeyGrant } from './opening';
import { levelRecord } from './records';
import { playStage } from './scenarios';
import { takeDue, unplan, type Step } from './schedule';
import { settleTransaction } from './transactions';
import type { Book, BookSide } from './book';
import type { MarketState, Settings, State } from './state';
import { tell, timestamp, type World } from './world';

export interface EngineOptions {
	/** Fixes identifiers, prices and times of everything the exchange does by itself. */
	seed?: number;
	/** Milliseconds since 1970; the engine never asks a clock. */
	now?: number;
	settings?: Partial<Settings>;
	keys?: readonly KeyGrant[];
	/** Events kept per topic for replay. */
	eventsKept?: number;
	/** How often it was opened before, where it starts anew. */
	openings?: number;
	/** A state saved earlier; the exchange continues from it in a new epoch. */
	state?: State;
}

/** The exchange without any wire: time and requests come in as arguments, events go out through `events`. */
export interface Engine extends World {
	/** Lets time pass and does what falls due, each thing at its own time. */
	advanceTo(now: number): void;
	/** When something is due next. */
	nextDue(): number | undefined;
	/** Does one thing now, or throws a Refusal having done nothing. */
	apply(action: Action): Outcome;
	/** A new stream epoch, as after a restart: positions start over. */
	startEpoch(): void;
	/** Continues a saved exchange after a pause; the seeded market does not make up for it. */
	reopen(now: number): void;
}

export const SEED_DEFAULT = 1;
export const OPENING_TIME_DEFAULT = Date.UTC(2026, 0, 1);

export function createEngine(options: EngineOptions = {}): Engine {
	const { seed = SEED_DEFAULT, now = OPENING_TIME_DEFAULT, settings = {}, keys = [], openings = 0 } = options;
	const state = options.state ?? openState({ seed, now, settings, keys, openings });
	const events = createEvents(epochOf(state), options.eventsKept ?? EVENTS_KEPT_DEFAULT);
	const world: World = { state, events };
	return {
		...world,
		advanceTo: (time) => advanceTo(world, time),
		nextDue: () => state.tasks[0]?.at,
		apply(action) {
			const outcome = perform(world, action);
			publishBooks(world);
			return outcome;
		},
		startEpoch() {
			state.openings++;
			state.openedAt = state.now;
			startEpoch(events, epochOf(state));
		},
		reopen: (time) => reopen(world, time),
	};
}

/** Differs from that of every earlier opening, also of an exchange that kept nothing. */
const epochOf = ({ openings, openedAt }: State): string => `${openedAt.toString(36)}-${openings + 1}`;

function advanceTo(world: World, now: number): void {
	const { state } = world;
	for (let task = takeDue(state, now); task; task = takeDue(state, now)) {
		if (task.at > state.now) state.now = task.at;
		take(world, task.step);
		publishBooks(world);
	}
	if (now > state.now) state.now = now;
}

function reopen(world: World, now: number): void {
	const { state, events } = world;
	unplan(state, ({ kind }) => kind === 'market_maker');
	advanceTo(world, now);
	if (state.settings.marketMaker !== 'off') startMarketMaker(world);
	state.openings++;
	state.openedAt = state.now;
	startEpoch(events, epochOf(state));
}

function take(world: World, step: Step): void {
	switch (step.kind) {
		case 'process_order':
			return processOrder(world, step.orderId);
		case 'cancel_order':
			return carryOutCancel(world, step.orderId);
		case 'replace_order':
			return carryOutReplace(world, step);
		case 'settle_transaction':
			return settleTransaction(world, step.transactionId, step.outcome);
		case 'market_maker':
			return stepMarketMaker(world);
		case 'scenario':
			return playStage(world, step);
	}
}

/** One update per step and pair: the levels that changed, with quantity zero where a level is gone. */
function publishBooks(world: World): void {
	for (const market of world.state.markets.values()) {
		const { book, rules } = market;
		if (book.buy.changed.size + book.sell.changed.size === 0) continue;
		book.sequence++;
		tell(world, `orderbook.${pairKey(rules.pairId)}`, null, {
			pair_id: rules.pairId,
			bids: changedLevels(market, book.buy),
			asks: changedLevels(market, book.sell),
			sequence: book.sequence,
			timestamp: timestamp(world.state.now),
		});
	}
}

function changedLevels({ rules }: MarketState, side: BookSide): object[] {
	const levels = [...side.changed].map((price) =>
		levelRecord(BigInt(price), side.levels.get(price)?.quantity ?? 0n, rules),
	);
	side.changed.clear();
	return levels;
}

export type { Action, Book, Events, Outcome, Settings, State };
