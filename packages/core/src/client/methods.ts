// Written by `npm run docs` from the catalogue. Do not edit.
import type { CallContext } from '../context';
import type { List } from './list';

/** A value the service is known to send, or one that it may send later. */
export type Known<Value extends string> = Value | (string & Record<never, never>);

/** Fields that the interface does not show. */
interface Unshown {
	[field: string]: unknown;
}

/** What every operation that offers it takes. */
interface EveryOption {
	/** Your own name for this order, such as an invoice number; the same key never places a second order, even after a crash. */
	business_key?: string | undefined;
	/** When to continue: at once (none), when the order is in the book (accepted), or when it is finished (final). Default: `none`. */
	wait?: 'none' | 'accepted' | 'final' | undefined;
	/** How long to wait at most; after that the flow continues with the latest state and says so. Beside `wait` or `wait_settled`, where the operation has one of them. Default: `60`. */
	wait_seconds?: number | undefined;
	/** Which outcomes are errors: rejected (the default), also cancelled unfilled (unfilled), also too late for Wait Until (time_limit), or none (never). Default: `rejected`. */
	fail_when?: 'never' | 'rejected' | 'unfilled' | 'time_limit' | undefined;
	/** Whether to wait, up to five minutes and a quarter, until the order exists or can no longer arrive. Default: `false`. */
	wait_certain?: boolean | undefined;
	/** How long to find out what became of it when replies are lost, before its outcome is reported as unknown; 120 if not set. */
	unknown_after_seconds?: number | undefined;
	/** Whether to check precision, sizes and trading status before sending. Default: `true`. */
	check_market?: boolean | undefined;
	/** Whether to check that the available balance covers the order, a market buy at current prices; where balances cannot be read, it is sent anyway. Default: `false`. */
	check_balance?: boolean | undefined;
	/** Whether to read the balances and say whether they cover the order. Default: `false`. */
	compare_balance?: boolean | undefined;
	/** Whether to show the exact request instead of sending it. Default: `false`. */
	dry_run?: boolean | undefined;
	/** Refuse to send more than this amount. */
	max_quantity?: string | undefined;
	/** Refuse to send if quantity times price exceeds this amount. */
	max_notional?: string | undefined;
	/** Refuse orders of any other side. Default: `both`. */
	allowed_sides?: 'both' | 'buy' | 'sell' | undefined;
	/** Refuse any other pair; several are separated by commas. */
	allowed_pairs?: string | undefined;
	/** Whether to verify the bank account and take the name of its holder before saving. Default: `false`. */
	verify_account?: boolean | undefined;
	/** Who should hold the account; the answer says how alike the confirmed name is: exact, close (but for titles, initials, company forms), or different. */
	expected_name?: string | undefined;
	/** Which matches are errors: different (the default), also close, or none (never). Default: `different`. */
	fail_when_name?: 'different' | 'close' | 'never' | undefined;
	/** Whether to return the transaction of this step too, as soon as it is listed. Default: `false`. */
	read_back?: boolean | undefined;
	/** Whether to continue only when the transaction is finished: completed, failed or cancelled. Default: `false`. */
	wait_settled?: boolean | undefined;
	/** Only the balance in this wallet currency. */
	currency?: string | undefined;
	/** Only what was created at this time or later. */
	created_after?: string | undefined;
	/** Only what was created before this time. */
	created_before?: string | undefined;
	/** Order of the results by creation time; sorting reads the whole list before it returns the first. Default: `as_sent`. */
	sort?: 'as_sent' | 'newest_first' | 'oldest_first' | undefined;
	/** How much of each record to return: everything the service sends (raw), the usual fields (simplified), or the fields you choose. Default: `raw`. */
	output_mode?: 'raw' | 'simplified' | 'selected_fields' | undefined;
}

/** The choice of fields of an answer. */
interface ChosenFields<Name extends string> {
	/** Which fields to return; what identifies a record is always included. */
	output_fields?: readonly Known<Name>[] | undefined;
}

/** What the client adds to answers. */
interface Added {
	/** The client order ID that was sent, yours or the derived one. */
	client_order_id?: string;
	/** The word with which the service answered, where it is not the status of an open order; `status` says what a read showed. */
	acknowledgement?: string;
	/** The idempotency key that was sent, yours or the derived one. */
	idempotency_key?: string;
	/** The business key it was placed under, where its client order ID carries one. */
	business_key?: string;
	/** True when this was done before under the same identity, so nothing new was sent. */
	repeated?: boolean;
	/** When an order that was repeated was placed, where the service shows it. ISO 8601 in UTC. */
	original_created_at?: string;
	/** With Wait Until or Wait Until Settled: how far, whether it came so far, and why the wait ended (`reached`, `rejected`, `cancelled`, `failed`, `time_limit`, `stopped`, `expired`, `unreadable`). */
	wait?: {
		/** How far was waited. */
		until: 'accepted' | 'final' | 'settled';
		/** Whether it came as far as was asked for before the wait ended. */
		reached: boolean;
		/** Why the wait ended: `reached` where it came as far as was asked for. */
		ended: 'reached' | 'rejected' | 'cancelled' | 'failed' | 'time_limit' | 'stopped' | 'expired' | 'unreadable';
		/** How long it took. */
		waited_seconds: number;
		/** How often a read showed an older state than an earlier one. */
		stale_readings?: number;
		/** Why it is not certain; null where it is. */
		problem?: string;
	};
	/** Where somebody replaced the order: the order that stands for it now. Of an order that was awaited, the status and fills are those of this one. */
	replaced_by_order_id?: string;
	/** What is not filled of the order, exact: still open, or never to be filled once the order is over. Decimal text. */
	remaining_quantity?: string;
	/** Why the service rejected the order, where it did. */
	rejection?: string;
	/** What to do next, where the outcome is unknown or a wait ended by its time limit. */
	advice?: string;
	/** Further orders with the same client order ID, which should never be: look at them at once. */
	duplicate_order_ids?: string[];
	/** The order that stands for the one that was found, which somebody replaced. */
	replacement?: unknown;
	/** With the outcome unknown: when to ask again with this value, because from then on no request can arrive. ISO 8601 in UTC. */
	not_before?: string;
	/** With Expected Name: how alike the confirmed name is, `exact`, `close` or `different`. */
	name_match?: 'exact' | 'close' | 'different';
	/** True when there was nothing left to remove. */
	already_gone?: boolean;
	/** With Include Transaction: the transaction, null if none appeared in time. */
	transaction?: Transaction | null;
}

/** The input of Create Order, whatever its order_type is. */
interface CreateOrderEveryInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Whether to buy or sell the base currency. */
	side: 'buy' | 'sell';
	/** Amount in the base currency. Decimal text, in the base currency, such as `100.00`. */
	quantity: string;
	/** Your own identifier for the order; derived from the run when empty, and put behind the identifier derived from a Business Key. At most 128 characters, such as `order-1001`. */
	client_order_id?: string | null | undefined;
	/** Key that keeps attempts from being carried out twice; derived from the run when empty, and not allowed together with a Business Key. At most 128 characters. */
	idempotency_key?: string | null | undefined;
}

/** The input of Create Order with order_type `limit`. */
export interface CreateOrderLimitInput extends CreateOrderEveryInput {
	/** Limit trades at your price or better, market trades at once at the best prices available. */
	order_type: 'limit';
	/** Price of one unit of the base currency, in the quote currency. Decimal text, quote currency for one unit of the base, such as `1500.00`. */
	price: string;
	/** How long the order may stay open; the service decides if it is not set. */
	time_in_force?: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | null | undefined;
}

/** The input of Create Order with order_type `market`. */
export interface CreateOrderMarketInput extends CreateOrderEveryInput {
	/** Limit trades at your price or better, market trades at once at the best prices available. */
	order_type: 'market';
	/** Counts only where order_type is `limit`. */
	price?: null | undefined;
	/** Counts only where order_type is `limit`. */
	time_in_force?: null | undefined;
}

/** The input of Create Order. */
export type CreateOrderInput = CreateOrderLimitInput | CreateOrderMarketInput;

/** The options of Create Order. */
export interface CreateOrderOptions extends Pick<EveryOption, 'wait' | 'wait_seconds' | 'fail_when' | 'business_key' | 'max_quantity' | 'max_notional' | 'allowed_pairs' | 'allowed_sides' | 'check_balance' | 'dry_run' | 'output_mode' | 'check_market' | 'unknown_after_seconds'>, ChosenFields<'acknowledgement' | 'advice' | 'avg_fill_price' | 'business_key' | 'client_order_id' | 'created_at' | 'duplicate_order_ids' | 'filled_quantity' | 'id' | 'idempotency_key' | 'order_id' | 'order_type' | 'original_created_at' | 'pair_id' | 'price' | 'quantity' | 'rejection' | 'remaining_quantity' | 'repeated' | 'replace' | 'replaced_by_order_id' | 'side' | 'status' | 'time_in_force' | 'wait'> {}

