import { aside, choice, integer, namedChoice, optional, timestamp } from './field';
import { operation } from './operation';
import { outputModes } from './options';
import { pair } from './terms';

const intervals = {
	'1m': { label: '1 Minute' },
	'5m': { label: '5 Minutes' },
	'15m': { label: '15 Minutes' },
	'1h': { label: '1 Hour' },
	'4h': { label: '4 Hours' },
	'1d': { label: '1 Day' },
};
const limit = integer({ label: 'Limit', help: 'Max number of results to return', min: 1 });

/** Candles in an answer without a `limit`. (Interface, part 8.) */
export const CANDLES_DEFAULT = 100;
/** Trades in an answer without a `limit`. (Interface, part 8.) */
export const TRADES_DEFAULT = 50;

export const markets = {
	'market.list': operation({
		label: 'Get Many Markets',
		action: 'Get many markets',
		help: 'List the pairs with their order types, precision, sizes and trading status',
		run: { via: 'rest', route: 'GET /partner/exchange/markets', retry: 'safe' },
		access: 'exchangeRead',
		input: {},
		output: 'unspecified',
		outputNotShown:
			'A market carries pair, order types, precision, minimum and maximum sizes and status; its fields are not shown',
		options: outputModes,
		essentials: ['pair_id', 'status', 'price_precision', 'quantity_precision', 'min_quantity', 'max_quantity'],
		list: { at: 'markets', identifiedByFirstOf: ['pair_id', 'id', 'symbol', 'code'], paging: 'none' },
		palette: 'market',
	}),
	'market.ticker': operation({
		label: 'Get Ticker',
		action: 'Get ticker',
		help: 'Read best bid, best ask and the figures of the last 24 hours',
		run: { via: 'rest', route: 'GET /partner/exchange/ticker/24h', retry: 'safe' },
		access: 'exchangeRead',
		input: { pair_id: pair },
		output: 'unspecified',
		outputNotShown: 'A ticker carries best bid, best ask and 24-hour statistics; its fields are not shown',
		palette: 'market',
	}),
	'market.orderBook': operation({
		label: 'Get Order Book',
		action: 'Get order book',
		help: 'Read the open bids and asks',
		run: { via: 'rest', route: 'GET /partner/exchange/orderbook/{pair_id}/snapshot', retry: 'safe' },
		access: 'exchangeRead',
		input: {
			pair_id: pair,
			levels: aside(
				integer({ label: 'Levels', help: 'How many price levels to return on each side', min: 1, example: '20' }),
			),
		},
		output: {
			pair_id: 'text',
			bids: [{ price: 'decimal', quantity: 'decimal' }],
			asks: [{ price: 'decimal', quantity: 'decimal' }],
			sequence: 'integer',
			timestamp: 'timestamp',
		},
		palette: 'market',
	}),
	'market.depth': operation({
		label: 'Get Depth',
		action: 'Get order book depth',
		help: 'Read the depth of one side of the book',
		run: { via: 'rest', route: 'GET /partner/exchange/orderbook/{pair_id}/levels', retry: 'safe' },
		access: 'exchangeRead',
		input: {
			pair_id: pair,
			side: aside(
				choice(['buy', 'sell'], {
					label: 'Side',
					help: 'Which side of the book to read',
					assumed: 'The answer is one side of the book; how the side is named is not shown',
				}),
			),
		},
		output: 'unspecified',
		outputNotShown: 'One-side depth; its fields are not shown',
		palette: 'market',
	}),
	'market.candles': operation({
		label: 'Get Candles',
		action: 'Get candles',
		help: 'List open, high, low, close and volume of each interval',
		run: { via: 'rest', route: 'GET /partner/exchange/candles', retry: 'safe' },
		access: 'exchangeRead',
		input: {
			pair_id: pair,
			interval: namedChoice(intervals, { label: 'Interval', help: 'Length of one candle' }),
			before: optional(
				timestamp({ label: 'Before', help: 'Only candles before this time', example: '2026-01-31T00:00:00Z' }),
			),
			limit: optional(limit),
		},
		output: {
			open: 'decimal',
			high: 'decimal',
			low: 'decimal',
			close: 'decimal',
			volume: 'decimal',
			volume_quote: 'decimal',
			trade_count: 'integer',
			timestamp: 'timestamp',
		},
		list: { at: 'candles', identifiedByFirstOf: ['timestamp'], paging: 'before' },
		palette: 'market',
	}),
	'market.trades': operation({
		label: 'Get Trades',
		action: 'Get public trades',
		help: 'List the public trades of a pair',
		run: { via: 'rest', route: 'GET /partner/exchange/trades', retry: 'safe' },
		access: 'exchangeRead',
		input: {
			pair_id: pair,
			after_sequence: optional(
				integer({ label: 'After Sequence', help: 'Only trades after this sequence number', min: 0 }),
			),
			limit: optional(limit),
		},
		output: {
			id: 'text',
			pair_id: 'text',
			price: 'decimal',
			quantity: 'decimal',
			side: 'text',
			sequence: 'integer',
			created_at: 'timestamp',
		},
		list: { at: 'trades', identifiedByFirstOf: ['id'], paging: 'after_sequence' },
		palette: 'market',
	}),
};
