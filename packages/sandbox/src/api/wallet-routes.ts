import { transactionStatuses } from '@partner-exchange/core/catalogue';
import { verifiedAccount, banks } from '../engine/bank-accounts';
import { chains, stablecoins } from '../engine/chains';
import { balanceOf } from '../engine/ledger';
import { money, transactionRecord } from '../engine/records';
import { invalid, notFound } from '../engine/refusal';
import { timestamp } from '../engine/world';
import type { AccountView, Transaction } from '../engine/state';
import { page, type Call, type RoutesOf } from './call';

const TRANSACTIONS_PAGE = { standard: 50, max: 200 };

const currencies = [
	{ code: 'NGN', name: 'Nigerian Naira', symbol: '₦', decimals: 2 },
	{ code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 },
] as const;

export const walletRoutes: RoutesOf<'wallet' | 'transaction'> = {
	'wallet.balances': ({ account, state }) => ({ data: overview(account, state.now) }),

	'wallet.currencies': () => ({
		data: {
			currencies: currencies.map((currency) => ({
				...currency,
				logo_url: null,
				wallet_enabled: true,
				deposit_enabled: true,
				withdrawal_enabled: true,
			})),
		},
	}),

	'wallet.chains'({ dialect }) {
		const records = chains.map(({ code, name, assets, confirmations }) => ({
			chain: code,
			name,
			assets,
			confirmations,
			deposit_enabled: true,
			withdrawal_enabled: true,
		}));
		return { data: dialect.lists === 'bare' ? records : { chains: records } };
	},

	'wallet.banks'({ dialect }) {
		const records = banks.map(({ code, name }) => ({ bank_code: code, bank_name: name }));
		return { data: dialect.lists === 'bare' ? records : { banks: records } };
	},

	'wallet.depositAccount': ({ account }) => ({
		data: {
			currency: 'NGN',
			account_name: account.name,
			bank_name: 'Providus Bank',
			bank_code: '101',
			account_number: numberOf(account),
		},
	}),

	'wallet.verifyAccount'({ body }) {
		const { bank, accountNumber, accountName } = verifiedAccount(body);
		return {
			data: { bank_code: bank.code, bank_name: bank.name, account_number: accountNumber, account_name: accountName },
		};
	},

	'transaction.list'(call) {
		const transaction = listed(call);
		const transactions = page(transaction, call.query, TRANSACTIONS_PAGE).map(transactionRecord);
		return { data: call.dialect.lists === 'bare' ? transactions : { count: transaction.length, transactions } };
	},

	'transaction.get'({ state, account, params }) {
		const transaction = state.transactions.get(params.transaction_id as string);
		if (transaction?.accountId !== account.id)
			throw notFound('unknown_transaction', 'The account has no such transaction.');
		return { data: transactionRecord(transaction) };
	},
};

export function overview(account: AccountView, now: number) {
	const { credit } = account;
	return {
		balances: currencies.map(({ code }) => balance(account, code)),
		credit: {
			available_credit: money(credit.limit - credit.used),
			credit_limit: money(credit.limit),
			credit_used: money(credit.used),
			net_negative: money(credit.used),
			net_positive: money(balanceOf(account, credit.currency).available),
			outstanding: money(credit.used),
			currency: credit.currency,
			next_due_at: credit.nextDueAt === null ? null : timestamp(credit.nextDueAt),
			overdue: credit.overdue,
			status: credit.status,
			withdrawal_blocked: credit.withdrawalBlocked,
		},
		generated_at: timestamp(now),
	};
}

function balance(account: AccountView, currency: string) {
	const { available, locked } = balanceOf(account, currency);
	// Interface, part 2: null for NGN, an array for USD. The fields of its elements are not shown.
	const rails = currency === 'USD' ? stablecoins.map((rail) => ({ rail, available: money(available) })) : null;
	return {
		currency,
		available: money(available),
		locked: money(locked),
		total: money(available + locked),
		rail_equivalents: rails,
	};
}

/** An account number of ten digits, derived from the account so that it never changes. */
function numberOf({ id }: AccountView): string {
	let number = 7;
	for (const character of id) number = (number * 31 + character.charCodeAt(0)) % 1_000_000_000;
	return `9${String(number).padStart(9, '0')}`;
}

function listed({ state, account, query }: Call): Transaction[] {
	const wanted = { status: query.get('status'), currency: query.get('currency'), rail: query.get('rail') };
	if (wanted.status !== null && !Object.hasOwn(transactionStatuses, wanted.status)) {
		throw invalid('invalid_status', 'status is not a transaction status.');
	}
	if (wanted.rail !== null && wanted.rail !== 'fiat' && wanted.rail !== 'crypto')
		throw invalid('invalid_rail', 'rail must be one of fiat, crypto.');
	const newestFirst = account.transactions.map((id) => state.transactions.get(id) as Transaction).reverse();
	return newestFirst.filter(
		({ status, currency, rail }) =>
			(wanted.status ?? status) === status &&
			(wanted.currency ?? currency) === currency &&
			(wanted.rail ?? rail) === rail,
	);
}