/** The answer of Create Order. */
export interface CreateOrderAnswer extends Partial<Pick<Order, 'id' | 'client_order_id' | 'pair_id' | 'order_type' | 'side' | 'quantity' | 'price' | 'filled_quantity' | 'avg_fill_price' | 'time_in_force' | 'replace'>>, Pick<Added, 'acknowledgement' | 'idempotency_key' | 'business_key' | 'repeated' | 'original_created_at' | 'wait' | 'replaced_by_order_id' | 'remaining_quantity' | 'rejection' | 'advice' | 'duplicate_order_ids'> {
	/** Identifier of the order. */
	order_id: string;
	/** What has become of it so far. */
	status: Known<'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired'> | null;
	/** When it was created. ISO 8601 in UTC. */
	created_at: string;
}

/** The input of Get Order. */
export interface GetOrderInput {
	/** Identifier the service gave the order. */
	order_id: string;
}

/** The options of Get Order. */
export interface GetOrderOptions extends Pick<EveryOption, 'output_mode'>, ChosenFields<'avg_fill_price' | 'business_key' | 'client_order_id' | 'created_at' | 'filled_quantity' | 'id' | 'order_type' | 'pair_id' | 'price' | 'quantity' | 'remaining_quantity' | 'replace' | 'side' | 'status' | 'time_in_force'> {}

/** The answer of Get Order. The fields of an order read alone are taken to be those of the order list; the named fields are what is expected. */
export interface Order extends Pick<Added, 'remaining_quantity' | 'business_key'>, Unshown {
	/** Identifier, as the service gave it. */
	id: string;
	/** The client order ID that was sent, yours or the derived one. */
	client_order_id: string;
	/** Pair, as the markets list names it. */
	pair_id: string;
	/** `limit` or `market`. */
	order_type: Known<'limit' | 'market'>;
	/** `buy` or `sell`. */
	side: Known<'buy' | 'sell'>;
	/** Amount in the base currency. Decimal text. */
	quantity: string;
	/** Price of one unit of the base currency, in the quote currency; null for a market order. Decimal text. */
	price: string | null;
	/** Executed so far, in the base currency. Decimal text. */
	filled_quantity: string;
	/** Average price of what was executed; null before the first fill. Decimal text. */
	avg_fill_price: string | null;
	/** What has become of it so far. */
	status: Known<'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired'>;
	/** How long the order may stay open. */
	time_in_force: Known<'GTC' | 'IOC' | 'FOK' | 'POST_ONLY'>;
	/** When it was created. ISO 8601 in UTC. */
	created_at: string;
	/** The orders it replaces and is replaced by. */
	replace: {
		/** Where somebody replaced the order: the order that stands for it now. Of an order that was awaited, the status and fills are those of this one. */
		replaced_by_order_id: string | null;
		/** Identifier of the order that it replaces; null without one. */
		replaces_order_id: string | null;
	};
}

/** The input of Get Many Orders. */
export interface GetManyOrdersInput {
	/** Only orders with one of these statuses; open are all that are not over yet. Its name is assumed: The list filters by status; the parameter name is not shown. */
	status?: 'open' | 'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired' | readonly ('open' | 'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired')[] | null | undefined;
	/** Only orders for this pair. Such as `USD/NGN`. Its name is assumed: The list filters by pair; the parameter name is not shown. */
	pair_id?: string | null | undefined;
	/** Most results of one page; iterating goes on to the next page. At least 1. Its name is assumed: The page size parameter is not named. */
	limit?: number | null | undefined;
	/** How many orders to skip from the start. At least 0. Its name is assumed: The offset parameter is not named. */
	offset?: number | null | undefined;
}

/** The options of Get Many Orders. */
export interface GetManyOrdersOptions extends Pick<EveryOption, 'created_after' | 'created_before' | 'sort' | 'output_mode'>, ChosenFields<'avg_fill_price' | 'business_key' | 'client_order_id' | 'created_at' | 'filled_quantity' | 'id' | 'order_type' | 'pair_id' | 'price' | 'quantity' | 'remaining_quantity' | 'replace' | 'side' | 'status' | 'time_in_force'> {}

/** The input of Cancel Order. */
export interface CancelOrderInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Identifier of an open order. */
	order_id: string;
	/** Key that keeps attempts from being carried out twice; derived from the run when empty, and not allowed together with a Business Key. At most 128 characters. */
	idempotency_key?: string | null | undefined;
}

/** The options of Cancel Order. */
export interface CancelOrderOptions extends Pick<EveryOption, 'wait' | 'wait_seconds' | 'fail_when' | 'dry_run' | 'output_mode' | 'unknown_after_seconds'>, ChosenFields<'acknowledgement' | 'advice' | 'avg_fill_price' | 'business_key' | 'cancelled_at' | 'client_order_id' | 'created_at' | 'filled_quantity' | 'id' | 'idempotency_key' | 'order_id' | 'order_type' | 'original_created_at' | 'pair_id' | 'price' | 'quantity' | 'rejection' | 'remaining_quantity' | 'repeated' | 'replace' | 'replaced_by_order_id' | 'side' | 'status' | 'time_in_force' | 'wait'> {}

/** The answer of Cancel Order. */
export interface CancelOrderAnswer extends Partial<Pick<Order, 'id' | 'client_order_id' | 'pair_id' | 'order_type' | 'side' | 'quantity' | 'price' | 'filled_quantity' | 'avg_fill_price' | 'time_in_force' | 'created_at' | 'replace'>>, Pick<Added, 'acknowledgement' | 'idempotency_key' | 'business_key' | 'repeated' | 'original_created_at' | 'wait' | 'replaced_by_order_id' | 'remaining_quantity' | 'rejection' | 'advice'> {
	/** Identifier of the order. */
	order_id: string;
	/** What has become of it so far. */
	status: Known<'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired'> | null;
	/** When it was cancelled. ISO 8601 in UTC. */
	cancelled_at: string;
}

/** The input of Replace Order. */
export interface ReplaceOrderInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Identifier of an open order. */
	order_id: string;
	/** New amount in the base currency. Decimal text, in the base currency, such as `100.00`. */
	quantity: string;
	/** New price in the quote currency. Decimal text, quote currency for one unit of the base, such as `1500.00`. */
	price: string;
	/** Your own identifier for the order; derived from the run when empty, and put behind the identifier derived from a Business Key. At most 128 characters, such as `order-1001`. */
	client_order_id?: string | null | undefined;
	/** Key that keeps attempts from being carried out twice; derived from the run when empty, and not allowed together with a Business Key. At most 128 characters. */
	idempotency_key?: string | null | undefined;
}

/** The options of Replace Order. */
export interface ReplaceOrderOptions extends Pick<EveryOption, 'wait' | 'wait_seconds' | 'fail_when' | 'business_key' | 'max_quantity' | 'max_notional' | 'allowed_pairs' | 'allowed_sides' | 'check_balance' | 'dry_run' | 'output_mode' | 'check_market' | 'unknown_after_seconds'>, ChosenFields<'acknowledgement' | 'advice' | 'avg_fill_price' | 'business_key' | 'client_order_id' | 'created_at' | 'filled_quantity' | 'id' | 'idempotency_key' | 'new_order_id' | 'order_id' | 'order_type' | 'original_created_at' | 'original_order_id' | 'pair_id' | 'price' | 'quantity' | 'rejection' | 'remaining_quantity' | 'repeated' | 'replace' | 'replaced_at' | 'replaced_by_order_id' | 'side' | 'status' | 'time_in_force' | 'wait'> {}

/** The answer of Replace Order. */
export interface ReplaceOrderAnswer extends Partial<Pick<Order, 'order_id' | 'id' | 'client_order_id' | 'pair_id' | 'order_type' | 'side' | 'quantity' | 'price' | 'filled_quantity' | 'avg_fill_price' | 'time_in_force' | 'created_at' | 'replace'>>, Pick<Added, 'acknowledgement' | 'idempotency_key' | 'business_key' | 'repeated' | 'original_created_at' | 'wait' | 'replaced_by_order_id' | 'remaining_quantity' | 'rejection' | 'advice'> {
	/** Identifier of the order that was replaced. */
	original_order_id: string;
	/** Identifier of the order that takes the place of the other one. */
	new_order_id: string;
	/** What has become of it so far. */
	status: Known<'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired'> | null;
	/** When it was replaced. ISO 8601 in UTC. */
	replaced_at: string;
}

/** The input of Resolve Order. */
export interface ResolveOrderInput {
	/** Identifier the order was sent with. At most 128 characters, such as `order-1001`. */
	client_order_id: string;
	/** Pair of the order; one of another pair is another order. Such as `USD/NGN`. */
	pair_id?: string | null | undefined;
	/** The not_before of the error or of an earlier answer; without it, five minutes and a quarter from now. ISO 8601, such as `2026-01-31T14:32:00Z`. */
	not_before?: string | null | undefined;
}

/** The options of Resolve Order. */
export interface ResolveOrderOptions extends Pick<EveryOption, 'wait_certain'> {}

