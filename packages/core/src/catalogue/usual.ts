import type { Shape } from './shape';

const movement = {
	id: 'text',
	type: 'text',
	rail: 'text',
	currency: 'text',
	settlement_rail: 'text?',
	amount: 'decimal',
	status: 'text',
	created_at: 'timestamp',
} as const;

/** The usual shape of a fill on exchanges. */
export const usualFill = {
	id: 'text',
	order_id: 'text',
	pair_id: 'text',
	side: 'text',
	price: 'decimal',
	quantity: 'decimal',
	fee: 'decimal',
	created_at: 'timestamp',
} as const satisfies Shape;

/**
 * Records the interface does not show, with their usual field names, by operation. They fill the preview of an output,
 * so that its fields can be dragged, and the sandbox answers with them; nothing else relies on them.
 */
export const usual: Readonly<Record<string, Shape>> = {
	'market.list': {
		pair_id: 'text',
		base_currency: 'text',
		quote_currency: 'text',
		status: 'text',
		price_precision: 'integer',
		quantity_precision: 'integer',
		min_quantity: 'decimal',
		max_quantity: 'decimal',
	},
	'market.ticker': {
		pair_id: 'text',
		best_bid: 'decimal?',
		best_ask: 'decimal?',
		last_price: 'decimal?',
		volume_24h: 'decimal',
	},
	'market.depth': { pair_id: 'text', side: 'text', levels: [{ price: 'decimal', quantity: 'decimal' }] },
	'fill.list': usualFill,
	'wallet.chains': { chain: 'text', name: 'text' },
	'wallet.banks': { bank_code: 'text', bank_name: 'text' },
	'wallet.depositAccount': { account_name: 'text', account_number: 'text', bank_name: 'text' },
	'wallet.verifyAccount': { account_name: 'text', account_number: 'text', bank_code: 'text' },
	'transaction.list': movement,
	'transaction.get': movement,
	'simulation.fiatDeposit': movement,
	'simulation.cryptoDeposit': movement,
	'simulation.fiatWithdrawal': movement,
	'simulation.cryptoWithdrawal': movement,
	'simulation.kybStatus': { email: 'text', status: 'text' },
	'simulation.productUpdate': { id: 'text', title: 'text' },
};
