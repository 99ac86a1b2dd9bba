import { pairKey } from '@partner-exchange/core/catalogue';
import { perform, type Action, type Outcome } from './actions';
import { createEvents, EVENTS_KEPT_DEFAULT, startEpoch } from './events';
import { STEP_MS, stepMarketMaker, startMarketMaker } from './market-maker';
import { applyCancel, applyReplace } from './order-changes';
import { processOrder } from './orders';
import { issueKey, seedState, type KeyGrant } from './seed';
import { FIRST_RUN, type RunId } from './random';
import { levelRecord } from './records';
import { playStage } from './scenarios';
import { takeDue, unschedule } from './schedule';
import { settleTransaction } from './transactions';
import { quantityAt, takeChanges } from './book';
import type { Side } from './order';
import type { MarketState, Settings, State, Step } from './state';
import { emitEvent, timestamp, type World, type WorldView } from './world';

export interface EngineOptions {
	/** Seed of identifiers, and of the prices and times of the seeded market. */
	seed?: number;
	/** Milliseconds since 1970; the engine reads no clock. */
	now?: number;
	settings?: Partial<Settings>;
	keys?: readonly KeyGrant[];
	/** Events kept per topic for clients that resume. */
	eventsKept?: number;
	/** Part of every identifier and epoch; the same seed and run produce the same bytes. */
	run?: RunId;
	/** A saved state to continue from, in a new epoch. */
	state?: State;
}

/** The exchange without I/O: time and actions are arguments, and events are published through `events`. */
export interface Engine extends WorldView {
	/** Advances time and runs scheduled steps in order, each at its own time. */
	advanceTo(now: number): void;
	/** Time of the next scheduled step. */
	nextDue(): number | undefined;
	/** Applies one action, or throws a Refusal without changing anything. */
	apply(action: Action): Outcome;
	/** Starts a new stream epoch, as after a restart. */
	startEpoch(): void;
	/** Resumes a saved exchange with these changes; the seeded market does not simulate the downtime. */
	reopen(now: number, changes?: Pick<EngineOptions, 'settings' | 'keys'>): void;
}

const SEED_DEFAULT = 1;
export const OPENING_TIME_DEFAULT = Date.UTC(2026, 0, 1);

export function createEngine(options: EngineOptions = {}): Engine {
	const { seed = SEED_DEFAULT, now = OPENING_TIME_DEFAULT, settings = {}, keys = [], run = FIRST_RUN } = options;
	const state = options.state ?? seedState({ seed, now, settings, keys, run });
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
			startEpoch(events, epochOf(state));
		},
		reopen(time, changes = {}) {
			Object.assign(state.settings, onlyGiven(changes.settings));
			for (const grant of changes.keys ?? []) issueKey(state, grant);
			reopen(world, time);
		},
	};
}

const onlyGiven = (settings: Partial<Settings> = {}): Partial<Settings> =>
	Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

/** Unique among the epochs of this exchange and of all others. */
const epochOf = ({ run, openings }: State): string => `${run}-${openings + 1}`;

function advanceTo(world: World, now: number): void {
	const { state } = world;
	for (let task = takeDue(state, now); task; task = takeDue(state, now)) {
		if (task.at > state.now) state.now = task.at;
		runStep(world, task.step);
		publishBooks(world);
	}
	if (now > state.now) state.now = now;
}

function reopen(world: World, now: number): void {
	const { state, events } = world;
	unschedule(state, ({ kind }) => kind === 'market_maker');
	advanceTo(world, now);
	if (state.settings.marketMaker !== 'off') startMarketMaker(world, STEP_MS);
	state.openings++;
	startEpoch(events, epochOf(state));
}

function runStep(world: World, step: Step): void {
	switch (step.kind) {
		case 'process_order':
			return processOrder(world, step.orderId);
		case 'cancel_order':
			return applyCancel(world, step.orderId);
		case 'replace_order':
			return applyReplace(world, step);
		case 'settle_transaction':
			return settleTransaction(world, step.transactionId, step.outcome);
		case 'market_maker':
			return stepMarketMaker(world);
		case 'scenario':
			return playStage(world, step.number);
	}
}

/** Publishes one book update per step and pair with the changed levels; quantity zero removes a level. */
function publishBooks(world: World): void {
	for (const market of world.state.markets.values()) {
		const { book, rules } = market;
		if (book.buy.changed.length + book.sell.changed.length === 0) continue;
		book.sequence++;
		emitEvent(world, `orderbook.${pairKey(rules.pairId)}`, null, {
			pair_id: rules.pairId,
			bids: changedLevels(market, 'buy'),
			asks: changedLevels(market, 'sell'),
			sequence: book.sequence,
			timestamp: timestamp(world.state.now),
		});
	}
}

function changedLevels({ book, rules }: MarketState, side: Side): object[] {
	return takeChanges(book[side]).map((price) => levelRecord(BigInt(price), quantityAt(book[side], price, side), rules));
}
