import { cancelOrder } from './order-life';
import { admit, newOrder } from './orders';
import { drawBelow } from './random';
import { schedule, unschedule } from './schedule';
import { settingsInForce } from './settings';
import type { Account, MarketState, Side } from './state';
import { accountOf, type World } from './world';

/** The seeded market: one account quotes around a random walk, another takes from it. */

export const MAKER_ID = 'seeded-maker';
export const TAKER_ID = 'seeded-taker';
const STEP_MS = 500;
const LEVELS = 10;
const LEVEL_GAP = 50n;
const WANDER_MAX = 40;
const TRADE_CHANCE_PERCENT = 45;

export function startMarketMaker(world: World): void {
	schedule(world.state, world.state.now, { kind: 'market_maker' });
}

/** Takes the quotes off the book and leaves it to the clients. */
export function stopMarketMaker(world: World): void {
	unschedule(world.state, ({ kind }) => kind === 'market_maker');
	for (const market of world.state.markets.values()) withdrawQuotes(world, market);
}

export function stepMarketMaker(world: World): void {
	const { random, markets } = world.state;
	const settings = settingsInForce(world.state);
	if (settings.marketMaker === 'off') return;
	for (const market of markets.values()) {
		if (market.rules.trading) quote(world, market);
		if (settings.marketMaker === 'live' && drawBelow(random.market, 100) < TRADE_CHANCE_PERCENT)
			tradeSome(world, market);
	}
	schedule(world.state, world.state.now + STEP_MS, { kind: 'market_maker' });
}

/** Moves the mid price (mean-reverting random walk) and replaces the quotes on both sides. */
export function quote(world: World, market: MarketState): void {
	const { random } = world.state;
	const pull = market.middle > market.rules.openingPrice ? -1 : 1;
	if (settingsInForce(world.state).marketMaker === 'live') {
		market.middle += BigInt(drawBelow(random.market, 2 * WANDER_MAX + 1) - WANDER_MAX + 2 * pull);
	}
	withdrawQuotes(world, market);
	for (let level = 1n; level <= LEVELS; level++) {
		const quantity = BigInt(500_00 + drawBelow(random.market, 2_000_00));
		market.quotes.push(seeded(world, market, { side: 'buy', price: market.middle - level * LEVEL_GAP, quantity }));
		market.quotes.push(seeded(world, market, { side: 'sell', price: market.middle + level * LEVEL_GAP, quantity }));
	}
}

function withdrawQuotes(world: World, market: MarketState): void {
	for (const id of market.quotes.splice(0)) {
		const order = world.state.orders.get(id);
		if (order) cancelOrder(world, order, 'Quoted anew.');
	}
}

function tradeSome(world: World, market: MarketState): void {
	const { random } = world.state;
	const side: Side = drawBelow(random.market, 2) === 0 ? 'buy' : 'sell';
	const quantity = BigInt(5_00 + drawBelow(random.market, 400_00));
	seeded(world, market, { side, price: null, quantity });
}

/** Places an order of the seeded market without the order delay. */
export function seeded(
	world: World,
	{ rules }: MarketState,
	{ side, price, quantity }: { side: Side; price: bigint | null; quantity: bigint },
): string {
	const account: Account = accountOf(world, price === null ? TAKER_ID : MAKER_ID);
	const order = newOrder(world, account, {
		pairId: rules.pairId,
		type: price === null ? 'market' : 'limit',
		side,
		quantity,
		price,
		timeInForce: price === null ? 'IOC' : 'GTC',
		clientOrderId: null,
	});
	admit(world, order);
	return order.id;
}
