import { ceilDivide, powerOfTen } from './amounts';

/** The rules of one pair, in integer units. */
export interface Market {
	pairId: string;
	base: string;
	quote: string;
	baseDecimals: number;
	quoteDecimals: number;
	priceDecimals: number;
	quantityDecimals: number;
	quantityMin: bigint;
	quantityMax: bigint;
	priceMax: bigint;
	/** Minimum value of a limit order, in quote units. */
	notionalMin: bigint;
	/** The first mid price of the seeded market. */
	openingPrice: bigint;
	trading: boolean;
}

/** How many exact units (price times quantity) equal one unit of the quote currency. */
const exactPerQuote = (market: Market): bigint =>
	powerOfTen(market.priceDecimals + market.quantityDecimals - market.quoteDecimals);

/**
 * What a buyer pays for an exact value, rounded up. Sellers receive it rounded down; the house account keeps the
 * difference.
 */
export const payable = (market: Market, exact: bigint): bigint => ceilDivide(exact, exactPerQuote(market));
export const receivable = (market: Market, exact: bigint): bigint => exact / exactPerQuote(market);

/** The exchange starts with the one pair of the interface. */
export const seedMarkets = (): Market[] => [
	{
		pairId: 'USD/NGN',
		base: 'USD',
		quote: 'NGN',
		baseDecimals: 2,
		quoteDecimals: 2,
		priceDecimals: 2,
		quantityDecimals: 2,
		quantityMin: 1n,
		quantityMax: 100_000_000n,
		priceMax: 1_000_000_00n,
		notionalMin: 10_00n,
		openingPrice: 1_500_00n,
		trading: true,
	},
];
