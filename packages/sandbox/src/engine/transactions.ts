/** Deposits and withdrawals: pending at first, then settled by a scheduled step under the same id. */
import { balanceOf, bringIn, payOut, release, reserve } from './ledger';
import { drawUuid } from './random';
import { schedule } from './schedule';
import { settingsInForce } from './settings';
import { invalid } from './refusal';
import type { Account, Transaction } from './state';
import { accountOf, type World } from './world';

/** Most transactions kept; the oldest are dropped first. */
const TRANSACTIONS_KEPT_MAX = 100_000;

export type Movement = Pick<Transaction, 'kind' | 'rail' | 'currency' | 'settlementRail' | 'chain' | 'amount'>;

export function startTransaction(
	world: World,
	account: Account,
	movement: Movement,
	outcome = world.state.settings.transactionOutcome,
): Transaction {
	if (movement.kind === 'withdrawal') reserveForWithdrawal(account, movement);
	const { state } = world;
	const id = drawUuid(state);
	const transaction: Transaction = {
		...movement,
		id,
		accountId: account.id,
		status: 'pending',
		reference: `SBX-${id.slice(0, 8).toUpperCase()}`,
		createdAt: state.now,
		updatedAt: state.now,
	};
	state.transactions.set(id, transaction);
	account.transactions.push(id);
	schedule(state, state.now + settingsInForce(state).settlementDelayMs, {
		kind: 'settle_transaction',
		transactionId: id,
		outcome,
	});
	forgetOldest(world);
	return transaction;
}

function reserveForWithdrawal(account: Account, { currency, amount }: Movement): void {
	if (account.credit.withdrawalBlocked)
		throw invalid('withdrawal_blocked', 'Withdrawals of this account are blocked until its credit is repaid.');
	if (balanceOf(account, currency).available < amount)
		throw invalid('insufficient_funds', 'Available funds do not cover the withdrawal.');
	reserve(account, currency, amount);
}

export function settleTransaction(world: World, id: string, outcome: 'completed' | 'failed' | 'cancelled'): void {
	const transaction = world.state.transactions.get(id);
	if (transaction?.status !== 'pending') return;
	const account = accountOf(world, transaction.accountId);
	const { kind, currency, amount } = transaction;
	if (kind === 'deposit' && outcome === 'completed') bringIn(world.state, account, currency, amount);
	if (kind === 'withdrawal' && outcome === 'completed') payOut(world.state, account, currency, amount);
	if (kind === 'withdrawal' && outcome !== 'completed') release(account, currency, amount);
	transaction.status = outcome;
	transaction.updatedAt = world.state.now;
}

function forgetOldest({ state }: World): void {
	if (state.transactions.size <= TRANSACTIONS_KEPT_MAX) return;
	for (const [id, { status, accountId }] of state.transactions) {
		if (status === 'pending') continue;
		state.transactions.delete(id);
		const owner = state.accounts.get(accountId);
		if (owner) owner.transactions = owner.transactions.filter((other) => other !== id);
		return;
	}
}
