import { bestPrice, openQuantity } from './book';
import { isOpen } from './order-life';
import type { MarketView, StateView } from './state';

/** Checks the invariants that hold after every step. Returns the violations, an empty list if all is well. */
export function audit(state: StateView): string[] {
	return [
		...auditMoney(state),
		...auditReservations(state),
		...[...state.markets.values()].flatMap(auditBook),
		...auditOrders(state),
	];
}

/** Per currency, all postings sum to zero: account balances equal net deposits. */
function auditMoney(state: StateView): string[] {
	const faults: string[] = [];
	const sums = new Map<string, bigint>();
	for (const { email, holdings } of state.accounts.values()) {
		for (const [currency, { available, locked }] of holdings) {
			if (available < 0n || locked < 0n) faults.push(`${email} has less than nothing in ${currency}`);
			sums.set(currency, (sums.get(currency) ?? 0n) + available + locked);
		}
	}
	for (const [currency, { external, clearing }] of state.house) {
		if (clearing.available < 0n) faults.push(`rounding has lost money in ${currency}`);
		const sum =
			(sums.get(currency) ?? 0n) + external.available + external.locked + clearing.available + clearing.locked;
		if (sum !== 0n) faults.push(`${currency} does not add up: ${sum} units too many`);
	}
	return faults;
}

/** Locked funds equal the reservations of open orders and pending withdrawals. */
function auditReservations(state: StateView): string[] {
	const reserved = new Map<string, bigint>();
	const add = (account: string, currency: string, amount: bigint) => {
		const key = `${account} ${currency}`;
		reserved.set(key, (reserved.get(key) ?? 0n) + amount);
	};
	for (const order of state.orders.values()) {
		const { rules } = state.markets.get(order.pairId) as MarketView;
		add(order.accountId, order.side === 'buy' ? rules.quote : rules.base, order.reserved);
	}
	for (const { accountId, kind, status, currency, amount } of state.transactions.values()) {
		if (kind === 'withdrawal' && status === 'pending') add(accountId, currency, amount);
	}
	const faults: string[] = [];
	for (const { id, holdings } of state.accounts.values()) {
		for (const [currency, { locked }] of holdings) {
			const wanted = reserved.get(`${id} ${currency}`) ?? 0n;
			if (locked !== wanted) faults.push(`${id} has ${locked} ${currency} locked for reservations of ${wanted}`);
		}
	}
	return faults;
}

function auditBook({ book, rules }: MarketView): string[] {
	const faults: string[] = [];
	const [bid, ask] = [bestPrice(book, 'buy'), bestPrice(book, 'sell')];
	if (bid !== undefined && ask !== undefined && bid >= ask) faults.push(`the book of ${rules.pairId} is crossed`);
	for (const side of ['buy', 'sell'] as const) {
		const { prices, levels } = book[side];
		if (prices.length !== levels.length)
			faults.push(`the ${side} side lists ${prices.length} prices for ${levels.length} levels`);
		for (const { price, quantity, queue } of levels) {
			let open = 0n;
			for (const order of queue) {
				if (!isOpen(order) || openQuantity(order) <= 0n) faults.push(`order ${order.id} rests with nothing open`);
				if (order.price !== price) faults.push(`order ${order.id} rests at another price`);
				open += openQuantity(order);
			}
			if (open !== quantity) faults.push(`the level at ${price} shows ${quantity} for ${open}`);
		}
	}
	return faults;
}

function auditOrders(state: StateView): string[] {
	const faults: string[] = [];
	for (const order of state.orders.values()) {
		if (order.filled > order.quantity) faults.push(`order ${order.id} is filled beyond its quantity`);
		if ((order.filled === order.quantity) !== (order.status === 'filled'))
			faults.push(`order ${order.id} is ${order.status} but not by its fills`);
		if (!isOpen(order) && order.reserved !== 0n) faults.push(`order ${order.id} is over but still holds a reservation`);
	}
	return faults;
}