/** The answer of Resolve Order. */
export interface ResolveOrderAnswer extends Pick<Added, 'duplicate_order_ids' | 'replaced_by_order_id' | 'replacement' | 'not_before' | 'advice'> {
	/** How it ended; `still_open` or `unknown` while that is not certain. */
	outcome: string;
	/** The client order ID that was sent, yours or the derived one. */
	client_order_id: string;
	/** The order, where it exists. */
	order: Order | null;
}

/** The input of Get Many Fills. */
export interface GetManyFillsInput {
	/** Only fills for this pair. Such as `USD/NGN`. Its name is assumed: The query parameters of fills are not shown. */
	pair_id?: string | null | undefined;
	/** Only fills of this order. Its name is assumed: The query parameters of fills are not shown. */
	order_id?: string | null | undefined;
	/** Most results of one page; iterating goes on to the next page. At least 1. Its name is assumed: The query parameters of fills are not shown. */
	limit?: number | null | undefined;
	/** How many fills to skip from the start. At least 0. Its name is assumed: The query parameters of fills are not shown. */
	offset?: number | null | undefined;
}

/** The options of Get Many Fills. */
export interface GetManyFillsOptions extends Pick<EveryOption, 'created_after' | 'created_before' | 'sort' | 'output_mode'>, ChosenFields<'business_key' | 'created_at' | 'fee' | 'id' | 'order_id' | 'pair_id' | 'price' | 'quantity' | 'side'> {}

/** One item of Get Many Fills. A fill is an execution linked to an order of the account; its fields are not shown; the named fields are what is expected. */
export interface Fill extends Pick<Added, 'business_key'>, Unshown {
	/** Identifier, as the service gave it. */
	id?: string;
	/** Identifier of the order. */
	order_id?: string;
	/** Pair, as the markets list names it. */
	pair_id?: string;
	/** `buy` or `sell`. */
	side?: Known<'buy' | 'sell'>;
	/** Amount in the base currency. */
	quantity?: string;
	/** Price of one unit of the base currency, in the quote currency. */
	price?: string;
	/** What the execution cost. */
	fee?: string;
	/** When it was created. */
	created_at?: string;
	/** Identifier of the fill, where the service names it so. */
	fill_id?: string;
	/** Identifier of the execution, where the service names it so. */
	execution_id?: string;
	/** Identifier of the trade, where the service names it so. */
	trade_id?: string;
}

/** The input of Estimate Order, whatever its order_type is. */
interface EstimateOrderEveryInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Whether to buy or sell the base currency. */
	side: 'buy' | 'sell';
	/** Amount in the base currency; give this or a quote amount. Decimal text, in the base currency, such as `100.00`. */
	quantity?: string | null | undefined;
	/** Amount in the quote currency that is to be spent or received, in place of a quantity. Decimal text, in the quote currency, such as `500000.00`. */
	quote_amount?: string | null | undefined;
}

/** The input of Estimate Order with order_type `limit`. */
export interface EstimateOrderLimitInput extends EstimateOrderEveryInput {
	/** Limit trades at your price or better, market trades at once at the best prices available. */
	order_type: 'limit';
	/** Price of one unit of the base currency, in the quote currency. Decimal text, quote currency for one unit of the base, such as `1500.00`. */
	price: string;
}

/** The input of Estimate Order with order_type `market`. */
export interface EstimateOrderMarketInput extends EstimateOrderEveryInput {
	/** Limit trades at your price or better, market trades at once at the best prices available. */
	order_type: 'market';
	/** Counts only where order_type is `limit`. */
	price?: null | undefined;
}

/** The input of Estimate Order. */
export type EstimateOrderInput = EstimateOrderLimitInput | EstimateOrderMarketInput;

/** The options of Estimate Order. */
export interface EstimateOrderOptions extends Pick<EveryOption, 'compare_balance' | 'output_mode'>, ChosenFields<'affordable' | 'available' | 'avg_price' | 'best_price' | 'fillable_quantity' | 'left_over' | 'order_type' | 'pair_id' | 'price' | 'problems' | 'quantity' | 'side' | 'slippage_percent' | 'total' | 'worst_price'> {}

/** The answer of Estimate Order. */
export interface EstimateOrderAnswer {
	/** Pair, as the markets list names it. */
	pair_id: string;
	/** `buy` or `sell`. */
	side: Known<'buy' | 'sell'>;
	/** `limit` or `market`. */
	order_type: Known<'limit' | 'market'>;
	/** Price of one unit of the base currency, in the quote currency; null for a market order. Decimal text. */
	price: string | null;
	/** Amount in the base currency. Decimal text. */
	quantity: string;
	/** Best price of the book; null where it is empty. Decimal text. */
	best_price: string | null;
	/** Average price of what the book can fill, rounded to 8 decimals, halves to even; null where it can fill nothing. Decimal text. */
	avg_price: string | null;
	/** Price of the last part that the book can fill; null where it can fill nothing. Decimal text. */
	worst_price: string | null;
	/** What the part costs or brings that the book can fill. Decimal text. */
	total: string;
	/** How much worse the average price is than the best one, in per cent, rounded to 4 decimals. Decimal text. */
	slippage_percent: string | null;
	/** How much of it the book can fill now. Decimal text. */
	fillable_quantity: string;
	/** What the book does not give: in the base currency, or of a quote amount in the quote currency. Decimal text. */
	left_over: string;
	/** What may be spent. Decimal text. */
	available: string | null;
	/** Whether the balance covers it; null where it was not compared. */
	affordable: boolean | null;
	/** What the market would refuse of it, in words. */
	problems: string[];
}

/** The input of Cancel Open Orders. */
export interface CancelOpenOrdersInput {
	/** Only orders for this pair. Such as `USD/NGN`. */
	pair_id?: string | null | undefined;
	/** Orders of both sides, or of one alone. */
	side?: 'both' | 'buy' | 'sell' | null | undefined;
	/** Only orders created before this time. ISO 8601, such as `2026-02-01T00:00:00Z`. */
	created_before?: string | null | undefined;
}

/** The options of Cancel Open Orders. */
export interface CancelOpenOrdersOptions extends Pick<EveryOption, 'wait_seconds'> {}

/** The answer of Cancel Open Orders. */
export interface CancelOpenOrdersAnswer {
	/** The orders, each with how it ended. */
	orders: ({
		/** Identifier of the order. */
		order_id: string;
		/** How it ended; `still_open` or `unknown` while that is not certain. */
		outcome: string;
		/** What has become of it so far. */
		status: Known<'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected' | 'expired'>;
		/** Pair, as the markets list names it. */
		pair_id: string;
		/** `buy` or `sell`. */
		side: Known<'buy' | 'sell'>;
		/** Amount in the base currency. Decimal text. */
		quantity: string;
		/** Executed so far, in the base currency. Decimal text. */
		filled_quantity: string;
		/** What is not filled of the order, exact: still open, or never to be filled once the order is over. Decimal text. */
		remaining_quantity: string;
		/** Why it is not certain; null where it is. */
		problem: string | null;
	})[];
	/** How many of the orders may still be open. */
	still_open: number;
	/** Why it is not certain; null where it is. */
	problem: string | null;
}

/** The input of Summarize Fills. */
export interface SummarizeFillsInput {
	/** First day, in the time zone. Such as `2026-01-01`. */
	from: string;
	/** Last day, in the time zone; it counts whole. Such as `2026-01-31`. */
	to: string;
	/** Whose days they are. Such as `Africa/Lagos`. */
	time_zone: string;
	/** What each row adds up; pairs are never added to each other. */
	group_by?: 'nothing' | 'day' | 'side' | 'pair' | 'order' | null | undefined;
	/** Fills of both sides, or of one alone. */
	side?: 'both' | 'buy' | 'sell' | null | undefined;
	/** Only fills for this pair. Such as `USD/NGN`. */
	pair_id?: string | null | undefined;
}

/** The answer of Summarize Fills. */
export interface SummarizeFillsAnswer {
	/** One row for each group and pair. */
	rows: ({
		/** The day, side, pair or order that the row adds up, or `all`. */
		group: string;
		/** Pair, as the markets list names it. */
		pair_id: string | null;
		/** How many there are. */
		count: number;
		/** Amount in the base currency. Decimal text. */
		quantity: string;
		/** What the fills cost or brought, in the quote currency. Decimal text. */
		total: string;
		/** Average price of the fills; null without any. Decimal text. */
		avg_price: string | null;
		/** What the fills cost, by currency; `not_shown` where the service names none. */
		fees: unknown;
		/** When the first of them happened. ISO 8601 in UTC. */
		first_at: string | null;
		/** When the last of them happened. ISO 8601 in UTC. */
		last_at: string | null;
	})[];
	/** Whether every fill was read and could be added. */
	complete: boolean;
	/** Why it is not certain; null where it is. */
	problem: string | null;
}

/** The input of Get Many Markets. It takes none. */
export type GetManyMarketsInput = Record<string, never>;

