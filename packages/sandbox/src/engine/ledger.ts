/** Double-entry ledger: every posting debits one balance and credits another; accounts never go negative. */
import type { Account, AccountView, Holding, House, State } from './state';
import type { DeepReadonly } from './read-only';

class LedgerFault extends Error {
	constructor(message: string) {
		super(`The ledger refused a posting: ${message}`);
		this.name = 'LedgerFault';
	}
}

type Pocket = keyof Holding;
type Place = readonly [Holding, Pocket];

export const emptyHolding = (): Holding => ({ available: 0n, locked: 0n });

function holdingOf(account: Account, currency: string): Holding {
	let holding = account.holdings.get(currency);
	if (!holding) account.holdings.set(currency, (holding = emptyHolding()));
	return holding;
}

/** The balance of a currency; an empty one where the account has none. */
export const balanceOf = (account: AccountView, currency: string): DeepReadonly<Holding> =>
	account.holdings.get(currency) ?? emptyHolding();

function houseOf(state: State, currency: string): House {
	let house = state.house.get(currency);
	if (!house) state.house.set(currency, (house = { external: emptyHolding(), clearing: emptyHolding() }));
	return house;
}

function post([from, fromPocket]: Place, [to, toPocket]: Place, amount: bigint): void {
	if (amount < 0n) throw new LedgerFault('the amount is negative');
	if (from[fromPocket] < amount) throw new LedgerFault(`${fromPocket} funds do not cover the amount`);
	from[fromPocket] -= amount;
	to[toPocket] += amount;
}

/** Moves funds from available to locked, for an order or a withdrawal. */
export function reserve(account: Account, currency: string, amount: bigint): void {
	const holding = holdingOf(account, currency);
	post([holding, 'available'], [holding, 'locked'], amount);
}

/** Moves funds from locked back to available. */
export function release(account: Account, currency: string, amount: bigint): void {
	const holding = holdingOf(account, currency);
	post([holding, 'locked'], [holding, 'available'], amount);
}

/** Settles one currency of a trade; the house account takes the rounding difference. */
export function exchange(
	state: State,
	{
		from,
		to,
		currency,
		paid,
		received,
	}: { from: Account; to: Account; currency: string; paid: bigint; received: bigint },
): void {
	const { clearing } = houseOf(state, currency);
	post([holdingOf(from, currency), 'locked'], [clearing, 'available'], paid);
	post([clearing, 'available'], [holdingOf(to, currency), 'available'], received);
}

/** Credits a deposit to the account and debits the external account, the only one that may go negative. */
export function bringIn(state: State, account: Account, currency: string, amount: bigint): void {
	if (amount < 0n) throw new LedgerFault('the amount is negative');
	houseOf(state, currency).external.available -= amount;
	holdingOf(account, currency).available += amount;
}

/** Debits locked funds for a completed withdrawal. */
export function payOut(state: State, account: Account, currency: string, amount: bigint): void {
	post([holdingOf(account, currency), 'locked'], [houseOf(state, currency).external, 'available'], amount);
}
