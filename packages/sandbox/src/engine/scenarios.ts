import { bestPrice, openQuantity } from './book';
import { balanceOf } from './ledger';
import { payable } from './market';
import { quote, seeded } from './market-maker';
import { requestCancel } from './order-changes';
import { isOpen } from './order-life';
import { placeOrder } from './orders';
import { conflict, invalid } from './refusal';
import type { Account, MarketState, ScenarioRun, Settings } from './state';
import type { Order } from './order';
import { startTransaction } from './transactions';
import { accountOf, type World } from './world';
import { schedule, unschedule } from './schedule';

/** Named market situations to play back, on the live seeded market too. */
interface Scenario {
	label: string;
	help: string;
	stages: readonly Stage[];
	/** Settings that apply from the first stage to the end of the last. */
	effects?: Partial<Settings>;
	/** Needs a running seeded market, and trading that is not halted. */
	needsMarket?: true;
	/** Scenarios that move or hold the price exclude each other. */
	holdsPrice?: true;
	/** Reverts the changes of the stages, when the scenario is stopped after `played` of them. */
	restore?: (world: World, played: number) => void;
}

interface Stage {
	/** Delay after the previous stage. */
	afterMs: number;
	/** Returns the order it placed, or `again` to be retried a little later. */
	play(context: StageContext): Order | 'again' | void;
}

interface StageContext {
	world: World;
	account: Account;
	market: MarketState;
	/** The order that an earlier stage placed. */
	order: Order | undefined;
}

const stage = (afterMs: number, play: Stage['play']): Stage => ({ afterMs, play });
const nothing = (): void => undefined;
const DUE_IN_PAST_MS = 3 * 86_400_000;
const FLASH_MOVE_STEPS = 10;
const FLASH_TRADE = 50_00n;
const FIVE_MINUTES_MS = 300_000;
const BOUGHT = 100_00n;
const FILLED = 40_00n;

