/** An order, its fills and their trades, as the exchange keeps them: exact integers in units of the market. */

export type Side = 'buy' | 'sell';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
export type OrderStatus = 'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected';

export interface Order {
	id: string;
	/** Counts the orders of the exchange, so that lists have an order. */
	number: number;
	accountId: string;
	clientOrderId: string | null;
	pairId: string;
	type: 'limit' | 'market';
	side: Side;
	quantity: bigint;
	price: bigint | null;
	timeInForce: TimeInForce;
	filled: bigint;
	/** Sum of price times quantity over the fills, before any rounding. */
	exactValue: bigint;
	/** Funds still locked for it, in the currency it pays with. */
	reserved: bigint;
	status: OrderStatus;
	/** Queue position within a price level; lower is earlier. */
	place: number;
	/** A cancel or replacement is pending. */
	closing: 'cancelling' | 'replacing' | null;
	reason: string | null;
	replacedBy: string | null;
	replaces: string | null;
	createdAt: number;
	updatedAt: number;
}

export interface Fill {
	id: string;
	orderId: string;
	clientOrderId: string | null;
	tradeId: string;
	pairId: string;
	side: Side;
	price: bigint;
	quantity: bigint;
	/** Amount paid or received, after rounding. */
	value: bigint;
	liquidity: 'maker' | 'taker';
	at: number;
}

export interface Trade {
	id: string;
	price: bigint;
	quantity: bigint;
	/** The taker's side. */
	side: Side;
	sequence: number;
	at: number;
}
