import type { Exchange } from '../../../packages/sandbox/src/api/exchange';
import { isOpen } from '../../../packages/sandbox/src/engine/order-life';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import type { VirtualTime } from '../support/time';
import { attempt, order as place, type Placing } from './placing';

/** The account whose stream is watched, and the one that trades with it. */
export const OWN = 'trader';
const OTHER = 'second';
/** Enough funds for everything. */
export const CROWD = 'seeded-taker';
export const PAIR = 'USD/NGN';
const OPENING_LEVELS = 4;
/** The largest quantity others may offer at a better price. */
const OFFERED_BEFORE_MAX = 1_000;
/** From many offers until an order matches them all. */
const FLOOD_MS = 1_000;

interface Telling extends Placing {
	time: VirtualTime;
	/** The current average time between two actions, and when they end. */
	everyMs(): number;
	endsAt: number;
	/** Orders of the watched account that rest far from the market. */
	resting?: number;
}

export interface Story {
	/** Makes this many trades at once. */
	flood(at: number, trades: number): void;
}

/** Two accounts trade with each other, cancel orders and move money, not over the stream. */
export function tell(telling: Telling): Story {
	const { time, chance, endsAt } = telling;
	const actions = actionsOf(telling);
	for (let level = 0; level < OPENING_LEVELS; level += 1) actions.rest(OTHER);
	for (let number = 0; number < (telling.resting ?? 0); number += 1) actions.restFar();
	const next = (): void => {
		if (time.now() > endsAt) return;
		const action = chance.pick(plot);
		attempt(telling, () => action(actions));
		const everyMs = telling.everyMs();
		time.after(chance.exponential(everyMs, everyMs * 5), next);
	};
	next();
	return {
		flood: (at, trades) => {
			time.at(at, () => {
				for (let number = 0; number < trades; number += 1) actions.offer();
			});
			time.at(at + FLOOD_MS, () => actions.sweep(trades));
		},
	};
}

type Actions = ReturnType<typeof actionsOf>;

/** The frequencies of actions. */
const plot: readonly ((actions: Actions) => unknown)[] = [
	({ rest }) => rest(OWN),
	({ rest }) => rest(OWN),
	({ rest }) => rest(OWN),
	({ rest }) => rest(OTHER),
	({ rest }) => rest(OTHER),
	({ take }) => take(OWN),
	({ take }) => take(OTHER),
	({ take }) => take(OTHER),
	({ cancel }) => cancel(OWN),
	({ cancel }) => cancel(OTHER),
	({ replace }) => replace(OWN),
	({ replace }) => replace(OWN),
	({ overreach }) => overreach(),
	({ move }) => move(),
];

function actionsOf(placing: Placing) {
	const { chance, exchange, note } = placing;
	const order = place.bind(undefined, placing);

	/** Prices of both sides overlap a little, so that some orders match at once and others rest. */
	function terms(): { side: string; price: string; quantity: string } {
		const side = chance.pick(['buy', 'sell']);
		const distance = chance.below(40) - 4;
		return {
			side,
			price: `${side === 'buy' ? 1500 - distance : 1500 + distance}.00`,
			quantity: `${10 + chance.below(50)}.00`,
		};
	}

	function openOrder(accountId: string): Order | undefined {
		const open = openOrders(exchange, accountId);
		return open.length > 0 ? chance.pick(open) : undefined;
	}

	return {
		offer: () =>
			order(OTHER, 'create', { pair_id: PAIR, order_type: 'limit', side: 'sell', price: '1600.00', quantity: '0.10' }),
		sweep: (offers: number) =>
			order(CROWD, 'create', {
				pair_id: PAIR,
				order_type: 'market',
				side: 'buy',
				quantity: `${Math.floor(offers / 10) + OFFERED_BEFORE_MAX}.00`,
			}),
		rest: (account: string) => order(account, 'create', { pair_id: PAIR, order_type: 'limit', ...terms() }),
		/** So far from the market that nothing matches it. */
		restFar: () =>
			order(OWN, 'create', { pair_id: PAIR, order_type: 'limit', side: 'buy', price: '1200.00', quantity: '1.00' }),
		take: (account: string) => {
			const { price: _, ...others } = terms();
			order(account, 'create', { pair_id: PAIR, order_type: 'market', ...others });
		},
		/** More than the account's funds. */
		overreach: () => order(OWN, 'create', { pair_id: PAIR, order_type: 'limit', ...terms(), quantity: '900000.00' }),
		cancel: (account: string) => {
			const target = openOrder(account);
			if (target) order(account, 'cancel', { pair_id: PAIR, order_id: target.id });
		},
		/** Sometimes only a smaller quantity of the same, which keeps its place. */
		replace: (account: string) => {
			const target = openOrder(account);
			if (!target) return;
			const { price, quantity } = terms();
			const same = chance.happens(0.3);
			order(account, 'replace', {
				pair_id: PAIR,
				order_id: target.id,
				price: same && target.price !== null ? `${target.price / 100n}.00` : price,
				quantity: same ? `${target.quantity / 100n}.00` : quantity,
			});
		},
		move: () => {
			const kind = chance.pick(['deposit', 'withdrawal'] as const);
			const outcome = chance.pick(['completed', 'completed', 'failed', 'cancelled'] as const);
			const amount = BigInt(100 + chance.below(900)) * 100n;
			note(OWN, kind, String(amount), outcome);
			const movement = { kind, rail: 'fiat', currency: 'USD', settlementRail: null, chain: null, amount } as const;
			exchange.apply({ kind: 'transaction', accountId: OWN, movement, outcome });
		},
	};
}

export function openOrders({ engine: { state } }: Exchange, accountId: string): Order[] {
	const { orders } = state.accounts.get(accountId)!;
	// The exchange forgets the oldest finished orders.
	return orders.flatMap((id) => state.orders.get(id) ?? []).filter(isOpen);
}
