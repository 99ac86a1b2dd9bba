import { requestCancel } from './order-changes';
import { isOpen } from './order-life';
import { placeOrder } from './orders';
import { quote, seeded } from './market-maker';
import { bestPrice } from './book';
import { schedule, unschedule } from './schedule';
import { settingsDefault } from './seed';
import { startTransaction } from './transactions';
import { invalid } from './refusal';
import type { Account, MarketState, Order } from './state';
import { accountOf, type World } from './world';

/** Scripted market situations started by name. Each is a list of stages with a delay before each. */
interface Stage {
	afterMs: number;
	play(stage: { world: World; account: Account; market: MarketState; order: Order | undefined }): Order | void;
}

interface Scenario {
	label: string;
	help: string;
	stages: readonly Stage[];
	/** Reverts exchange-wide changes when the scenario is stopped early, after `played` stages. */
	restore?: (world: World, played: number) => void;
}

const stage = (afterMs: number, play: Stage['play']): Stage => ({ afterMs, play });
const DUE_IN_PAST_MS = 3 * 86_400_000;
const FLASH_MOVE_STEPS = 10;
const FIVE_MINUTES_MS = 300_000;

export const scenarios = {
	'partial-fill-then-cancel': {
		label: 'Partial fill, then cancel',
		help: 'A buy of 100.00 is filled by 40.00, then its remainder is cancelled',
		stages: [
			stage(0, ({ world, account, market }) => restingBuy(world, account, market, 100_00n)),
			stage(500, ({ world, market, order }) => void (order && sellTo(world, market, order, 40_00n))),
			stage(1_000, ({ world, account, order }) => {
				if (order && isOpen(order) && !order.closing)
					requestCancel(world, account, { order_id: order.id, pair_id: order.pairId });
			}),
		],
	},
	'rejected-order': {
		label: 'Rejected order',
		help: 'An order larger than the funds of the account is taken in, then rejected',
		stages: [stage(0, ({ world, account, market }) => restingBuy(world, account, market, market.rules.quantityMax))],
	},
	'slow-settlement': {
		label: 'Slow settlement',
		help: 'For five minutes orders take 5 s and deposits 30 s to take effect',
		stages: [
			stage(
				0,
				({ world }) => void Object.assign(world.state.settings, { orderDelayMs: 5_000, settlementDelayMs: 30_000 }),
			),
			stage(FIVE_MINUTES_MS, ({ world }) => usualDelays(world)),
		],
		restore: usualDelays,
	},
	'failed-deposit': {
		label: 'Deposit that fails',
		help: 'A deposit of 50000.00 NGN is announced, then fails',
		stages: [
			stage(0, ({ world, account }) => {
				const movement = {
					kind: 'deposit',
					rail: 'fiat',
					currency: 'NGN',
					settlementRail: null,
					chain: null,
					amount: 50_000_00n,
				} as const;
				startTransaction(world, account, movement, 'failed');
			}),
		],
	},
	'credit-overdue': {
		label: 'Credit overdue',
		help: 'The credit line is used, overdue, and blocks withdrawals',
		stages: [
			stage(0, ({ world, account }) => {
				const nextDueAt = world.state.now - DUE_IN_PAST_MS;
				Object.assign(account.credit, {
					used: 1_250_000_00n,
					nextDueAt,
					overdue: true,
					withdrawalBlocked: true,
					status: 'overdue',
				});
			}),
		],
	},
	'quiet-market': {
		label: 'Quiet market',
		help: 'For five minutes the seeded market quotes but does not trade',
		stages: [
			stage(0, ({ world }) => setMarketMaker(world, 'quiet')),
			stage(FIVE_MINUTES_MS, ({ world }) => setMarketMaker(world, 'live')),
		],
		restore: (world) => setMarketMaker(world, 'live'),
	},
	'flash-move': {
		label: 'Flash move',
		help: 'The price falls by 5 % within seconds and comes back',
		stages: [
			...Array.from({ length: FLASH_MOVE_STEPS }, () => stage(200, ({ world, market }) => shift(world, market, -5n))),
			...Array.from({ length: FLASH_MOVE_STEPS }, () => stage(1_000, ({ world, market }) => shift(world, market, 5n))),
		],
		restore(world, played) {
			const down = Math.min(played, 2 * FLASH_MOVE_STEPS - played);
			shift(world, firstMarket(world), 5n * BigInt(down));
		},
	},
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

export function startScenario(world: World, name: ScenarioName, account: Account): { scenario: string } {
	if (!Object.hasOwn(scenarios, name)) throw invalid('unknown_scenario', `There is no scenario ${String(name)}.`);
	playStage(world, { name, stage: 0, accountId: account.id });
	return { scenario: name };
}

/** Stops every run of it; orders it placed stay. */
export function stopScenario(world: World, name: ScenarioName): { scenario: string } {
	if (!Object.hasOwn(scenarios, name)) throw invalid('unknown_scenario', `There is no scenario ${String(name)}.`);
	const { restore }: Scenario = scenarios[name];
	const runs = world.state.tasks.flatMap(({ step }) => (step.kind === 'scenario' && step.name === name ? [step] : []));
	unschedule(world.state, (step) => step.kind === 'scenario' && step.name === name);
	for (const { stage: played } of runs) restore?.(world, played);
	return { scenario: name };
}

export function playStage(
	world: World,
	step: { name: string; stage: number; accountId: string; orderId?: string },
): void {
	const { stages }: Scenario = scenarios[step.name as ScenarioName];
	const account = accountOf(world, step.accountId);
	const market = firstMarket(world);
	const order = step.orderId === undefined ? undefined : world.state.orders.get(step.orderId);
	const started = stages[step.stage]?.play({ world, account, market, order });
	const next = stages[step.stage + 1];
	if (!next) return;
	const orderId = started ? started.id : step.orderId;
	schedule(world.state, world.state.now + next.afterMs, { ...step, kind: 'scenario', stage: step.stage + 1, orderId });
}

const firstMarket = ({ state }: World): MarketState => state.markets.values().next().value as MarketState;

function usualDelays({ state }: World): void {
	const { orderDelayMs, settlementDelayMs } = settingsDefault;
	Object.assign(state.settings, { orderDelayMs, settlementDelayMs });
}

const setMarketMaker = ({ state }: World, mode: 'quiet' | 'live'): void => {
	if (state.settings.marketMaker !== 'off') state.settings.marketMaker = mode;
};

/** Buys at the best bid or one tick above the middle, where nothing crosses it. */
function restingBuy(world: World, account: Account, market: MarketState, quantity: bigint): Order {
	const price = (bestPrice(market.book, 'buy') ?? market.middle - 1n) + 1n;
	const { pairId } = market.rules;
	return placeOrder(world, account, {
		pairId,
		type: 'limit',
		side: 'buy',
		quantity,
		price,
		timeInForce: 'GTC',
		clientOrderId: 'scenario',
	});
}

function sellTo(world: World, market: MarketState, order: Order, quantity: bigint): void {
	if (isOpen(order) && bestPrice(market.book, 'buy') === order.price)
		seeded(world, market, { side: 'sell', price: null, quantity });
}

/** Moves the seeded mid price by thousandths of the opening price. */
function shift(world: World, market: MarketState, thousandths: bigint): void {
	market.middle += (market.rules.openingPrice * thousandths) / 1_000n;
	if (world.state.settings.marketMaker !== 'off') quote(world, market);
}
