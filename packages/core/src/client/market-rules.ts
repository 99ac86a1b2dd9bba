import Big from 'big.js';
import { pickers, type Operation } from '../catalogue';
import { positiveDecimal } from '../decimal';
import { firstOf, isItem, itemsIn, plainWord, shortText, type Item } from '../wire/payload';
import { notListed } from './listed';

/** The rules of a market for an order, as far as its record shows them. Amounts are decimal text. */
export interface MarketRules {
	quantityStep?: string;
	priceStep?: string;
	minQuantity?: string;
	maxQuantity?: string;
	minPrice?: string;
	maxPrice?: string;
	minNotional?: string;
	maxNotional?: string;
	orderTypes?: readonly string[];
	timesInForce?: readonly string[];
	trading?: { status: string; open: boolean | undefined };
}

/** A larger number is not taken for a number of decimals. */
const DECIMALS_MAX = 18;

/**
 * The interface does not show the market record, so each rule is searched under names exchanges commonly use. Names are
 * compared without case and underscores, and groups such as `limits.quantity.min` are read as `limitsquantitymin`.
 */
const ruleName = (...forms: string[]): RegExp =>
	new RegExp(`^(?:rules|tradingrules|limits|orderlimits|orderrules|constraints)?(?:${forms.join('|')})$`);
const bound = (side: 'min' | 'max', subjects: string): RegExp =>
	ruleName(`${side}(?:imum)?(?:${subjects})`, `(?:${subjects})${side}(?:imum)?`);
const step = (subjects: string): string => `(?:${subjects})(?:step|stepsize|increment|tick|ticksize|lotsize|multiple)`;
const precision = (subjects: string): RegExp => {
	const words = 'precision|decimals|scale|decimalplaces';
	return ruleName(`(?:${subjects})(?:${words})`, `(?:${words})(?:${subjects})`);
};

const STEPPED = { quantity: 'quantity|amount|lot|base|size|qty|orderquantity', price: 'price|quote' } as const;
const BOUNDED = {
	quantity: 'quantity|amount|ordersize|orderquantity|orderamount|size|qty|base|basequantity|baseamount|order',
	notional: 'notional|cost|ordervalue|value|quote|quoteamount|quotequantity',
} as const;

const rulePatterns = {
	quantityStep: ruleName(step(STEPPED.quantity)),
	lotStep: ruleName('stepsize', 'lotsize', 'lot'),
	quantityPrecision: precision(STEPPED.quantity),
	priceStep: ruleName(step(STEPPED.price), 'ticksize', 'tick'),
	pricePrecision: precision(STEPPED.price),
	minQuantity: bound('min', BOUNDED.quantity),
	maxQuantity: bound('max', BOUNDED.quantity),
	minPrice: bound('min', 'price'),
	maxPrice: bound('max', 'price'),
	minNotional: bound('min', BOUNDED.notional),
	maxNotional: bound('max', BOUNDED.notional),
} as const;

const openWords = ['trading', 'active', 'open', 'online', 'enabled', 'live', 'ok', 'normal', 'available'];
const closedWords = [
	'halted',
	'halt',
	'closed',
	'suspended',
	'paused',
	'disabled',
	'inactive',
	'offline',
	'maintenance',
	'delisted',
	'cancelonly',
];

/** The rules a market record shows, under any known name. A rule that is missing or cannot be parsed is left out. */
export function rulesOf(market: Item): MarketRules {
	const facts = marketFacts(market);
	const rules: MarketRules = {
		quantityStep:
			ruleIn(facts, rulePatterns.quantityStep) ??
			ruleIn(facts, rulePatterns.lotStep) ??
			ruleIn(facts, rulePatterns.quantityPrecision, stepOfPrecision),
		priceStep: ruleIn(facts, rulePatterns.priceStep) ?? ruleIn(facts, rulePatterns.pricePrecision, stepOfPrecision),
		minQuantity: ruleIn(facts, rulePatterns.minQuantity),
		maxQuantity: ruleIn(facts, rulePatterns.maxQuantity),
		minPrice: ruleIn(facts, rulePatterns.minPrice),
		maxPrice: ruleIn(facts, rulePatterns.maxPrice),
		minNotional: ruleIn(facts, rulePatterns.minNotional),
		maxNotional: ruleIn(facts, rulePatterns.maxNotional),
		orderTypes: wordsIn(facts, /^(|accepted|supported|allowed)ordertypes?$/),
		timesInForce: wordsIn(facts, /^(|accepted|supported|allowed)times?inforces?$/),
		trading: tradingIn(facts),
	};
	return Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined));
}

