import { aside, choice, id, integer, optional, text } from './field';
import { operation } from './operation';
import { listChoices, outputModes } from './options';
import { accountNumber, bank } from './recipients';
import { transactionStatuses } from './statuses';

/** The usual fields of a transaction. */
const movement = ['id', 'type', 'rail', 'currency', 'amount', 'status', 'created_at'] as const;

const filterNotShown = 'The filter and paging parameters of transactions are not shown';

export const wallets = {
	'wallet.balances': operation({
		label: 'Get Balances',
		action: 'Get balances',
		help: 'Read available, locked and total funds of each currency, and the credit line',
		run: { via: 'rest', route: 'GET /partner/wallets/balances/overview', retry: 'safe' },
		access: 'walletRead',
		input: {},
		options: ['currency', ...outputModes],
		output: {
			balances: [
				{
					currency: 'text',
					available: 'decimal',
					locked: 'decimal',
					total: 'decimal',
					rail_equivalents: 'unspecified?',
				},
			],
			credit: {
				available_credit: 'decimal',
				credit_limit: 'decimal',
				credit_used: 'decimal',
				net_negative: 'decimal',
				net_positive: 'decimal',
				outstanding: 'decimal',
				currency: 'text',
				next_due_at: 'timestamp?',
				overdue: 'boolean',
				status: 'text',
				withdrawal_blocked: 'boolean',
			},
			generated_at: 'timestamp',
		},
		essentials: ['currency', 'available', 'locked', 'total', 'generated_at'],
		parts: 'balances',
		palette: 'balances',
	}),
	'wallet.currencies': operation({
		label: 'Get Currencies',
		action: 'Get currencies',
		help: 'List the wallet currencies and what each may be used for',
		run: { via: 'rest', route: 'GET /partner/wallets/currencies', retry: 'safe' },
		access: 'walletRead',
		input: {},
		output: {
			code: 'text',
			name: 'text',
			symbol: 'text',
			decimals: 'integer',
			logo_url: 'text?',
			wallet_enabled: 'boolean',
			deposit_enabled: 'boolean',
			withdrawal_enabled: 'boolean',
		},
		options: outputModes,
		essentials: ['code', 'name', 'symbol', 'decimals'],
		list: { at: 'currencies', identifiedByFirstOf: ['code'], paging: 'none' },
		palette: 'wallet',
	}),
	'wallet.chains': operation({
		label: 'Get Chains',
		action: 'Get chains',
		help: 'List the blockchains that stablecoins can be sent on',
		run: { via: 'rest', route: 'GET /partner/wallets/chains', retry: 'safe' },
		access: 'public',
		input: {},
		output: 'unspecified',
		outputNotShown: 'The fields of a chain are not shown',
		list: { at: 'chains', identifiedByFirstOf: ['chain', 'code', 'id', 'name'], paging: 'none' },
		palette: 'wallet',
	}),
	'wallet.banks': operation({
		label: 'Get Banks',
		action: 'Get banks',
		help: 'List the supported banks with their codes',
		run: { via: 'rest', route: 'GET /partner/wallets/fiat/banks', retry: 'safe' },
		access: 'public',
		input: {},
		output: 'unspecified',
		outputNotShown: 'A bank carries a code; its other fields are not shown',
		list: { at: 'banks', identifiedByFirstOf: ['bank_code', 'code', 'id'], paging: 'none' },
		palette: 'wallet',
	}),
	'wallet.depositAccount': operation({
		label: 'Get Deposit Account',
		action: 'Get deposit account',
		help: 'Read the bank account that incoming deposits go to',
		run: { via: 'rest', route: 'GET /partner/wallets/fiat/deposit-account', retry: 'safe' },
		access: 'walletRead',
		input: {},
		output: 'unspecified',
		outputNotShown: 'The account carries a name, a bank name and a number; its fields are not shown',
		palette: 'wallet',
	}),
	'wallet.verifyAccount': operation({
		label: 'Verify Account',
		action: 'Verify bank account',
		help: 'Look up the holder of a bank account, which creates nothing; an answer that names no holder is an error',
		run: {
			via: 'rest',
			route: 'POST /partner/wallets/fiat/verify-account',
			retry: 'safe',
			changesNothing: true,
		},
		access: 'walletRead',
		input: {
			bank_code: bank,
			account_number: accountNumber,
		},
		options: ['expected_name', 'fail_when_name'],
		output: 'unspecified',
		adds: ['name_match'],
		confirms: 'holder',
		outputNotShown: 'The confirmation is not shown',
		palette: 'verify-account',
	}),
	'transaction.list': operation({
		label: 'Get Many Transactions',
		action: 'Get many transactions',
		help: 'List deposits, withdrawals and other movements of the wallet',
		run: { via: 'rest', route: 'GET /partner/wallets/transactions', retry: 'safe' },
		access: 'walletRead',
		input: {
			status: optional(
				choice(Object.keys(transactionStatuses) as (keyof typeof transactionStatuses)[], {
					label: 'Status',
					help: 'Only transactions with this status',
					assumed: filterNotShown,
				}),
			),
			currency: optional(
				text({
					label: 'Currency',
					help: 'Only transactions in this wallet currency',
					example: 'NGN',
					pick: 'currency',
					assumed: filterNotShown,
				}),
			),
			rail: optional(
				text({
					label: 'Rail',
					help: 'Only transactions on this rail',
					example: 'crypto',
					assumed: filterNotShown,
				}),
			),
			limit: optional(
				integer({ label: 'Limit', help: 'Max number of results to return', min: 1, assumed: filterNotShown }),
			),
			offset: aside(
				integer({
					label: 'Offset',
					help: 'How many transactions to skip from the start',
					min: 0,
					assumed: filterNotShown,
				}),
			),
		},
		output: { id: 'text', rail: 'text', currency: 'text', settlement_rail: 'text?', status: 'text' },
		options: [...listChoices, ...outputModes],
		essentials: movement,
		outputNotShown: 'Fields beyond id, rail, currency, settlement_rail and status are not shown',
		list: { at: 'transactions', identifiedByFirstOf: ['id', 'transaction_id'], paging: 'offset' },
		palette: 'transactions',
	}),
	'transaction.get': operation({
		label: 'Get Transaction',
		action: 'Get transaction',
		help: 'Read one transaction by its public identifier',
		run: {
			via: 'rest',
			route: 'GET /partner/wallets/transactions/{transaction_id}',
			retry: 'safe',
			appearsLater: true,
		},
		access: 'walletRead',
		input: {
			transaction_id: id({
				label: 'Transaction ID',
				help: 'Public identifier of the transaction',
				pick: 'transaction',
			}),
		},
		output: { id: 'text', rail: 'text', currency: 'text', settlement_rail: 'text?', status: 'text' },
		outputNotShown: 'Fields beyond id, rail, currency, settlement_rail and status are not shown',
		options: ['wait_settled', 'wait_seconds', ...outputModes],
		essentials: [...movement, 'wait'],
		adds: ['wait'],
		palette: 'transactions',
	}),
};