/** The options of Get Many Markets. */
export interface GetManyMarketsOptions extends Pick<EveryOption, 'output_mode'>, ChosenFields<'max_quantity' | 'min_quantity' | 'pair_id' | 'price_precision' | 'quantity_precision' | 'status'> {}

/** One item of Get Many Markets. A market carries pair, order types, precision, minimum and maximum sizes and status; its fields are not shown; the named fields are what is expected. */
export interface Market extends Unshown {
	/** Pair, as the markets list names it. */
	pair_id?: string;
	/** Whether the pair is traded. */
	status?: string;
	/** Decimal places of a price. */
	price_precision?: string;
	/** Decimal places of a quantity. */
	quantity_precision?: string;
	/** Smallest quantity of an order. */
	min_quantity?: string;
	/** Largest quantity of an order. */
	max_quantity?: string;
	/** Identifier, as the service gave it. */
	id?: string;
	/** Pair, where the service names it so. */
	symbol?: string;
	/** Pair, where the service names it so. */
	code?: string;
}

/** The input of Get Ticker. */
export interface GetTickerInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
}

/** The answer of Get Ticker. A ticker carries best bid, best ask and 24-hour statistics; its fields are not shown; the named fields are what is expected. */
export interface Ticker extends Unshown {
	/** Pair, as the markets list names it. */
	pair_id?: string;
	/** Highest price somebody buys at. */
	best_bid?: string;
	/** Lowest price somebody sells at. */
	best_ask?: string;
	/** Price of the latest trade. */
	last_price?: string;
	/** Highest price of its time. */
	high?: string;
	/** Lowest price of its time. */
	low?: string;
	/** Amount that was traded in its time, in the base currency. */
	volume?: string;
	/** When it was so. */
	timestamp?: string;
}

/** The input of Get Order Book. */
export interface GetOrderBookInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** How many price levels to return on each side. At least 1, such as `20`. */
	levels?: number | null | undefined;
}

/** The answer of Get Order Book. */
export interface OrderBook {
	/** Pair, as the markets list names it. */
	pair_id: string;
	/** Offers to buy, the highest price first. */
	bids: {
		/** Price of one unit of the base currency, in the quote currency. Decimal text. */
		price: string;
		/** Amount in the base currency. Decimal text. */
		quantity: string;
	}[];
	/** Offers to sell, the lowest price first. */
	asks: {
		/** Price of one unit of the base currency, in the quote currency. Decimal text. */
		price: string;
		/** Amount in the base currency. Decimal text. */
		quantity: string;
	}[];
	/** Number that grows with every change. */
	sequence: number;
	/** When it was so. ISO 8601 in UTC. */
	timestamp: string;
}

/** The input of Get Depth. */
export interface GetDepthInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Which side of the book to read. Its name is assumed: The answer is one side of the book; how the side is named is not shown. */
	side?: 'buy' | 'sell' | null | undefined;
}

/** The answer of Get Depth. One-side depth; its fields are not shown; the named fields are what is expected. */
export interface Depth extends Unshown {}

/** The input of Get Candles. */
export interface GetCandlesInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Length of one candle. */
	interval: '1m' | '5m' | '15m' | '1h' | '4h' | '1d';
	/** Only candles before this time. ISO 8601, such as `2026-01-31T00:00:00Z`. */
	before?: string | null | undefined;
	/** Most results of one page; iterating goes on to the next page. At least 1. */
	limit?: number | null | undefined;
}

/** One item of Get Candles. */
export interface Candle {
	/** First price of its time. Decimal text. */
	open: string;
	/** Highest price of its time. Decimal text. */
	high: string;
	/** Lowest price of its time. Decimal text. */
	low: string;
	/** Last price of its time. Decimal text. */
	close: string;
	/** Amount that was traded in its time, in the base currency. Decimal text. */
	volume: string;
	/** Amount that was traded in its time, in the quote currency. Decimal text. */
	volume_quote: string;
	/** Number of trades in the interval. */
	trade_count: number;
	/** When it was so. ISO 8601 in UTC. */
	timestamp: string;
}

/** The input of Get Trades. */
export interface GetTradesInput {
	/** Trading pair as the markets list names it. Such as `USD/NGN`. */
	pair_id: string;
	/** Only trades after this sequence number. At least 0. */
	after_sequence?: number | null | undefined;
	/** Most results of one page; iterating goes on to the next page. At least 1. */
	limit?: number | null | undefined;
}

/** One item of Get Trades. */
export interface Trade {
	/** Identifier, as the service gave it. */
	id: string;
	/** Pair, as the markets list names it. */
	pair_id: string;
	/** Price of one unit of the base currency, in the quote currency. Decimal text. */
	price: string;
	/** Amount in the base currency. Decimal text. */
	quantity: string;
	/** `buy` or `sell`. */
	side: Known<'buy' | 'sell'>;
	/** Number that grows with every change. */
	sequence: number;
	/** When it was created. ISO 8601 in UTC. */
	created_at: string;
}

/** The input of Get Balances. It takes none. */
export type GetBalancesInput = Record<string, never>;

/** The options of Get Balances. */
export interface GetBalancesOptions extends Pick<EveryOption, 'currency' | 'output_mode'>, ChosenFields<'available' | 'credit' | 'currency' | 'generated_at' | 'locked' | 'rail_equivalents' | 'total'> {}

/** One of the `balances` of Get Balances. */
export interface Balance {
	/** Wallet currency or settlement rail. */
	currency: string;
	/** What may be spent. Decimal text. */
	available: string;
	/** Reserved for open orders and other pending activity. Decimal text. */
	locked: string;
	/** Available and locked together. Decimal text. */
	total: string;
	/** The settlement rails of the balance; null for NGN. */
	rail_equivalents: unknown;
}

/** One of the `credit` of Get Balances. */
export interface Credit {
	/** What of the credit may still be used. Decimal text. */
	available_credit: string;
	/** How much credit there is at most. Decimal text. */
	credit_limit: string;
	/** How much of the credit is used. Decimal text. */
	credit_used: string;
	/** Net negative amount, as the service gives it. Decimal text. */
	net_negative: string;
	/** Net positive amount, as the service gives it. Decimal text. */
	net_positive: string;
	/** What is still to be paid of the credit. Decimal text. */
	outstanding: string;
	/** Wallet currency or settlement rail. */
	currency: string;
	/** When the next payment of the credit is due; null without one. ISO 8601 in UTC. */
	next_due_at: string | null;
	/** Whether a payment of the credit is late. */
	overdue: boolean;
	/** State of the credit. */
	status: string;
	/** Whether the credit keeps money from being withdrawn. */
	withdrawal_blocked: boolean;
}

/** The answer of Get Balances. */
export interface BalanceOverview {
	/** One entry for each wallet currency. */
	balances: Balance[];
	/** The credit line of the account. */
	credit: Credit;
	/** When the answer was made. ISO 8601 in UTC. */
	generated_at: string;
	/** Wallet currency or settlement rail. */
	currency?: string;
	/** What may be spent. */
	available?: string;
	/** Reserved for open orders and other pending activity. */
	locked?: string;
	/** Available and locked together. */
	total?: string;
}

/** The input of Get Currencies. It takes none. */
export type GetCurrenciesInput = Record<string, never>;

/** The options of Get Currencies. */
export interface GetCurrenciesOptions extends Pick<EveryOption, 'output_mode'>, ChosenFields<'code' | 'decimals' | 'deposit_enabled' | 'logo_url' | 'name' | 'symbol' | 'wallet_enabled' | 'withdrawal_enabled'> {}

/** One item of Get Currencies. */
export interface Currency {
	/** Code, such as `NGN`. */
	code: string;
	/** Name, as the service shows it. */
	name: string;
	/** Sign, such as `₦`. */
	symbol: string;
	/** Decimal places of an amount in this currency. */
	decimals: number;
	/** Address of a picture; null without one. */
	logo_url: string | null;
	/** Whether a wallet may hold this currency. */
	wallet_enabled: boolean;
	/** Whether deposits are possible. */
	deposit_enabled: boolean;
	/** Whether withdrawals are possible. */
	withdrawal_enabled: boolean;
}

/** The input of Get Chains. It takes none. */
export type GetChainsInput = Record<string, never>;

/** One item of Get Chains. The fields of a chain are not shown; the named fields are what is expected. */
export interface Chain extends Unshown {
	/** Blockchain. */
	chain?: string;
	/** Code of the blockchain, where the service names it so. */
	code?: string;
	/** Identifier, as the service gave it. */
	id?: string;
	/** Name, as the service shows it. */
	name?: string;
}

/** The input of Get Banks. It takes none. */
export type GetBanksInput = Record<string, never>;

/** One item of Get Banks. A bank carries a code; its other fields are not shown; the named fields are what is expected. */
export interface Bank extends Unshown {
	/** Code of the bank in the live bank list. */
	bank_code?: string;
	/** Code of the bank, where the service names it so. */
	code?: string;
	/** Identifier, as the service gave it. */
	id?: string;
	/** Name of the bank. */
	bank_name?: string;
}

/** The input of Get Deposit Account. It takes none. */
export type GetDepositAccountInput = Record<string, never>;

