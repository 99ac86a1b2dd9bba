import { orderTypes, timesInForce } from '../catalogue';
import { compare, isMultiple, multiply, neighbours } from '../decimal';
import { ExchangeError } from '../errors';
import { plainWord } from '../wire/payload';
import type { MarketRules } from './market-rules';

/** The terms of an order that market rules apply to. A missing term is not checked. */
export interface OrderTerms {
	pair_id: string;
	order_type?: string;
	time_in_force?: string;
	quantity: string;
	price?: string;
}

/**
 * Checks an order against the rules of its market. Throws at the first broken rule, with the nearest valid values;
 * returns the rules that could not be checked because the market does not show them.
 */
export function checkRules(terms: OrderTerms, rules: MarketRules, label: string): string[] {
	const [first] = refusalsOf(terms, rules, label);
	if (first) throw first;
	return notShown(terms, rules);
}

/** Everything that the rules of its market refuse of an order. */
export const refusalsOf = (terms: OrderTerms, rules: MarketRules, label: string): ExchangeError[] =>
	brokenIn(terms, rules).map(
		({ field, rule, what, advice, details }) =>
			new ExchangeError('invalid_input', {
				operation: label,
				field,
				what,
				advice: `${advice}; nothing was sent`,
				details: { rule, pair_id: terms.pair_id, ...details },
			}),
	);

/** A rule that an order breaks, and what would be valid. */
interface Broken {
	field: string;
	rule: string;
	what: string;
	advice: string;
	details?: Record<string, string>;
}

function brokenIn(terms: OrderTerms, rules: MarketRules): Broken[] {
	const { quantity, price } = terms;
	const quantityBounds = { step: rules.quantityStep, min: rules.minQuantity, max: rules.maxQuantity };
	const priceBounds = { step: rules.priceStep, min: rules.minPrice, max: rules.maxPrice };
	return [
		rules.trading?.open === false ? notOpen(terms.pair_id, rules.trading.status) : undefined,
		wordBroken(term('order_type', 'Order Type', terms.order_type), rules.orderTypes),
		wordBroken(term('time_in_force', 'Time in Force', terms.time_in_force), rules.timesInForce),
		amountBroken(term('quantity', 'Quantity', quantity), quantityBounds),
		amountBroken(term('price', 'Price', price), priceBounds),
		price === undefined ? undefined : notionalBroken(multiply(quantity, price), rules),
	].filter((broken) => broken !== undefined);
}

/** One term of an order, and what a form calls it. */
interface Term {
	field: string;
	label: string;
	value: string | undefined;
}

const term = (field: string, label: string, value: string | undefined): Term => ({ field, label, value });

const notOpen = (pair: string, status: string): Broken => ({
	field: 'pair_id',
	rule: 'trading_status',
	what: `${pair} is not open for trading (${status})`,
	advice: 'Try again when the market is open',
});

function wordBroken({ field, label, value }: Term, accepted: readonly string[] | undefined): Broken | undefined {
	if (value === undefined || accepted === undefined || accepted.includes(value)) return undefined;
	const offered = accepted.map(plainTerm);
	// A market may list its values in a vocabulary of its own, so a value is refused only by a list of known words.
	if (offered.includes(plainTerm(value)) || !offered.every((offer) => knownWords.has(offer))) return undefined;
	const what = `${label} ${value} is not accepted by this market`;
	return { field, rule: field, what, advice: `It accepts ${accepted.join(', ')}` };
}

/** `POST-ONLY` and `limit_order` equal `POST_ONLY` and `limit`. */
const plainTerm = (word: string): string => plainWord(word).replace(/order$/, '');

const knownWords: ReadonlySet<string> = new Set([...orderTypes, ...timesInForce].map(plainTerm));

interface Bounds {
	step?: string;
	min?: string;
	max?: string;
}

function amountBroken({ field, label, value }: Term, bounds: Bounds): Broken | undefined {
	if (value === undefined) return undefined;
	const { step, min, max } = bounds;
	const broken = (rule: string, what: string, advice: string, details: Record<string, string>): Broken => ({
		field,
		rule,
		what: `${label} ${value} ${what}`,
		advice,
		details,
	});
	if (min !== undefined && compare(value, min) < 0)
		return broken(`min_${field}`, 'is below the minimum of the market', `The smallest valid value is ${min}`, { min });
	if (max !== undefined && compare(value, max) > 0)
		return broken(`max_${field}`, 'is above the maximum of the market', `The largest valid value is ${max}`, { max });
	if (step === undefined) return undefined;
	if (isMultiple(value, step)) {
		if (!readsAsThousands(value, step)) return undefined;
		const advice = `Enter ${value.slice(0, -1)} or ${value.replace('.', '')}`;
		return broken(`${field}_step`, 'may mean thousands, with a point between them', advice, { step });
	}
	const { below, above } = neighbours(value, step);
	const valid = [below, above].filter(
		(near) => compare(near, min ?? step) >= 0 && (max === undefined || compare(near, max) <= 0),
	);
	const nearest =
		valid.length > 1
			? `The nearest valid values are ${valid.join(' and ')}`
			: `The nearest valid value is ${valid[0] ?? step}`;
	const what = `is not a multiple of ${step}, the step of the market`;
	return broken(`${field}_step`, what, nearest, { step, below, above });
}

/** Much of Europe writes a thousand as 1.000, and no market of two decimals writes a one so. */
const readsAsThousands = (value: string, step: string): boolean =>
	/^[1-9]\d{0,2}\.\d{3}$/.test(value) && isMultiple(step, '0.01');

function notionalBroken(value: string, { minNotional: min, maxNotional: max }: MarketRules): Broken | undefined {
	const broken = (rule: string, side: string, advice: string): Broken => ({
		field: 'quantity',
		rule,
		what: `Quantity times price is ${value}, ${side} value of the market`,
		advice,
	});
	if (min !== undefined && compare(value, min) < 0)
		return broken('min_notional', 'below the minimum', `It must be at least ${min}`);
	if (max !== undefined && compare(value, max) > 0)
		return broken('max_notional', 'above the maximum', `It must be at most ${max}`);
	return undefined;
}

/** What a market should show of each term. */
const expected: readonly (readonly [term: keyof OrderTerms, name: string, rule: (rules: MarketRules) => unknown])[] = [
	['quantity', 'quantity step', (rules) => rules.quantityStep],
	['quantity', 'minimum quantity', (rules) => rules.minQuantity],
	['quantity', 'maximum quantity', (rules) => rules.maxQuantity],
	['pair_id', 'trading status', (rules) => rules.trading?.open],
	['order_type', 'order types', (rules) => rules.orderTypes],
	['price', 'price step', (rules) => rules.priceStep],
];

const notShown = (terms: OrderTerms, rules: MarketRules): string[] =>
	expected.filter(([term, , rule]) => terms[term] !== undefined && rule(rules) === undefined).map(([, name]) => name);
