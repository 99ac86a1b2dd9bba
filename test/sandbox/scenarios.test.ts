import {
	audit,
	createExchange,
	scenarios,
	type Exchange,
	type ScenarioName,
	type Sandbox,
} from '@partner-exchange/sandbox';
import { place, sandboxFor } from './connection';

/** A scenario has the effect it describes on the market the command starts with, for any seed. */

const SEEDS = Array.from({ length: 3 }, (_, index) => index + 1);

interface Play {
	exchange: Exchange;
	start(name: ScenarioName): void;
	pass(ms: number): void;
}

/** The default market after some time. */
function playOf(seed: number, settings: object = {}): Play {
	const exchange = createExchange({ seed, settings: { marketMaker: 'live', ...settings } });
	const pass = (ms: number) => exchange.engine.advanceTo(exchange.engine.state.now + ms);
	pass(seed * 137);
	return { exchange, pass, start: (name) => void exchange.apply({ kind: 'scenario', name, accountId: 'trader' }) };
}

const market = ({ exchange }: Play) => exchange.engine.state.markets.get('USD/NGN')!;

const account = ({ exchange }: Play) => exchange.engine.state.accounts.get('trader')!;

const lastOrder = (play: Play) => play.exchange.engine.state.orders.get(account(play).orders.at(-1)!)!;

const transactions = (play: Play) =>
	account(play).transactions.map((id) => play.exchange.engine.state.transactions.get(id)!);

/** The expected effect of each scenario, checked for every seed. */
const truths: Record<ScenarioName, (play: Play) => unknown[]> = {
	'partial-fill-then-cancel'(play) {
		play.start('partial-fill-then-cancel');
		play.pass(3_000);
		const { status, filled, quantity } = lastOrder(play);
		return [status, filled, quantity, account(play).fills.map((fill) => fill.quantity)];
	},
	'rejected-order'(play) {
		play.start('rejected-order');
		const before = lastOrder(play).status;
		play.pass(1_000);
		return [before, lastOrder(play).status, lastOrder(play).reason];
	},
	'slow-settlement'(play) {
		play.start('slow-settlement');
		play.start('failed-deposit');
		play.pass(29_900);
		const early = transactions(play)[0]!.status;
		play.pass(200);
		const late = transactions(play)[0]!.status;
		play.pass(300_000);
		play.start('failed-deposit');
		play.pass(60);
		return [early, late, transactions(play)[1]!.status];
	},
	'failed-deposit'(play) {
		const before = account(play).holdings.get('NGN')!.available;
		play.start('failed-deposit');
		const announced = transactions(play)[0]!.status;
		play.pass(1_000);
		const { amount, status } = transactions(play)[0]!;
		return [announced, amount, status, account(play).holdings.get('NGN')!.available - before];
	},
	'credit-overdue'(play) {
		play.start('credit-overdue');
		const { used, overdue, withdrawalBlocked } = account(play).credit;
		return [used > 0n, overdue, withdrawalBlocked];
	},
	'quiet-market'(play) {
		play.start('quiet-market');
		const before = market(play).tradeCount;
		play.pass(299_900);
		const quiet = market(play).tradeCount - before;
		const quotes = market(play).book.buy.prices.length;
		play.pass(60_000);
		return [quiet, quotes, market(play).tradeCount - before > 10];
	},
	'flash-move'(play) {
		const trades = () => market(play).trades;
		const before = trades().at(-1)?.price ?? market(play).middle;
		play.start('flash-move');
		play.pass(3_000);
		const low = trades().at(-1)!.price;
		play.pass(60_000);
		const after = trades().at(-1)!.price;
		const percent = (price: bigint) => Number((price * 1_000n) / before) / 10;
		return [percent(low) > 94 && percent(low) < 96, percent(after) > 98.9 && percent(after) < 101.1];
	},
};

const expected: Record<ScenarioName, unknown[]> = {
	'partial-fill-then-cancel': ['cancelled', 40_00n, 100_00n, [40_00n]],
	'rejected-order': ['pending', 'rejected', 'Available funds do not cover the order.'],
	'slow-settlement': ['pending', 'failed', 'failed'],
	'failed-deposit': ['pending', 50_000_00n, 'failed', 0n],
	'credit-overdue': [true, true, true],
	'quiet-market': [0, 10, true],
	'flash-move': [true, true],
};

describe('a scenario', () => {
	it.each(Object.keys(scenarios) as ScenarioName[])(
		'the scenario %s does what it says on the live market, with several seeds',
		(name) => {
			for (const seed of SEEDS) {
				const play = playOf(seed);
				expect([seed, ...truths[name](play)]).toEqual([seed, ...expected[name]]);
				play.pass(name === 'slow-settlement' ? 400_000 : 60_000);
				expect([seed, ...audit(play.exchange.engine.state)]).toEqual([seed]);
				expect(play.exchange.engine.state.scenarios).toEqual([]);
			}
		},
	);
});

/**
 * After a reset, or a restart without a data file, the exchange is another one: nothing of one may be taken for the
 * other.
 */

const tradesOf = ({ engine }: Pick<Sandbox, 'engine'>) => engine.state.markets.get('USD/NGN')!.trades;

const figures = ({ engine }: Pick<Sandbox, 'engine'>) =>
	tradesOf({ engine }).map(({ price, quantity }) => [price, quantity]);

describe('a run', () => {
	it('repeats the prices of its seed under ids and an epoch that no other run has', async () => {
		const runs = [await sandboxFor({ marketMaker: true }), await sandboxFor({ marketMaker: true })] as const;
		for (const run of runs) run.advance(60_000);
		expect(tradesOf(runs[0]).length).toBeGreaterThan(20);
		expect(figures(runs[0])).toEqual(figures(runs[1]));
		const earlier = new Set(tradesOf(runs[0]).map(({ id }) => id));
		expect(tradesOf(runs[1]).filter(({ id }) => earlier.has(id))).toEqual([]);
		expect(runs[0].engine.events.epoch).not.toBe(runs[1].engine.events.epoch);
	});

	it('begins other orders, trades and an epoch after a reset', async () => {
		const sandbox = await sandboxFor({ marketMaker: true });
		const [order, epoch] = [await place(sandbox), sandbox.engine.events.epoch];
		sandbox.advance(60_000);
		const earlier = new Set([String(order.id), ...tradesOf(sandbox).map(({ id }) => id)]);
		sandbox.reset();
		const again = await place(sandbox);
		sandbox.advance(60_000);
		expect([String(again.id), ...tradesOf(sandbox).map(({ id }) => id)].filter((id) => earlier.has(id))).toEqual([]);
		expect(sandbox.engine.events.epoch).not.toBe(epoch);
	});
});
