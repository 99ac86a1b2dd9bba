/** The seeded market: one account quotes around a random walk, and another takes those quotes. */
import { cancelOrder } from './order-life';
import { admit, newOrder } from './orders';
import { drawBelow } from './random';
import { schedule, unschedule } from './schedule';
import { settingsInForce } from './settings';
import type { Account, MarketState } from './state';
import type { Order, Side } from './order';
import { accountOf, type World } from './world';

export const MAKER_ID = 'seeded-maker';
export const TAKER_ID = 'seeded-taker';
export const STEP_MS = 500;
const LEVELS = 10;
/** Quotes are placed on a price grid, so that a small move of the mid price leaves most of them unchanged. */
const GRID = 50n;
const STEP = Number(GRID);
const SPREAD = 2 * STEP;
const WANDER_MAX = 40;
const TRADE_CHANCE_PERCENT = 45;

export function startMarketMaker(world: World, afterMs = 0): void {
	schedule(world.state, world.state.now + afterMs, { kind: 'market_maker' });
}

/** Cancels all quotes, so that only client orders remain in the book. */
export function stopMarketMaker(world: World): void {
	unschedule(world.state, ({ kind }) => kind === 'market_maker');
	for (const market of world.state.markets.values()) {
		for (const id of market.quotes.splice(0)) withdraw(world, world.state.orders.get(id));
	}
}

export function stepMarketMaker(world: World): void {
	const { random, markets } = world.state;
	const { marketMaker } = settingsInForce(world.state);
	if (marketMaker === 'off') return;
	for (const market of markets.values()) {
		if (marketMaker === 'live') wander(world, market);
		if (market.rules.trading) quote(world, market);
		if (marketMaker === 'live' && drawBelow(random.market, 100) < TRADE_CHANCE_PERCENT) tradeSome(world, market);
	}
	schedule(world.state, world.state.now + STEP_MS, { kind: 'market_maker' });
}

/** A mean-reverting random walk of the mid price. */
function wander({ state }: World, market: MarketState): void {
	const pull = market.middle > market.rules.openingPrice ? -1 : 1;
	market.middle += BigInt(drawBelow(state.random.market, 2 * WANDER_MAX + 1) - WANDER_MAX + 2 * pull);
}

/** Adjusts the quotes to the mid price: cancels those off the grid, adds missing ones, and renews one. */
export function quote(world: World, market: MarketState): void {
	const { random, orders } = world.state;
	const bestBid = Number(market.middle - (market.middle % GRID) - GRID);
	const renewed = drawBelow(random.market, 2 * LEVELS);
	const quoted = new Set<number>();
	market.quotes = market.quotes.filter((id, index) => {
		const order = orders.get(id);
		if (!order) return false;
		const rung = rungOf(order, bestBid);
		const stays = index !== renewed && rung >= 0 && rung < LEVELS;
		if (stays) quoted.add(Number(order.price));
		else withdraw(world, order);
		return stays;
	});
	const quoteAt = (side: Side, price: number) => {
		if (quoted.has(price)) return;
		const quantity = BigInt(500_00 + drawBelow(random.market, 2_000_00));
		market.quotes.push(seeded(world, market, { side, price: BigInt(price), quantity }));
	};
	for (let rung = 0; rung < LEVELS; rung++) {
		quoteAt('buy', bestBid - rung * STEP);
		quoteAt('sell', bestBid + SPREAD + rung * STEP);
	}
}

/** The distance of a quote from the best price of its side, in grid steps; negative inside the spread. */
const rungOf = ({ side, price }: Order, bestBid: number): number =>
	(side === 'buy' ? bestBid - Number(price) : Number(price) - bestBid - SPREAD) / STEP;

function withdraw(world: World, order: Order | undefined): void {
	if (order) cancelOrder(world, order, 'Quoted again.');
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
