import type { PickerId } from './field';
import { openStatuses } from './statuses';

/**
 * The source of a picker: the list to read, and the fields that may hold the value and its label, most likely first.
 */
export interface Picker {
	/** Id of the operation that reads the list. */
	operation: string;
	/** Fields that may hold the value, most likely first. */
	value: readonly string[];
	/** Fields shown beside the value. */
	words: readonly string[];
	/** The part of an entry that people recognize, shown first. */
	leads: 'value' | 'words';
	/** The field of the time, and the amounts whose difference is still open. */
	time?: string;
	/** The amounts whose difference is shown: `of` less `less`. */
	remainder?: { of: string; less: string };
	/** Offers only rows with one of these statuses; a row without a status is offered too. */
	statuses?: readonly string[];
}

const order: Picker = {
	operation: 'order.list',
	value: ['id', 'order_id'],
	words: ['side', 'quantity', 'pair_id', 'price', 'status'],
	leads: 'words',
	time: 'created_at',
	remainder: { of: 'quantity', less: 'filled_quantity' },
};

/** The lists a value can be picked from, by picker id. */
export const pickers: Readonly<Record<PickerId, Picker>> = {
	pair: {
		operation: 'market.list',
		value: ['pair_id', 'id', 'symbol', 'pair', 'code'],
		words: ['name', 'display_name', 'status', 'trading_status'],
		leads: 'value',
	},
	bank: { operation: 'wallet.banks', value: ['bank_code', 'code', 'id'], words: ['bank_name', 'name'], leads: 'words' },
	chain: {
		operation: 'wallet.chains',
		value: ['chain', 'code', 'id', 'name'],
		words: ['name', 'display_name'],
		leads: 'value',
	},
	currency: { operation: 'wallet.currencies', value: ['code', 'currency'], words: ['name'], leads: 'value' },
	recipient: {
		operation: 'recipient.list',
		value: ['id', 'recipient_id'],
		words: ['label', 'account_name', 'bank_name', 'chain', 'currency'],
		leads: 'words',
	},
	order,
	openOrder: { ...order, statuses: openStatuses },
	transaction: {
		operation: 'transaction.list',
		value: ['id', 'transaction_id'],
		words: ['rail', 'currency', 'amount', 'status'],
		leads: 'words',
		time: 'created_at',
	},
};
