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
export function refusalsOf(terms: OrderTerms, rules: MarketRules, label: string): ExchangeError[] {
	const refusals: ExchangeError[] = [];
	const refuse = refusal(terms, label, refusals);
	checkTrading(terms, rules, refuse);
	checkAmount(
		'quantity',
		'Quantity',
		terms.quantity,
		{ step: rules.quantityStep, min: rules.minQuantity, max: rules.maxQuantity },
		refuse,
	);
	if (terms.price !== undefined) {
		checkAmount(
			'price',
			'Price',
			terms.price,
			{ step: rules.priceStep, min: rules.minPrice, max: rules.maxPrice },
			refuse,
		);
		checkNotional(terms.quantity, terms.price, rules, refuse);
	}
	return refusals;
}

type Refuse = (field: string, rule: string, what: string, advice: string, details?: Record<string, string>) => void;

const refusal =
	(terms: OrderTerms, label: string, refusals: ExchangeError[]): Refuse =>
	(field, rule, what, advice, details = {}) => {
		const error = new ExchangeError('invalid_input', {
			operation: label,
			field,
			what,
			advice: `${advice}; nothing was sent`,
			details: { rule, pair_id: terms.pair_id, ...details },
		});
		refusals.push(error);
	};

function checkTrading(terms: OrderTerms, rules: MarketRules, refuse: Refuse): void {
	if (rules.trading?.open === false) {
		refuse(
			'pair_id',
			'trading_status',
			`${terms.pair_id} is not open for trading (${rules.trading.status})`,
			'Try again when the market is open',
		);
	}
	checkWord('order_type', 'Order Type', terms.order_type, rules.orderTypes, refuse);
	checkWord('time_in_force', 'Time in Force', terms.time_in_force, rules.timesInForce, refuse);
}

function checkWord(
	field: string,
	label: string,
	word: string | undefined,
	accepted: readonly string[] | undefined,
	refuse: Refuse,
): void {
	if (word === undefined || accepted === undefined || accepted.includes(word)) return;
	const offered = accepted.map(plainTerm);
	// A market may list its values in a vocabulary of its own, so a value is refused only by a list of known words.
	if (offered.includes(plainTerm(word)) || !offered.every((offer) => knownWords.has(offer))) return;
	refuse(field, field, `${label} ${word} is not accepted by this market`, `It accepts ${accepted.join(', ')}`);
}

/** `POST-ONLY` and `limit_order` equal `POST_ONLY` and `limit`. */
const plainTerm = (word: string): string => plainWord(word).replace(/order$/, '');

const knownWords: ReadonlySet<string> = new Set([...orderTypes, ...timesInForce].map(plainTerm));

interface Bounds {
	step?: string;
	min?: string;
	max?: string;
}

function checkAmount(field: string, label: string, value: string, { step, min, max }: Bounds, refuse: Refuse): void {
	if (min !== undefined && compare(value, min) < 0) {
		return refuse(
			field,
			`min_${field}`,
			`${label} ${value} is below the minimum of the market`,
			`The smallest valid value is ${min}`,
			{ min },
		);
	}
	if (max !== undefined && compare(value, max) > 0) {
		return refuse(
			field,
			`max_${field}`,
			`${label} ${value} is above the maximum of the market`,
			`The largest valid value is ${max}`,
			{ max },
		);
	}
	if (step === undefined) return;
	if (isMultiple(value, step)) {
		if (!readsAsThousands(value, step)) return;
		const advice = `Enter ${value.slice(0, -1)} or ${value.replace('.', '')}`;
		return refuse(field, `${field}_step`, `${label} ${value} may mean thousands, with a point between them`, advice, {
			step,
		});
	}
	const { below, above } = neighbours(value, step);
	const valid = [below, above].filter(
		(near) => compare(near, min ?? step) >= 0 && (max === undefined || compare(near, max) <= 0),
	);
	const nearest =
		valid.length > 1
			? `The nearest valid values are ${valid.join(' and ')}`
			: `The nearest valid value is ${valid[0] ?? step}`;
	refuse(field, `${field}_step`, `${label} ${value} is not a multiple of ${step}, the step of the market`, nearest, {
		step,
		below,
		above,
	});
}

/** Much of Europe writes a thousand as 1.000, and no market of two decimals writes a one so. */
const readsAsThousands = (value: string, step: string): boolean =>
	/^[1-9]\d{0,2}\.\d{3}$/.test(value) && isMultiple(step, '0.01');

function checkNotional(
	quantity: string,
	price: string,
	{ minNotional, maxNotional }: MarketRules,
	refuse: Refuse,
): void {
	if (minNotional === undefined && maxNotional === undefined) return;
	const value = multiply(quantity, price);
	if (minNotional !== undefined && compare(value, minNotional) < 0) {
		refuse(
			'quantity',
			'min_notional',
			`Quantity times price is ${value}, below the minimum value of the market`,
			`It must be at least ${minNotional}`,
		);
	}
	if (maxNotional !== undefined && compare(value, maxNotional) > 0) {
		refuse(
			'quantity',
			'max_notional',
			`Quantity times price is ${value}, above the maximum value of the market`,
			`It must be at most ${maxNotional}`,
		);
	}
}

function notShown(terms: OrderTerms, rules: MarketRules): string[] {
	const wanted: Record<string, unknown> = {
		'quantity step': rules.quantityStep,
		'minimum quantity': rules.minQuantity,
		'maximum quantity': rules.maxQuantity,
		'trading status': rules.trading?.open,
		...(terms.order_type === undefined ? {} : { 'order types': rules.orderTypes }),
		...(terms.price === undefined ? {} : { 'price step': rules.priceStep }),
	};
	return Object.keys(wanted).filter((name) => wanted[name] === undefined);
}