export const scenarios = {
	'partial-fill-then-cancel': {
		label: 'Partial fill, then cancel',
		help: 'A buy of 100.00 is filled by 40.00, then its remainder is cancelled',
		// The seeded market pauses, because one of its trades could fill more of the order.
		effects: { marketMaker: 'quiet' },
		holdsPrice: true,
		stages: [
			stage(0, ({ world, account, market }) => {
				const price = insideSpread(market);
				requireFunds(market, account, price * BOUGHT);
				return buy(world, account, market, { price, quantity: BOUGHT });
			}),
			stage(500, ({ world, market, order }) => {
				if (order?.status === 'pending') return 'again';
				if (order?.status === 'accepted') sellInto(world, market, order, FILLED);
			}),
			stage(1_000, ({ world, account, order }) => {
				if (order && isOpen(order) && !order.closing)
					requestCancel(world, account, { order_id: order.id, pair_id: order.pairId });
			}),
			stage(0, ({ order }) => (order && isOpen(order) ? 'again' : undefined)),
		],
	},
	'rejected-order': {
		label: 'Rejected order',
		help: 'An order larger than the funds of the account is taken in, then rejected',
		stages: [
			stage(0, ({ world, account, market }) =>
				buy(world, account, market, { price: beyondFunds(market, account), quantity: market.rules.quantityMax }),
			),
			stage(0, ({ order }) => (order?.status === 'pending' ? 'again' : undefined)),
		],
	},
	'slow-settlement': {
		label: 'Slow settlement',
		help: 'For five minutes orders take 5 s and deposits 30 s to take effect',
		effects: { orderDelayMs: 5_000, settlementDelayMs: 30_000 },
		stages: [stage(0, nothing), stage(FIVE_MINUTES_MS, nothing)],
	},
	'failed-deposit': {
		label: 'Deposit that fails',
		help: 'A deposit of 50000.00 NGN is announced, then fails',
		stages: [
			stage(0, ({ world, account }) => {
				const deposit = { kind: 'deposit', rail: 'fiat', currency: 'NGN', settlementRail: null, chain: null } as const;
				startTransaction(world, account, { ...deposit, amount: 50_000_00n }, 'failed');
			}),
		],
	},
	'credit-overdue': {
		label: 'Credit overdue',
		help: 'The credit line is used, overdue, and blocks withdrawals',
		stages: [
			stage(0, ({ world, account }) => {
				const nextDueAt = world.state.now - DUE_IN_PAST_MS;
				const overdue = { nextDueAt, overdue: true, withdrawalBlocked: true, status: 'overdue' };
				Object.assign(account.credit, { used: 1_250_000_00n, ...overdue });
			}),
		],
	},
	'quiet-market': {
		label: 'Quiet market',
		help: 'For five minutes the seeded market quotes but does not trade',
		effects: { marketMaker: 'quiet' },
		stages: [stage(0, nothing), stage(FIVE_MINUTES_MS, nothing)],
	},
	'flash-move': {
		label: 'Flash move',
		help: 'The price falls by 5 % within seconds and comes back',
		needsMarket: true,
		holdsPrice: true,
		stages: [
			...Array.from({ length: FLASH_MOVE_STEPS }, () =>
				stage(200, ({ world, market }) => move(world, market, -5n, 'sell')),
			),
			...Array.from({ length: FLASH_MOVE_STEPS }, () =>
				stage(1_000, ({ world, market }) => move(world, market, 5n, 'buy')),
			),
		],
		restore(world, played) {
			const down = Math.min(played, 2 * FLASH_MOVE_STEPS - played);
			shift(world, firstMarket(world), 5n * BigInt(down));
		},
	},
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

const contextOf = (world: World, { accountId, orderId }: ScenarioRun): StageContext => ({
	world,
	account: accountOf(world, accountId),
	market: firstMarket(world),
	order: orderId === undefined ? undefined : world.state.orders.get(orderId),
});

const firstMarket = ({ state }: World): MarketState => state.markets.values().next().value as MarketState;

/** One tick above the best bid, or one below the best ask if that would cross. */
function insideSpread({ book, middle }: MarketState): bigint {
	const [bid, ask] = [bestPrice(book, 'buy'), bestPrice(book, 'sell')];
	const above = (bid ?? (ask === undefined ? middle : ask - 2n)) + 1n;
	return ask !== undefined && above >= ask ? ask - 1n : above;
}

function requireFunds(market: MarketState, account: Account, exact: bigint): void {
	if (balanceOf(account, market.rules.quote).available >= payable(market.rules, exact)) return;
	throw conflict('insufficient_funds', `${account.email} has not enough ${market.rules.quote} for this scenario.`);
}

/** A price at which an order of the maximum quantity costs more than the account has. */
function beyondFunds(market: MarketState, account: Account): bigint {
	const { rules } = market;
	const { available } = balanceOf(account, rules.quote);
	const price = [insideSpread(market), rules.priceMax].find(
		(each) => payable(rules, each * rules.quantityMax) > available,
	);
	if (price !== undefined) return price;
	throw conflict('too_rich', `${account.email} can afford every order this market takes; none would be rejected.`);
}

const buy = (
	world: World,
	account: Account,
	{ rules: { pairId } }: MarketState,
	{ price, quantity }: { price: bigint; quantity: bigint },
): Order =>
	placeOrder(world, account, {
		pairId,
		type: 'limit',
		side: 'buy',
		quantity,
		price,
		timeInForce: 'GTC',
		clientOrderId: 'scenario',
	});

/**
 * Sells to this order. Orders with price-time priority over it are filled first, so the sell is larger by their
 * quantity.
 */
function sellInto(world: World, market: MarketState, order: Order, quantity: bigint): void {
	let ahead = 0n;
	for (const { price, queue } of market.book.buy.levels) {
		for (const other of queue) {
			const isAhead = price > (order.price as bigint) || (price === order.price && other.place < order.place);
			if (isAhead) ahead += openQuantity(other);
		}
	}
	seeded(world, market, { side: 'sell', price: null, quantity: ahead + quantity });
}

/** Moves the mid price and makes one trade, so that ticker and candles show the move. */
function move(world: World, market: MarketState, thousandths: bigint, side: 'buy' | 'sell'): void {
	shift(world, market, thousandths);
	seeded(world, market, { side, price: null, quantity: FLASH_TRADE });
}

/** Moves the seeded mid price by thousandths of the opening price. */
function shift(world: World, market: MarketState, thousandths: bigint): void {
	market.middle += (market.rules.openingPrice * thousandths) / 1_000n;
	if (world.state.settings.marketMaker !== 'off') quote(world, market);
}

// Starts, continues and stops scenarios. Runs are part of the state, so they continue after a restart.

/** A stage that waits for an order retries after this time, at most AGAIN_MAX times. */
const AGAIN_MS = 50;
const AGAIN_MAX = 10_000;
const RUNS_MAX = 20;

export function startScenario(world: World, name: ScenarioName, account: Account): { scenario: string } {
	const { state } = world;
	const scenario = scenarioOf(name);
	requireMarket(world, name, scenario);
	if (state.scenarios.length >= RUNS_MAX)
		throw conflict('too_many_scenarios', `At most ${RUNS_MAX} scenarios run at once.`);
	const run: ScenarioRun = {
		number: ++state.taskCount,
		name,
		stage: 0,
		again: 0,
		accountId: account.id,
		effects: scenario.effects ?? {},
	};
	state.scenarios.push(run);
	try {
		playStage(world, run.number);
	} catch (error) {
		end(world, run);
		throw error;
	}
	return { scenario: name };
}

function requireMarket({ state }: World, name: ScenarioName, { needsMarket, holdsPrice }: Scenario): void {
	const other = holdsPrice && state.scenarios.find((run) => scenarioOf(run.name).holdsPrice);
	if (other)
		throw conflict('scenario_running', `${other.name} is running and moves or holds the price. Stop it or let it end.`);
	if (needsMarket && state.settings.marketMaker === 'off')
		throw conflict('no_market_maker', `${name} moves the seeded market, which is off. Set marketMaker to live.`);
	const halted = (needsMarket || holdsPrice) && ![...state.markets.values()][0]?.rules.trading;
	if (halted) throw conflict('market_halted', `${name} needs a market that trades. Resume trading first.`);
}

/** Stops all runs of a scenario; orders they placed stay. */
export function stopScenario(world: World, name: ScenarioName): { scenario: string } {
	const { restore } = scenarioOf(name);
	for (const run of world.state.scenarios.filter((each) => each.name === name)) {
		end(world, run);
		restore?.(world, run.stage);
	}
	return { scenario: name };
}

function end({ state }: World, { number }: ScenarioRun): void {
	state.scenarios = state.scenarios.filter((run) => run.number !== number);
	unschedule(state, (step) => step.kind === 'scenario' && step.number === number);
}

export function playStage(world: World, number: number): void {
	const { state } = world;
	const run = state.scenarios.find((each) => each.number === number);
	if (!run) return;
	const { stages } = scenarioOf(run.name);
	const played = stages[run.stage]?.play(contextOf(world, run));
	if (played === 'again' && run.again < AGAIN_MAX) {
		run.again++;
		return schedule(state, state.now + AGAIN_MS, { kind: 'scenario', number });
	}
	if (played && played !== 'again') run.orderId = played.id;
	const next = stages[++run.stage];
	if (!next) return end(world, run);
	run.again = 0;
	schedule(state, state.now + next.afterMs, { kind: 'scenario', number });
}

function scenarioOf(name: string): Scenario {
	if (!Object.hasOwn(scenarios, name)) throw invalid('unknown_scenario', `There is no scenario ${String(name)}.`);
	return scenarios[name as ScenarioName];
}
