/** What the sandbox assumes where the interface shows nothing. docs/assumptions.md is generated from this list. */
export interface Assumption {
	topic: string;
	choice: string;
	/** How to select another behaviour, if that is possible. */
	alternatives?: string;
}

export const assumptions: readonly Assumption[] = [
	{
		topic: 'Success status',
		choice: '201 for creations and simulations, 200 otherwise',
		alternatives: '--dialect created=200 or 202',
	},
	{
		topic: 'Error body',
		choice: '{ error: { code, message } }',
		alternatives: '--dialect errors=message, list, text or empty',
	},
	{
		topic: 'Status of an invalid request',
		choice: '400',
		alternatives: '--dialect validation=422; simulation always answers 400',
	},
	{
		topic: 'Status of an unknown order, recipient, transaction or pair',
		choice: '404; what belongs to others is as unknown as what never was',
		alternatives: '--dialect unknown=400',
	},
	{ topic: 'Method a path does not take', choice: '405 for a caller with a valid key, 401 otherwise' },
	{ topic: 'Body that is not JSON by its content type', choice: '415' },
	{ topic: 'Body above 64 KB', choice: '413' },
	{ topic: 'Retry-After of a 429', choice: 'given, one second', alternatives: '--dialect retry_after=silent' },
	{
		topic: 'Request rate limits',
		choice: '2000 requests per second and key, 500 messages per second and connection, each refilled evenly',
		alternatives: 'requestsPerSecond and messagesPerSecond of startSandbox',
	},
	{ topic: 'Account not ready', choice: '403 on every route with a key until the business verification is approved' },
	{ topic: 'Header and body idempotency keys that differ', choice: 'refused as invalid' },
	{ topic: 'Form of an idempotency key', choice: '1 to 255 printable ASCII characters, no space at either end' },
	{
		topic: 'Life of an idempotency key',
		choice: '24 hours, of the latest 20,000 of an account',
		alternatives: 'setting keyRetentionMs',
	},
	{
		topic: 'What an idempotency key remembers',
		choice: 'accepted writes only; a refusal leaves the key free. Repeats give the stored answer, another body 409',
	},
	{
		topic: 'Same body',
		choice: 'order of fields, spacing and null fields make no difference; 1.0 and 1.00 are different texts',
	},
	{
		topic: 'client_order_id',
		choice: 'up to 128 printable characters, not required to be unique; empty text when none was given',
	},
	{
		topic: 'Order statuses',
		choice:
			'pending to accepted, rejected or cancelled; accepted and partially_filled to partially_filled, filled or cancelled; expired is never used',
	},
	{ topic: 'Time from an order to its effect', choice: '5 ms', alternatives: 'setting orderDelayMs' },
	{ topic: 'Order beyond the available funds', choice: 'taken in as pending, then rejected with reject_reason' },
	{ topic: 'Post-only order that would trade', choice: 'rejected, also by equality of prices' },
	{ topic: 'Fill-or-kill order that cannot be filled whole', choice: 'accepted, then cancelled without a fill' },
	{
		topic: 'Immediate order without a counterpart',
		choice: 'accepted, then cancelled; so is a market order on an empty book',
	},
	{
		topic: 'Funds of a market buy',
		choice:
			'what the book would cost at the moment it is processed is reserved; rejected when that exceeds the available funds',
	},
	{
		topic: 'Trading with oneself',
		choice: 'the incoming order ends where it meets an order of its own account; the resting one stays',
		alternatives: 'setting selfTrade=cancel_maker cancels the resting one and goes on',
	},
	{
		topic: 'Quantity of a replacement',
		choice: 'the new total: what is filled already counts towards it',
		alternatives: 'setting replaceQuantity=remaining',
	},
	{
		topic: 'Replacement that cannot be accepted',
		choice: 'the replacement is rejected and the original stays as it is',
	},
	{ topic: 'Place in the queue of a replacement', choice: 'kept when only the quantity falls; otherwise the end' },
	{ topic: 'Order after a replacement', choice: 'cancelled, linked by replace.replaced_by_order_id' },
	{
		topic: 'Cancel or replacement of an order that is over',
		choice: 'CONFLICT; of an unknown order VALIDATION_FAILED',
	},
	{ topic: 'Second cancel or replacement under way', choice: 'CONFLICT' },
	{ topic: 'Fees', choice: 'none' },
	{
		topic: 'Rounding of money',
		choice:
			'over the life of an order a buyer pays rounded up and a seller receives rounded down, to the unit; the house account keeps the difference',
	},
	{
		topic: 'Order read alone',
		choice: 'the record of the list, bare',
		alternatives: '--dialect order=wrapped or order_id',
	},
	{
		topic: 'Further order fields',
		choice:
			'updated_at, reject_reason, cancel_reason; price is null for market orders, avg_fill_price 0.00 before a fill',
	},
	{ topic: 'Order list', choice: 'newest first; query status, pair_id, limit (or page_size; 50, at most 200), offset' },
	{ topic: 'count of the order list', choice: 'all that match', alternatives: '--dialect count=page' },
	{ topic: 'Lag of the order list', choice: 'none', alternatives: 'setting listLagMs' },
	{
		topic: 'Fills',
		choice:
			'{ fills, count }, newest first; query pair_id, order_id, limit, offset; id, order_id, trade_id, side, price, quantity, quote_quantity, fee, liquidity, created_at',
		alternatives: '--dialect lists=bare',
	},
	{
		topic: 'Market record',
		choice:
			'pair_id, base_currency, quote_currency, status, order_types, time_in_force, price_precision, quantity_precision, price_tick, quantity_step, min_quantity, max_quantity, min_notional',
		alternatives: '--dialect precision=decimals, tick or absent; lists=bare',
	},
	{
		topic: 'Limits of USD/NGN',
		choice: 'two decimals for price and quantity, quantity 0.01 to 1000000.00, limit orders worth at least 10.00 NGN',
	},
	{
		topic: 'Ticker record',
		choice:
			'best_bid, best_ask, last_price, open_24h, high_24h, low_24h, volume_24h, volume_quote_24h, change_24h, change_percent_24h, trade_count_24h, timestamp; null if there is no value',
	},
	{
		topic: 'One-side depth',
		choice: 'query side (buy when absent) and levels; { pair_id, side, levels, sequence, timestamp }',
	},
	{ topic: 'Levels of a book snapshot', choice: '100 per side, at most 1000' },
	{
		topic: 'Cap of candles and trades',
		choice: '1000 candles, 500 trades; more is lowered to it, anything but a whole number from 1 is refused',
	},
	{
		topic: 'Order of candles and trades',
		choice: 'oldest first; without after_sequence the latest trades; intervals without a trade have no candle',
	},
	{ topic: 'Element of rail_equivalents', choice: '{ rail, available }, one for USDT and one for USDC' },
	{ topic: 'Credit status', choice: 'active or overdue' },
	{
		topic: 'Transaction record',
		choice:
			'id, type, rail (fiat or crypto), currency, settlement_rail, chain, amount, status, reference, created_at, updated_at',
	},
	{
		topic: 'Transaction list',
		choice: '{ transactions, count }, newest first; query status, currency, rail, limit, offset',
		alternatives: '--dialect lists=bare',
	},
	{
		topic: 'Time from a deposit or withdrawal to its completion',
		choice: '50 ms',
		alternatives: 'setting settlementDelayMs',
	},
	{
		topic: 'Chain and bank records',
		choice: '{ chains: [{ chain, name, assets, confirmations, ... }] }, { banks: [{ bank_code, bank_name }] }',
		alternatives: '--dialect lists=bare',
	},
	{ topic: 'Deposit account and account confirmation', choice: 'account_name, bank_name, bank_code, account_number' },
	{
		topic: 'Account numbers',
		choice:
			'ten digits; any number has one and the same name at one bank, except ten zeros, which the bank does not know',
	},
	{ topic: 'Access needed to verify an account', choice: 'wallet reads' },
	{ topic: 'Recipient body', choice: 'the fields of the saved record; a given account_name must be the verified one' },
	{ topic: 'Editable recipient fields', choice: 'label; anything else is refused' },
	{ topic: 'Duplicate recipient', choice: '409' },
	{
		topic: 'Answer to a deletion',
		choice: '{ deleted: true, id }',
		alternatives: '--dialect deleted=empty (204) or null',
	},
	{
		topic: 'Order of refusals of a simulation',
		choice: '403 in production, then 400 for the body, then 404 for the account',
	},
	{ topic: 'Bodies of simulated withdrawals', choice: 'those of the deposits' },
	{
		topic: 'Bodies of the other simulations',
		choice: 'email and status (approved, pending, rejected); email, title and body',
	},
	{ topic: 'Answers of simulations', choice: 'the transaction, { email, status } or the notification' },
	{ topic: 'Field resume', choice: '{ topic: { epoch, seq } }' },
	{
		topic: 'Confirmation of a subscription',
		choice: 'topics, positions, resumed (true or false per topic asked), snapshots',
		alternatives: '--dialect resume=silent leaves resumed out',
	},
	{
		topic: 'Subscribing beyond 50 topics',
		choice: 'the whole message is refused with too_many_topics; duplicates count once',
	},
	{ topic: 'Topics refused for themselves', choice: 'one error message each; the others of the message are confirmed' },
	{ topic: 'Wildcards', choice: 'trades.*, orderbook.*, user.*; they are never resumed' },
	{ topic: 'Events kept for replay', choice: '1000 per topic', alternatives: 'eventsKept of startSandbox' },
	{ topic: 'Epoch', choice: 'a text that changes with every start and reset: the run and a count' },
	{
		topic: 'Identifiers',
		choice: 'UUIDs that end in the run, which another reset or another exchange in memory changes; no id is used twice',
		alternatives: 'run of startSandbox, --run',
	},
	{ topic: 'seq', choice: 'counts up by one' },
	{
		topic: 'Payload of user.orders',
		choice: 'the order as in the list',
		alternatives: '--dialect order_event=wrapped or list',
	},
	{ topic: 'Payload of user.fills and trades', choice: 'the record as over REST' },
	{
		topic: 'Payload of orderbook',
		choice:
			'the levels that changed, with their new quantity, zero for a level that is gone; sequence as in the snapshot',
	},
	{
		topic: 'Stream error',
		choice: '{ type: error, code, message, topic }',
		alternatives: '--dialect stream_error=reason, error or type',
	},
	{ topic: 'Invalid token of a stream connection', choice: '401 instead of the upgrade' },
	{
		topic: 'Stream message size',
		choice: '64 KB are understood; above one megabyte the connection is closed with 1009',
	},
	{ topic: 'Slow stream readers', choice: 'disconnected when more than one megabyte waits for them' },
];
