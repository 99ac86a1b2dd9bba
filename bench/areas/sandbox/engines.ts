import { emptyBook, openQuantity, remove, rest } from '../../../packages/sandbox/src/engine/book';
import { match } from '../../../packages/sandbox/src/engine/trading';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import { createEngine } from '../../../packages/sandbox/src';
import { stopwatch, type Contestant } from '../../area';
import { peer } from '../../peers';
import { openingBook, trading, type Operation } from './operations';

const DEPTH = 10_000;
const SEED = 7;
/** Which prices changed is noted to be published, which matching alone does not do. */
const CHANGES_MAX = 1_000;

/** Each takes the operations one by one, and can say how many trades it has made. */
interface Matcher {
	take(operation: Operation): void;
	trades(): number;
}

/** Matching alone, on exact integers: what nodejs-order-book does, too. */
function matchingAlone(): Matcher {
	const book = emptyBook();
	const orders = new Map<string, Order>();
	let [places, trades] = [0, 0];
	let taker: Order;
	const rules = {
		selfTrade: 'cancel_taker' as const,
		cancelOwn: () => undefined,
		trade(maker: Order, quantity: bigint) {
			maker.filled += quantity;
			taker.filled += quantity;
			trades++;
			if (openQuantity(maker) === 0n) orders.delete(maker.id);
		},
	};
	return {
		trades: () => trades,
		take(operation) {
			if (operation.kind === 'cancel') {
				const order = orders.get(operation.id);
				if (order) remove(book, order);
				orders.delete(operation.id);
			} else {
				taker = orderOf(operation, ++places);
				match(book, taker, rules);
				if (operation.kind === 'limit' && openQuantity(taker) > 0n) {
					orders.set(taker.id, taker);
					rest(book, taker);
				}
			}
			if (book.buy.changed.length > CHANGES_MAX) book.buy.changed = [];
			if (book.sell.changed.length > CHANGES_MAX) book.sell.changed = [];
		},
	};
}

const orderOf = (operation: Exclude<Operation, { kind: 'cancel' }>, place: number): Order => ({
	id: operation.id,
	number: place,
	accountId: operation.id,
	clientOrderId: null,
	pairId: 'USD/NGN',
	type: operation.kind,
	side: operation.side,
	quantity: BigInt(operation.quantity),
	price: operation.kind === 'limit' ? BigInt(operation.price) : null,
	timeInForce: 'GTC',
	filled: 0n,
	exactValue: 0n,
	reserved: 0n,
	status: 'accepted',
	place,
	closing: null,
	reason: null,
	replacedBy: null,
	replaces: null,
	createdAt: 0,
	updatedAt: 0,
});

/** The whole exchange: decimal strings, keys, ledger, order life, fills, candles and events. */
function wholeEngine(): Matcher {
	const engine = createEngine({ settings: { orderDelayMs: 0 } });
	for (const accountId of ['trader', 'second'])
		for (const currency of ['NGN', 'USD']) engine.apply(deposit(accountId, currency));
	engine.advanceTo(engine.state.now + 1_000);
	const ids = new Map<string, string>();
	const decimal = (units: number) => `${Math.floor(units / 100)}.${String(units % 100).padStart(2, '0')}`;
	let turn = 0;
	return {
		trades: () => engine.state.markets.get('USD/NGN')?.tradeCount ?? 0,
		take(operation) {
			const accountId = turn++ % 2 === 0 ? 'trader' : 'second';
			if (operation.kind === 'cancel') return;
			const { id, side, quantity } = operation;
			const price = operation.kind === 'limit' ? decimal(operation.price) : undefined;
			const fields = { pair_id: 'USD/NGN', side, order_type: operation.kind, quantity: decimal(quantity), price };
			const { data } = engine.apply({ kind: 'order_create', accountId, fields, key: id, fingerprint: id });
			ids.set(id, (data as { order_id: string }).order_id);
			engine.advanceTo(engine.state.now);
		},
	};
}

const deposit = (accountId: string, currency: string) => ({
	kind: 'transaction' as const,
	accountId,
	movement: {
		kind: 'deposit' as const,
		rail: 'fiat' as const,
		currency,
		settlementRail: null,
		chain: null,
		amount: 10n ** 15n,
	},
});

interface PeerBook {
	cancel(id: string): void;
	market(order: object): Done;
	limit(order: object): Done;
}

interface Done {
	done: { id: string }[];
	partial: { id: string } | null;
}

/** The peer, on floating point numbers, as it is meant to be used. */
function nodejsOrderBook(): Matcher {
	const { OrderBook } = peer<{ OrderBook: new () => PeerBook }>('nodejs-order-book');
	const book = new OrderBook();
	let trades = 0;
	return {
		trades: () => trades,
		take(operation) {
			if (operation.kind === 'cancel') return void book.cancel(operation.id);
			const { id, side } = operation;
			const size = operation.quantity / 100;
			const { done, partial } =
				operation.kind === 'market'
					? book.market({ side, size })
					: book.limit({ id, side, size, price: operation.price / 100, timeInForce: 'GTC' });
			trades += done.filter((order) => order.id !== id).length + (partial && partial.id !== id ? 1 : 0);
		},
	};
}

interface More extends Partial<Contestant> {
	/** What takes much longer for each operation is measured over a part of them. */
	part?: number;
}

/** A book 10,000 orders deep, then limits near the touch, market orders and cancels. */
const contestant = (title: string, create: () => Matcher, { part = 1, ...more }: More = {}): Contestant => ({
	title,
	...more,
	run: async (size) => {
		const matcher = create();
		for (const operation of openingBook(DEPTH)) matcher.take(operation);
		const operations = trading(Math.ceil(size * part), SEED);
		const end = stopwatch();
		for (const operation of operations) matcher.take(operation);
		const sample = end(operations.length);
		if (matcher.trades() === 0) throw new Error('Nothing was traded');
		return sample;
	},
});

export const engines = {
	peer: contestant('nodejs-order-book', nodejsOrderBook, { peer: 'nodejs-order-book', note: 'floating point numbers' }),
	matching: contestant('ours, matching alone', matchingAlone, { note: 'exact integers' }),
	whole: contestant('ours, whole engine', wholeEngine, {
		part: 0.1,
		note: 'decimal text, ledger, order life, fills, candles and events; cancels are left out; over a tenth of the operations',
	}),
};
