/** An order, its fills and trades, in exact integer units of the market. */

export type Side = 'buy' | 'sell';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
export type OrderStatus = 'pending' | 'accepted' | 'partially_filled' | 'filled' | 'cancelled' | 'rejected';

export interface Order {
	id: string;
	/** Serial number within the exchange, by which lists are sorted. */
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
	/** Sum of price times quantity over all fills, before rounding. */
	exactValue: bigint;
	/** Funds still locked for the order, in the currency it pays with. */
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