/** The answer of Get Deposit Account. The account carries a name, a bank name and a number; its fields are not shown; the named fields are what is expected. */
export interface DepositAccount extends Unshown {
	/** Holder of the bank account. */
	account_name?: string;
	/** Number of the bank account. */
	account_number?: string;
	/** Name of the bank. */
	bank_name?: string;
}

/** The input of Verify Account. */
export interface VerifyAccountInput {
	/** Bank of the account, from the live bank list. Such as `058`. */
	bank_code: string;
	/** Number of the bank account. At most 34 characters, such as `0123456789`. */
	account_number: string;
}

/** The options of Verify Account. */
export interface VerifyAccountOptions extends Pick<EveryOption, 'expected_name' | 'fail_when_name'> {}

/** The answer of Verify Account. The confirmation is not shown; the named fields are what is expected. */
export interface AccountHolder extends Pick<Added, 'name_match'>, Unshown {
	/** Holder of the bank account. */
	account_name?: string;
	/** Number of the bank account. */
	account_number?: string;
	/** Code of the bank in the live bank list. */
	bank_code?: string;
	/** Name of the bank. */
	bank_name?: string;
}

/** The input of Get Many Transactions. */
export interface GetManyTransactionsInput {
	/** Only transactions with this status. Its name is assumed: The filter and paging parameters of transactions are not shown. */
	status?: 'pending' | 'completed' | 'failed' | 'cancelled' | null | undefined;
	/** Only transactions in this wallet currency. Such as `NGN`. Its name is assumed: The filter and paging parameters of transactions are not shown. */
	currency?: string | null | undefined;
	/** Only transactions on this rail. Such as `crypto`. Its name is assumed: The filter and paging parameters of transactions are not shown. */
	rail?: string | null | undefined;
	/** Most results of one page; iterating goes on to the next page. At least 1. Its name is assumed: The filter and paging parameters of transactions are not shown. */
	limit?: number | null | undefined;
	/** How many transactions to skip from the start. At least 0. Its name is assumed: The filter and paging parameters of transactions are not shown. */
	offset?: number | null | undefined;
}

/** The options of Get Many Transactions. */
export interface GetManyTransactionsOptions extends Pick<EveryOption, 'created_after' | 'created_before' | 'sort' | 'output_mode'>, ChosenFields<'amount' | 'created_at' | 'currency' | 'id' | 'rail' | 'settlement_rail' | 'status' | 'type'> {}

/** One item of Get Many Transactions. Fields beyond id, rail, currency, settlement_rail and status are not shown; the named fields are what is expected. */
export interface Transaction extends Unshown {
	/** Identifier, as the service gave it. */
	id: string;
	/** How the money moves, such as `USDT`. */
	rail: string;
	/** Wallet currency or settlement rail. */
	currency: string;
	/** Stablecoin the USD wallet settled in; null without one. */
	settlement_rail: string | null;
	/** What has become of it so far. */
	status: Known<'pending' | 'completed' | 'failed' | 'cancelled'>;
	/** Kind of movement, such as a deposit. */
	type?: string;
	/** Amount of the transaction. */
	amount?: string;
	/** When it was created. */
	created_at?: string;
	/** Public identifier of the transaction. */
	transaction_id?: string;
}

/** The input of Get Transaction. */
export interface GetTransactionInput {
	/** Public identifier of the transaction. */
	transaction_id: string;
}

/** The options of Get Transaction. */
export interface GetTransactionOptions extends Pick<EveryOption, 'wait_settled' | 'wait_seconds' | 'output_mode'>, ChosenFields<'amount' | 'created_at' | 'currency' | 'id' | 'rail' | 'settlement_rail' | 'status' | 'type' | 'wait'> {}

/** The answer of Get Transaction. Fields beyond id, rail, currency, settlement_rail and status are not shown; the named fields are what is expected. */
export interface GetTransactionAnswer extends Pick<Added, 'wait'>, Unshown {
	/** Identifier, as the service gave it. */
	id: string;
	/** How the money moves, such as `USDT`. */
	rail: string;
	/** Wallet currency or settlement rail. */
	currency: string;
	/** Stablecoin the USD wallet settled in; null without one. */
	settlement_rail: string | null;
	/** What has become of it so far. */
	status: Known<'pending' | 'completed' | 'failed' | 'cancelled'>;
	/** Kind of movement, such as a deposit. */
	type?: string;
	/** Amount of the transaction. */
	amount?: string;
	/** When it was created. */
	created_at?: string;
}