/** The markets of a list, by every name they have. */
export function marketsIn(list: object): ReadonlyMap<unknown, Item> {
	const markets = new Map<unknown, Item>();
	for (const market of itemsIn(list, 'markets')) {
		for (const name of pickers.pair.value) if (!markets.has(market[name])) markets.set(market[name], market);
	}
	return markets;
}

/** The market of a pair; undefined where the list names no pair. A list that names others refuses it. */
export function marketOf({ label }: Operation, pair_id: string, markets: ReadonlyMap<unknown, Item>): Item | undefined {
	const market = markets.get(pair_id);
	if (market) return market;
	const named = [...new Set(markets.values())].filter((other) => firstOf(other, pickers.pair.value) !== undefined);
	if (named.length === 0) return undefined;
	throw notListed({ operation: label, field: 'pair_id', picker: 'pair', value: pair_id }, named);
}

/** What is read of a list of markets, cached while the list is in use, because an order should not search it again. */
export interface Markets {
	marketsIn(list: object): ReadonlyMap<unknown, Item>;
	/** The rules a market record sets for an order, which are searched under many names. */
	rulesOf(market: Item): MarketRules;
}

export const readMarketsOnce = (): Markets => ({ marketsIn: once(marketsIn), rulesOf: once(rulesOf) });

function once<Read extends object, Rules extends object>(read: (from: Read) => Rules): (from: Read) => Rules {
	const cache = new WeakMap<Read, Rules>();
	return (from) => {
		const rules = cache.get(from) ?? read(from);
		cache.set(from, rules);
		return rules;
	};
}

/** The base and quote currency of a pair, from the record or from the pair itself. */
export function currenciesOf(market: Item, pairId: string): { base: string; quote: string } | undefined {
	const base = firstOf(market, ['base_currency', 'base', 'base_asset', 'baseCurrency']);
	const quote = firstOf(market, ['quote_currency', 'quote', 'quote_asset', 'quoteCurrency']);
	if (base && quote) return { base, quote };
	const [first, second, ...more] = pairId.split(/[/_-]/);
	return first && second && more.length === 0 ? { base: first, quote: second } : undefined;
}

type MarketFacts = ReadonlyMap<string, unknown>;

/** The shortest names first, because what a record says outside its groups is what it means. */
const marketFacts = (market: Item): MarketFacts =>
	new Map([...flatten(market)].sort(([name], [other]) => name.length - other.length));

/** Nested groups become part of the name: `limits: { quantity: { min } }` is `limitsquantitymin`. */
function flatten(item: Item, prefix = '', facts = new Map<string, unknown>()): Map<string, unknown> {
	for (const [name, value] of Object.entries(item)) {
		const plain = prefix + plainWord(name);
		if (isItem(value)) flatten(value, plain, facts);
		else facts.set(plain, value);
	}
	return facts;
}

/** The first value under such a name that can be read. */
function ruleIn(facts: MarketFacts, names: RegExp, read = positive): string | undefined {
	for (const [name, value] of facts) {
		const found = names.test(name) ? read(value) : undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A precision is a count of decimals ("2") or the step itself ("0.01"); a step, tick or increment is always the step. */
function stepOfPrecision(value: unknown): string | undefined {
	const text = shortText(value) ?? '';
	// Zero decimals may mean that no precision is set, and a number that is too large is no precision.
	if (/^\d+$/.test(text)) {
		const decimals = Number(text);
		return decimals > 0 && decimals <= DECIMALS_MAX ? new Big(10).pow(-decimals).toFixed() : undefined;
	}
	return positive(value);
}

function wordsIn(facts: MarketFacts, named: RegExp): readonly string[] | undefined {
	const [, value] =
		[...facts].find(([name, value]) => Array.isArray(value) && named.test(name.replace(/^(rules|tradingrules)/, ''))) ??
		[];
	const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
	return words.length > 0 ? words : undefined;
}

/** `open` is undefined for an unknown status, which is reported and refuses nothing. */
function tradingIn(facts: MarketFacts): MarketRules['trading'] {
	for (const name of ['tradingenabled', 'istrading', 'tradable', 'isactive', 'active', 'enabled']) {
		if (facts.get(name) === false) return { status: 'not trading', open: false };
	}
	const status = facts.get('tradingstatus') ?? facts.get('status') ?? facts.get('marketstatus') ?? facts.get('state');
	if (typeof status !== 'string' || status === '') return undefined;
	const word = plainWord(status);
	return { status, open: openWords.includes(word) ? true : closedWords.includes(word) ? false : undefined };
}

/** Zero means "no bound" in every rule. */
function positive(value: unknown): string | undefined {
	const text = typeof value === 'number' ? new Big(value).toFixed() : value;
	return positiveDecimal(text);
}
