import Big from 'big.js';
import { pickers } from '../catalogue';
import { positiveDecimal } from '../decimal';
import { firstOf, isItem, itemsIn, plainWord, shortText, type Item } from '../wire/payload';

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
const stepNames = {
	quantity: {
		subjects: ['quantity', 'amount', 'lot', 'base', 'size', 'qty', 'orderquantity'],
		alone: ['stepsize', 'lotsize', 'lot'],
	},
	price: { subjects: ['price', 'quote'], alone: ['ticksize', 'tick'] },
} as const;
const stepWords = ['step', 'stepsize', 'increment', 'tick', 'ticksize', 'lotsize', 'multiple'];
const precisionWords = ['precision', 'decimals', 'scale', 'decimalplaces'];
const boundNames = {
	quantity: [
		'quantity',
		'amount',
		'ordersize',
		'orderquantity',
		'orderamount',
		'size',
		'qty',
		'base',
		'basequantity',
		'baseamount',
		'order',
	],
	price: ['price'],
	notional: ['notional', 'cost', 'ordervalue', 'value', 'quote', 'quoteamount', 'quotequantity'],
} as const;
const groups = ['', 'rules', 'tradingrules', 'limits', 'orderlimits', 'orderrules', 'constraints'];

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
	const facts = flatten(market);
	const rules: MarketRules = {
		quantityStep: stepIn(facts, stepNames.quantity),
		priceStep: stepIn(facts, stepNames.price),
		minQuantity: boundIn(facts, boundNames.quantity, ['min', 'minimum']),
		maxQuantity: boundIn(facts, boundNames.quantity, ['max', 'maximum']),
		minPrice: boundIn(facts, boundNames.price, ['min', 'minimum']),
		maxPrice: boundIn(facts, boundNames.price, ['max', 'maximum']),
		minNotional: boundIn(facts, boundNames.notional, ['min', 'minimum']),
		maxNotional: boundIn(facts, boundNames.notional, ['max', 'maximum']),
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

/** What is read of a list of markets, cached while the list is in use, because an order should not search it again. */
export interface Markets {
	marketsIn(list: object): ReadonlyMap<unknown, Item>;
	/** The rules a market record sets for an order, which are searched under hundreds of names. */
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

/** Nested groups become part of the name: `limits: { quantity: { min } }` is `limitsquantitymin`. */
function flatten(item: Item, prefix = '', facts = new Map<string, unknown>()): Map<string, unknown> {
	for (const [name, value] of Object.entries(item)) {
		const plain = prefix + plainWord(name);
		if (isItem(value)) flatten(value, plain, facts);
		else facts.set(plain, value);
	}
	return facts;
}

/** A precision is a count of decimals ("2") or the step itself ("0.01"); a step, tick or increment is always the step. */
function stepIn(
	facts: MarketFacts,
	names: { subjects: readonly string[]; alone: readonly string[] },
): string | undefined {
	for (const group of groups) {
		const steps = [...names.subjects.flatMap((subject) => stepWords.map((word) => subject + word)), ...names.alone];
		const precisions = names.subjects.flatMap((subject) =>
			precisionWords.flatMap((word) => [subject + word, word + subject]),
		);
		const step =
			firstFound(steps, (name) => positive(facts.get(group + name))) ??
			firstFound(precisions, (name) => stepOfPrecision(facts.get(group + name)));
		if (step !== undefined) return step;
	}
	return undefined;
}

function firstFound(names: readonly string[], read: (name: string) => string | undefined): string | undefined {
	for (const name of names) {
		const value = read(name);
		if (value !== undefined) return value;
	}
	return undefined;
}

function stepOfPrecision(value: unknown): string | undefined {
	const text = shortText(value) ?? '';
	// Zero decimals may mean that no precision is set, and a number that is too large is no precision.
	if (/^\d+$/.test(text)) {
		const decimals = Number(text);
		return decimals > 0 && decimals <= DECIMALS_MAX ? new Big(10).pow(-decimals).toFixed() : undefined;
	}
	return positive(value);
}

function boundIn(facts: MarketFacts, subjects: readonly string[], words: readonly string[]): string | undefined {
	const names = subjects.flatMap((subject) => words.flatMap((word) => [word + subject, subject + word]));
	return firstFound(
		groups.flatMap((group) => names.map((name) => group + name)),
		(name) => positive(facts.get(name)),
	);
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