/** The input of Create Recipient, whatever its recipient_type is. */
interface CreateRecipientEveryInput {
	/** NGN for a bank account, a stablecoin for a blockchain address. At most 16 characters, such as `USDT`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	currency: string;
	/** Name to recognise the recipient by. At most 128 characters, such as `Lagos office rent`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	label: string;
	/** JSON object merged over the fields above, for fields the service accepts beyond them. Such as `{}`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	body?: Record<string, unknown> | null | undefined;
}

/** The input of Create Recipient with recipient_type `fiat`. */
export interface CreateRecipientFiatInput extends CreateRecipientEveryInput {
	/** A bank account or a blockchain address. */
	recipient_type: 'fiat';
	/** Bank of the account, from the live bank list. Such as `058`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	bank_code: string;
	/** Number of the bank account. At most 34 characters, such as `0123456789`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	account_number: string;
	/** Holder of the account as the bank confirmed it. At most 128 characters, such as `Ada Obi`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	account_name?: string | null | undefined;
	/** Counts only where recipient_type is `crypto`. */
	chain?: null | undefined;
	/** Counts only where recipient_type is `crypto`. */
	crypto_address?: null | undefined;
}

/** The input of Create Recipient with recipient_type `crypto`. */
export interface CreateRecipientCryptoInput extends CreateRecipientEveryInput {
	/** A bank account or a blockchain address. */
	recipient_type: 'crypto';
	/** Counts only where recipient_type is `fiat`. */
	bank_code?: null | undefined;
	/** Counts only where recipient_type is `fiat`. */
	account_number?: null | undefined;
	/** Counts only where recipient_type is `fiat`. */
	account_name?: null | undefined;
	/** Blockchain of the address. Such as `TRON`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	chain: string;
	/** Address on that chain; a wrong one cannot be undone. At most 128 characters. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	crypto_address: string;
}

/** The input of Create Recipient. */
export type CreateRecipientInput = CreateRecipientFiatInput | CreateRecipientCryptoInput;

/** The options of Create Recipient. */
export interface CreateRecipientOptions extends Pick<EveryOption, 'verify_account' | 'output_mode'>, ChosenFields<'account_name' | 'account_number' | 'bank_code' | 'bank_name' | 'chain' | 'created_at' | 'crypto_address' | 'currency' | 'id' | 'label' | 'recipient_type' | 'updated_at'> {}

/** The answer of Create Recipient. */
export interface Recipient {
	/** Identifier, as the service gave it. */
	id: string;
	/** `fiat` for a bank account, `crypto` for an address. */
	recipient_type: Known<'fiat' | 'crypto'>;
	/** Wallet currency or settlement rail. */
	currency: string;
	/** Name to recognise it by. */
	label: string;
	/** Holder of the bank account; null for an address. */
	account_name: string | null;
	/** Number of the bank account; null for an address. */
	account_number: string | null;
	/** Code of the bank in the live bank list. */
	bank_code: string | null;
	/** Name of the bank. */
	bank_name: string | null;
	/** Blockchain; null for a bank account. */
	chain: string | null;
	/** Address on the chain; null for a bank account. */
	crypto_address: string | null;
	/** When it was created. ISO 8601 in UTC. */
	created_at: string;
	/** When it was changed last. ISO 8601 in UTC. */
	updated_at: string;
}

/** The input of Get Many Recipients. */
export interface GetManyRecipientsInput {
	/** Only bank accounts or only blockchain addresses. */
	recipient_type?: 'fiat' | 'crypto' | null | undefined;
	/** Only recipients with this wallet currency or settlement rail. At most 16 characters, such as `NGN`. */
	currency?: string | null | undefined;
}

/** The options of Get Many Recipients. */
export interface GetManyRecipientsOptions extends Pick<EveryOption, 'output_mode'>, ChosenFields<'account_name' | 'account_number' | 'bank_code' | 'bank_name' | 'chain' | 'created_at' | 'crypto_address' | 'currency' | 'id' | 'label' | 'recipient_type' | 'updated_at'> {}

/** The input of Update Recipient. */
export interface UpdateRecipientInput {
	/** Identifier of the saved recipient. */
	recipient_id: string;
	/** Name to recognise the recipient by. At most 128 characters, such as `Lagos office rent`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	label?: string | null | undefined;
	/** JSON object merged over the fields above, for fields the service accepts beyond them. Such as `{}`. Its name is assumed: The body is not shown; the fields of a saved recipient are sent. */
	body?: Record<string, unknown> | null | undefined;
}

/** The options of Update Recipient. */
export interface UpdateRecipientOptions extends Pick<EveryOption, 'output_mode'>, ChosenFields<'account_name' | 'account_number' | 'bank_code' | 'bank_name' | 'chain' | 'created_at' | 'crypto_address' | 'currency' | 'id' | 'label' | 'recipient_type' | 'updated_at'> {}

/** The input of Delete Recipient. */
export interface DeleteRecipientInput {
	/** Identifier of the saved recipient. */
	recipient_id: string;
}

/** The answer of Delete Recipient. The answer is not shown; where it does not say that it is done, the list decides; the named fields are what is expected. */
export interface DeleteRecipientAnswer extends Pick<Added, 'already_gone'>, Unshown {
	/** True where it is gone. */
	deleted: boolean;
	/** Identifier, as the service gave it. */
	id: string;
}

/** The input of Simulate Fiat Deposit. */
export interface SimulateFiatDepositInput {
	/** Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test. At most 254 characters, such as `trader@sandbox.test`. */
	email: string;
	/** Amount to credit. Decimal text, such as `50000.00`. */
	amount: string;
	/** Currency of the deposit. */
	currency: 'NGN';
}

/** The options of Simulate Fiat Deposit. */
export interface SimulateFiatDepositOptions extends Pick<EveryOption, 'read_back' | 'wait_settled' | 'wait_seconds'> {}

/** The answer of Simulate Fiat Deposit. The answers of the simulation are not shown; the named fields are what is expected. */
export interface SimulateFiatDepositAnswer extends Pick<Added, 'transaction' | 'wait'>, Unshown {}

/** The input of Simulate Crypto Deposit. */
export interface SimulateCryptoDepositInput {
	/** Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test. At most 254 characters, such as `trader@sandbox.test`. */
	email: string;
	/** Blockchain the coins arrive on. At most 64 characters, such as `TRON`. */
	chain: string;
	/** Stablecoin such as USDT or USDC. At most 16 characters, such as `USDT`. */
	asset: string;
	/** Amount to credit. Decimal text, such as `50000.00`. */
	amount: string;
}

/** The options of Simulate Crypto Deposit. */
export interface SimulateCryptoDepositOptions extends Pick<EveryOption, 'read_back' | 'wait_settled' | 'wait_seconds'> {}

/** The answer of Simulate Crypto Deposit. The answers of the simulation are not shown; the named fields are what is expected. */
export interface SimulateCryptoDepositAnswer extends Pick<Added, 'transaction' | 'wait'>, Unshown {}

/** The input of Simulate Fiat Withdrawal. */
export interface SimulateFiatWithdrawalInput {
	/** Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test. At most 254 characters, such as `trader@sandbox.test`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	email?: string | null | undefined;
	/** Amount to withdraw. Decimal text, such as `5000.00`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	amount?: string | null | undefined;
	/** Currency of the withdrawal. Such as `NGN`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	currency?: string | null | undefined;
	/** JSON object merged over the fields above, or sent alone. Such as `{}`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	body?: Record<string, unknown> | null | undefined;
}

/** The options of Simulate Fiat Withdrawal. */
export interface SimulateFiatWithdrawalOptions extends Pick<EveryOption, 'read_back' | 'wait_settled' | 'wait_seconds'> {}

/** The answer of Simulate Fiat Withdrawal. The answers of the simulation are not shown; the named fields are what is expected. */
export interface SimulateFiatWithdrawalAnswer extends Pick<Added, 'transaction' | 'wait'>, Unshown {}

/** The input of Simulate Crypto Withdrawal. */
export interface SimulateCryptoWithdrawalInput {
	/** Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test. At most 254 characters, such as `trader@sandbox.test`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	email?: string | null | undefined;
	/** Blockchain the coins leave on. At most 64 characters, such as `TRON`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	chain?: string | null | undefined;
	/** Stablecoin such as USDT or USDC. At most 16 characters, such as `USDT`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	asset?: string | null | undefined;
	/** Amount to withdraw. Decimal text, such as `5000.00`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	amount?: string | null | undefined;
	/** JSON object merged over the fields above, or sent alone. Such as `{}`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	body?: Record<string, unknown> | null | undefined;
}

/** The options of Simulate Crypto Withdrawal. */
export interface SimulateCryptoWithdrawalOptions extends Pick<EveryOption, 'read_back' | 'wait_settled' | 'wait_seconds'> {}

/** The answer of Simulate Crypto Withdrawal. The answers of the simulation are not shown; the named fields are what is expected. */
export interface SimulateCryptoWithdrawalAnswer extends Pick<Added, 'transaction' | 'wait'>, Unshown {}

/** The input of Simulate KYB Status. */
export interface SimulateKYBStatusInput {
	/** Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test. At most 254 characters, such as `trader@sandbox.test`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	email?: string | null | undefined;
	/** Business verification status to set. Such as `approved`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	status?: string | null | undefined;
	/** JSON object merged over the fields above, or sent alone. Such as `{}`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	body?: Record<string, unknown> | null | undefined;
}

/** The answer of Simulate KYB Status. The answers of the simulation are not shown; the named fields are what is expected. */
export interface SimulateKYBStatusAnswer extends Unshown {}

/** The input of Simulate Product Update. */
export interface SimulateProductUpdateInput {
	/** Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test. At most 254 characters, such as `trader@sandbox.test`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	email?: string | null | undefined;
	/** Title of the notification. Such as `News`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	title?: string | null | undefined;
	/** JSON object merged over the fields above, or sent alone. Such as `{}`. Its name is assumed: The body of this simulation is not shown; the names are those of the simulated deposits. */
	body?: Record<string, unknown> | null | undefined;
}

/** The answer of Simulate Product Update. The answers of the simulation are not shown; the named fields are what is expected. */
export interface SimulateProductUpdateAnswer extends Unshown {}

/** The input of Stream Status. It takes none. */
export type StreamStatusInput = Record<string, never>;

/** The answer of Stream Status. */
export interface StreamStatusAnswer {
	/** Whether a stream of the account runs in this process. */
	running: boolean;
	/** The same in words. */
	text: string;
	/** When it was so. ISO 8601 in UTC. */
	at: string;
	/** Sums over all topics. */
	totals: {
		/** How many connections there are. */
		connections: number;
		/** How many topics there are. */
		topics: number;
		/** How many listen. */
		subscribers: number;
		/** Messages that came. */
		received: number;
		/** Events that were delivered, by how they came. */
		delivered: {
			/** As they happened. */
			live: number;
			/** Sent again by the stream. */
			replayed: number;
			/** Read from the lists. */
			reconciled: number;
		};
		/** Events that wait for who listens. */
		waiting: number;
		/** Events that a filter left out. */
		filtered: number;
		/** Events that came again and were dropped. */
		duplicates: number;
		/** How often events may be missing. */
		gaps: number;
		/** Reads of all topics that wait for others of the account. */
		reads_waiting: number;
		/** How many orders have fills that do not add up. */
		incomplete_fills: number;
		/** How many order writes have an outcome that is not known yet. */
		open_intents: number;
	};
	/** The connections of the stream in this process. */
	connections: ({
		/** `private` where it is opened with the key, `public` otherwise. */
		access: string;
		/** How it does. */
		state: string;
		/** Since when it is so. ISO 8601 in UTC. */
		since: string;
		/** How often opening it was tried in a row. */
		attempts: number;
		/** How many topics it carries. */
		topics: number;
		/** What went wrong last; null without an error. */
		last_error: string | null;
		/** When that was; null without an error. ISO 8601 in UTC. */
		last_error_at: string | null;
	})[];
	/** The topics of the stream in this process. */
	topics: ({
		/** Name of the topic. */
		topic: string;
		/** How the topic does. */
		state: string;
		/** How many listen. */
		subscribers: number;
		/** Epoch of the stream; a new one begins where the numbers of messages begin again. */
		epoch: string | null;
		/** Number of the latest message; null before the first. */
		seq: number | null;
		/** When the latest message came; null before the first. ISO 8601 in UTC. */
		last_message_at: string | null;
		/** How far the latest message lagged, in milliseconds; null before the first. */
		lag_ms: number | null;
		/** Messages that came. */
		received: number;
		/** Events that were delivered, by how they came. */
		delivered: {
			/** As they happened. */
			live: number;
			/** Sent again by the stream. */
			replayed: number;
			/** Read from the lists. */
			reconciled: number;
		};
		/** Events that wait for who listens. */
		waiting: number;
		/** Events that a filter left out. */
		filtered: number;
		/** Events that came again and were dropped. */
		duplicates: number;
		/** How often events may be missing. */
		gaps: number;
		/** How the reads of its list went. */
		readings: {
			/** How many succeeded. */
			done: number;
			/** How many were refused. */
			refused: number;
			/** How many failed. */
			failed: number;
			/** When the last one ended; null before the first. ISO 8601 in UTC. */
			last_at: string | null;
			/** When the next one is due; null without one. ISO 8601 in UTC. */
			next_at: string | null;
			/** Place of the next read in the queue, from one; null if none waits. */
			place: number | null;
		};
		/** What went wrong last; null without an error. */
		last_error: string | null;
		/** When that was; null without an error. ISO 8601 in UTC. */
		last_error_at: string | null;
	})[];
	/** Orders whose fills do not add up to what was filled. */
	incomplete_fills: {
		/** Identifier of the order. */
		order_id: string;
		/** What the order says was filled. Decimal text. */
		expected: string;
		/** What its fills add up to. Decimal text. */
		counted: string;
		/** Since when it is so. ISO 8601 in UTC. */
		since: string;
		/** Whether it was reported. */
		told: boolean;
	}[];
	/** Order writes whose outcome is not known yet. */
	open_intents: {
		/** The idempotency key that was sent, yours or the derived one. */
		idempotency_key: string;
		/** How far the write is. */
		state: string;
	}[];
}

/** The input of Get Sandbox. It takes none. */
export type GetSandboxInput = Record<string, never>;

/** The options of Get Sandbox. */
export interface GetSandboxOptions extends Pick<EveryOption, 'output_mode'>, ChosenFields<'accounts' | 'clock' | 'clock_advance' | 'epoch' | 'faults' | 'markets' | 'now' | 'production' | 'requests' | 'running_scenarios' | 'settings'> {}

/** The answer of Get Sandbox. */
export interface GetSandboxAnswer {
	/** Whether it plays production, where simulations are refused. */
	production: boolean;
	/** What time it is in the sandbox. ISO 8601 in UTC. */
	now: string;
	/** What time it is in the sandbox, or how its clock runs. */
	clock: string;
	/** How the clock moves by itself; null where it stands until it is moved. */
	clock_advance: unknown;
	/** Epoch of the stream; a new one begins where the numbers of messages begin again. */
	epoch: string;
	/** The settings of the sandbox. */
	settings: unknown;
	/** The test accounts of the sandbox. */
	accounts: unknown[];
	/** The markets of the sandbox. */
	markets: unknown[];
	/** The faults that are armed. */
	faults: unknown;
	/** The scenarios under way. */
	running_scenarios: unknown[];
	/** Requests received so far. */
	requests: number;
}

/** The input of Reset Sandbox. It takes none. */
export type ResetSandboxInput = Record<string, never>;

/** The answer of Reset Sandbox. */
export interface ResetSandboxAnswer {
	/** True where it was done. */
	done: boolean;
}

/** The input of Arm Fault. */
export interface ArmFaultInput {
	/** What goes wrong. Such as `commit-then-drop`. */
	kind: 'refuse' | 'delay' | 'drop-before-commit' | 'commit-then-drop' | 'hang' | 'commit-then-hang' | 'commit-then-delay' | 'truncate' | 'html-502' | 'commit-then-502' | 'server-error' | 'unauthorized' | 'forbidden' | 'conflict' | 'too-many-requests' | 'drop-stream' | 'silence-stream' | 'refuse-stream' | 'refuse-resume' | 'new-epoch' | 'duplicate-event' | 'reorder-events' | 'skip-event';
	/** Operation whose requests go wrong; any when empty. At most 64 characters, such as `order.create`. */
	operation?: string | null | undefined;
	/** Topic whose events go wrong. At most 128 characters, such as `user.fills`. */
	topic?: string | null | undefined;
	/** How often it goes wrong; once when empty. At least 1, such as `1`. */
	times?: number | null | undefined;
	/** How many requests or events go well before the first goes wrong. At least 0, such as `0`. */
	after?: number | null | undefined;
	/** How long a delay lasts; 1000 when empty. At least 0, such as `5000`. */
	delayMs?: number | null | undefined;
	/** How many seconds the answer asks to wait (its header Retry-After). At most 64 characters, such as `2`. */
	retryAfter?: string | null | undefined;
}

/** The answer of Arm Fault. */
export interface ArmFaultAnswer {
	/** Identifier, as the service gave it. */
	id: number;
	/** What goes wrong. */
	kind: Known<'refuse' | 'delay' | 'drop-before-commit' | 'commit-then-drop' | 'hang' | 'commit-then-hang' | 'commit-then-delay' | 'truncate' | 'html-502' | 'commit-then-502' | 'server-error' | 'unauthorized' | 'forbidden' | 'conflict' | 'too-many-requests' | 'drop-stream' | 'silence-stream' | 'refuse-stream' | 'refuse-resume' | 'new-epoch' | 'duplicate-event' | 'reorder-events' | 'skip-event'>;
	/** How often it goes wrong. */
	times: number;
	/** How many requests or events go well before the first goes wrong. */
	after: number;
	/** How often it has gone wrong so far. */
	fired: number;
}

/** The input of Clear Faults. It takes none. */
export type ClearFaultsInput = Record<string, never>;

/** The answer of Clear Faults. */
export interface ClearFaultsAnswer {
	/** True where it was done. */
	done: boolean;
}

/** The input of Move Clock. */
export interface MoveClockInput {
	/** How far the clock moves; 3600000 is an hour. At least 0, such as `60000`. */
	advance_ms: number;
}

/** The answer of Move Clock. */
export interface MoveClockAnswer {
	/** What time it is in the sandbox. ISO 8601 in UTC. */
	now: string;
	/** How the clock moves by itself; null where it stands until it is moved. */
	clock_advance: unknown;
}

/** The input of Run Scenario. */
export interface RunScenarioInput {
	/** Which scenario to run. Such as `partial-fill-then-cancel`. */
	name: 'partial-fill-then-cancel' | 'rejected-order' | 'slow-settlement' | 'failed-deposit' | 'credit-overdue' | 'quiet-market' | 'flash-move';
	/** Account the scenario runs for; the trader when empty. At most 254 characters, such as `trader@sandbox.test`. */
	email?: string | null | undefined;
}

/** The answer of Run Scenario. */
export interface RunScenarioAnswer {
	/** Name of the scenario. */
	scenario: string;
}

/** What a client offers under `order`. Each throws what {@link Client.call} says. */
export interface OrderMethods {
	/**
	 * Place an order; matching happens afterwards, and the answer says how far it got.
	 * @throws `outcome_unknown` where it may have been done; `rejected`, `unfilled` or `time_limit` as its options ask; `conflict`.
	 */
	create(input: CreateOrderInput, context?: CallContext<CreateOrderOptions>): Promise<CreateOrderAnswer>;
	/** Read the current status, fills and price of one order. The fields of an order read alone are taken to be those of the order list. */
	get(input: GetOrderInput, context?: CallContext<GetOrderOptions>): Promise<Order>;
	/** List the orders of the account, filtered by status or pair. Await it for one page as the service answers it, or iterate it for every item. */
	list(input?: GetManyOrdersInput, context?: CallContext<GetManyOrdersOptions>): List<Order, { orders: Order[]; count?: number }>;
	/**
	 * Ask the service to cancel what is still open of an order.
	 * @throws `outcome_unknown` where it may have been done; `rejected`, `unfilled` or `time_limit` as its options ask; `conflict`.
	 */
	cancel(input: CancelOrderInput, context?: CallContext<CancelOrderOptions>): Promise<CancelOrderAnswer>;
	/**
	 * Replace an open order with one of another quantity or price.
	 * @throws `outcome_unknown` where it may have been done; `rejected`, `unfilled` or `time_limit` as its options ask; `conflict`.
	 */
	replace(input: ReplaceOrderInput, context?: CallContext<ReplaceOrderOptions>): Promise<ReplaceOrderAnswer>;
	/** Find out whether an order with a client order ID exists, without placing anything: accepted, not_found, or unknown while a request may still arrive. */
	resolve(input: ResolveOrderInput, context?: CallContext<ResolveOrderOptions>): Promise<ResolveOrderAnswer>;
	/** Compute from the order book what an order would trade, at which prices, and what the market would refuse; fees are left out. */
	estimate(input: EstimateOrderInput, context?: CallContext<EstimateOrderOptions>): Promise<EstimateOrderAnswer>;
	/** Cancel all open orders, or those of a pair or side, and say of each how it ended and what is still open. */
	cancelAll(input?: CancelOpenOrdersInput, context?: CallContext<CancelOpenOrdersOptions>): Promise<CancelOpenOrdersAnswer>;
}

/** What a client offers under `fill`. Each throws what {@link Client.call} says. */
export interface FillMethods {
	/** List the fills of the account. A fill is an execution linked to an order of the account; its fields are not shown. Await it for one page as the service answers it, or iterate it for every item. */
	list(input?: GetManyFillsInput, context?: CallContext<GetManyFillsOptions>): List<Fill, { fills: Fill[]; count?: number }>;
	/** Add up the fills of some days: count, quantity, total, average price and fees, exact, in groups if you like. */
	summary(input: SummarizeFillsInput, context?: CallContext<Record<string, never>>): Promise<SummarizeFillsAnswer>;
}

/** What a client offers under `market`. Each throws what {@link Client.call} says. */
export interface MarketMethods {
	/** List the pairs with their order types, precision, sizes and trading status. A market carries pair, order types, precision, minimum and maximum sizes and status; its fields are not shown. Await it for one page as the service answers it, or iterate it for every item. */
	list(input?: GetManyMarketsInput, context?: CallContext<GetManyMarketsOptions>): List<Market, { markets: Market[]; count?: number }>;
	/** Read best bid, best ask and the figures of the last 24 hours. A ticker carries best bid, best ask and 24-hour statistics; its fields are not shown. */
	ticker(input: GetTickerInput, context?: CallContext<Record<string, never>>): Promise<Ticker>;
	/** Read the open bids and asks. */
	orderBook(input: GetOrderBookInput, context?: CallContext<Record<string, never>>): Promise<OrderBook>;
	/** Read the depth of one side of the book. One-side depth; its fields are not shown. */
	depth(input: GetDepthInput, context?: CallContext<Record<string, never>>): Promise<Depth>;
	/** List open, high, low, close and volume of each interval. Await it for one page as the service answers it, or iterate it for every item. */
	candles(input: GetCandlesInput, context?: CallContext<Record<string, never>>): List<Candle, { candles: Candle[]; count?: number }>;
	/** List the public trades of a pair. Await it for one page as the service answers it, or iterate it for every item. */
	trades(input: GetTradesInput, context?: CallContext<Record<string, never>>): List<Trade, { trades: Trade[]; count?: number }>;
}

/** What a client offers under `wallet`. Each throws what {@link Client.call} says. */
export interface WalletMethods {
	/** Read available, locked and total funds of each currency, and the credit line. */
	balances(input?: GetBalancesInput, context?: CallContext<GetBalancesOptions>): Promise<BalanceOverview>;
	/** List the wallet currencies and what each may be used for. Await it for one page as the service answers it, or iterate it for every item. */
	currencies(input?: GetCurrenciesInput, context?: CallContext<GetCurrenciesOptions>): List<Currency, { currencies: Currency[]; count?: number }>;
	/** List the blockchains that stablecoins can be sent on. The fields of a chain are not shown. Await it for one page as the service answers it, or iterate it for every item. */
	chains(input?: GetChainsInput, context?: CallContext<Record<string, never>>): List<Chain, { chains: Chain[]; count?: number }>;
	/** List the supported banks with their codes. A bank carries a code; its other fields are not shown. Await it for one page as the service answers it, or iterate it for every item. */
	banks(input?: GetBanksInput, context?: CallContext<Record<string, never>>): List<Bank, { banks: Bank[]; count?: number }>;
	/** Read the bank account that incoming deposits go to. The account carries a name, a bank name and a number; its fields are not shown. */
	depositAccount(input?: GetDepositAccountInput, context?: CallContext<Record<string, never>>): Promise<DepositAccount>;
	/** Look up the holder of a bank account, which creates nothing; an answer that names no holder is an error. The confirmation is not shown. */
	verifyAccount(input: VerifyAccountInput, context?: CallContext<VerifyAccountOptions>): Promise<AccountHolder>;
}

/** What a client offers under `transaction`. Each throws what {@link Client.call} says. */
export interface TransactionMethods {
	/** List deposits, withdrawals and other movements of the wallet. Fields beyond id, rail, currency, settlement_rail and status are not shown. Await it for one page as the service answers it, or iterate it for every item. */
	list(input?: GetManyTransactionsInput, context?: CallContext<GetManyTransactionsOptions>): List<Transaction, { transactions: Transaction[]; count?: number }>;
	/** Read one transaction by its public identifier. Fields beyond id, rail, currency, settlement_rail and status are not shown. */
	get(input: GetTransactionInput, context?: CallContext<GetTransactionOptions>): Promise<GetTransactionAnswer>;
}

/** What a client offers under `recipient`. Each throws what {@link Client.call} says. */
export interface RecipientMethods {
	/** Save a bank account or address in the address book; moves no money. */
	create(input: CreateRecipientInput, context?: CallContext<CreateRecipientOptions>): Promise<Recipient>;
	/** List the saved recipients. Await it for one page as the service answers it, or iterate it for every item. */
	list(input?: GetManyRecipientsInput, context?: CallContext<GetManyRecipientsOptions>): List<Recipient, Recipient[]>;
	/** Change the label or other editable fields of a saved recipient. */
	update(input: UpdateRecipientInput, context?: CallContext<UpdateRecipientOptions>): Promise<Recipient>;
	/** Remove a saved recipient; one that is already gone counts as removed. The answer is not shown; where it does not say that it is done, the list decides. */
	delete(input: DeleteRecipientInput, context?: CallContext<Record<string, never>>): Promise<DeleteRecipientAnswer>;
}

/** What a client offers under `simulation`. Each throws what {@link Client.call} says. */
export interface SimulationMethods {
	/**
	 * Credit test NGN to a test account. The answers of the simulation are not shown.
	 * @throws `outcome_unknown` where the reply was lost.
	 */
	fiatDeposit(input: SimulateFiatDepositInput, context?: CallContext<SimulateFiatDepositOptions>): Promise<SimulateFiatDepositAnswer>;
	/**
	 * Credit a test stablecoin to the USD wallet of a test account. The answers of the simulation are not shown.
	 * @throws `outcome_unknown` where the reply was lost.
	 */
	cryptoDeposit(input: SimulateCryptoDepositInput, context?: CallContext<SimulateCryptoDepositOptions>): Promise<SimulateCryptoDepositAnswer>;
	/**
	 * Create a test bank withdrawal. The answers of the simulation are not shown.
	 * @throws `outcome_unknown` where the reply was lost.
	 */
	fiatWithdrawal(input?: SimulateFiatWithdrawalInput, context?: CallContext<SimulateFiatWithdrawalOptions>): Promise<SimulateFiatWithdrawalAnswer>;
	/**
	 * Create a test stablecoin withdrawal. The answers of the simulation are not shown.
	 * @throws `outcome_unknown` where the reply was lost.
	 */
	cryptoWithdrawal(input?: SimulateCryptoWithdrawalInput, context?: CallContext<SimulateCryptoWithdrawalOptions>): Promise<SimulateCryptoWithdrawalAnswer>;
	/**
	 * Set the business verification status of a test user. The answers of the simulation are not shown.
	 * @throws `outcome_unknown` where the reply was lost.
	 */
	kybStatus(input?: SimulateKYBStatusInput, context?: CallContext<Record<string, never>>): Promise<SimulateKYBStatusAnswer>;
	/**
	 * Insert a test notification. The answers of the simulation are not shown.
	 * @throws `outcome_unknown` where the reply was lost.
	 */
	productUpdate(input?: SimulateProductUpdateInput, context?: CallContext<Record<string, never>>): Promise<SimulateProductUpdateAnswer>;
}

/** What a client offers under `stream`. Each throws what {@link Client.call} says. */
export interface StreamMethods {
	/** Show connections, topics, delays, gaps and open order writes of the account as this process sees them; nothing is sent. */
	status(input?: StreamStatusInput, context?: CallContext<Record<string, never>>): Promise<StreamStatusAnswer>;
}

/** What a client offers under `sandbox`. Each throws what {@link Client.call} says. */
export interface SandboxMethods {
	/** Read what the sandbox holds: clock, settings, accounts, armed faults and running scenarios. */
	get(input?: GetSandboxInput, context?: CallContext<GetSandboxOptions>): Promise<GetSandboxAnswer>;
	/** Replace the exchange with a new one that has IDs of its own. */
	reset(input?: ResetSandboxInput, context?: CallContext<Record<string, never>>): Promise<ResetSandboxAnswer>;
	/** Let something go wrong on purpose. */
	armFault(input: ArmFaultInput, context?: CallContext<Record<string, never>>): Promise<ArmFaultAnswer>;
	/** Disarm every fault. */
	clearFaults(input?: ClearFaultsInput, context?: CallContext<Record<string, never>>): Promise<ClearFaultsAnswer>;
	/** Let time pass in a sandbox that was started with a virtual clock. */
	moveClock(input: MoveClockInput, context?: CallContext<Record<string, never>>): Promise<MoveClockAnswer>;
	/** Start a scripted sequence of events. */
	runScenario(input: RunScenarioInput, context?: CallContext<Record<string, never>>): Promise<RunScenarioAnswer>;
}

/** The methods of a client, by resource: `client.order.create({...})`. */
export interface Methods {
	/** Operations of order, such as `client.order.create`. */
	order: OrderMethods;
	/** Operations of fill, such as `client.fill.list`. */
	fill: FillMethods;
	/** Operations of market, such as `client.market.list`. */
	market: MarketMethods;
	/** Operations of wallet, such as `client.wallet.balances`. */
	wallet: WalletMethods;
	/** Operations of transaction, such as `client.transaction.list`. */
	transaction: TransactionMethods;
	/** Operations of recipient, such as `client.recipient.create`. */
	recipient: RecipientMethods;
	/** Operations of simulation, such as `client.simulation.fiatDeposit`. */
	simulation: SimulationMethods;
	/** Operations of stream, such as `client.stream.status`. */
	stream: StreamMethods;
	/** Operations of sandbox, such as `client.sandbox.get`. */
	sandbox: SandboxMethods;
}
