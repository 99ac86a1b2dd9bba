import { composedOf, sides } from '../catalogue';
import { add, averagePrice, isDecimal, isZero, multiply, positiveDecimal } from '../decimal';
import { ExchangeError, isExchangeError } from '../errors';
import { filledText, instantOf, isItem, isOneSpelling, plainWord, type Item } from '../wire/payload';
import { named } from '../wire/records';
import type { Composing } from './contract';

const DAY_MS = 86_400_000;
const feeName = /^(?:trading)?(?:fee|commission)s?(?:amount|paid)?$/;
const feeCurrencyName = /^(?:fee|commission)(?:currency|asset)$/;

interface Wanted {
	from: string;
	to: string;
	time_zone: string;
	group_by?: 'nothing' | 'day' | 'side' | 'pair' | 'order';
	side?: 'both' | 'buy' | 'sell';
	pair_id?: string;
}

/** One execution, with the facts that are added up. */
interface Fill {
	at: number;
	day: string;
	pair?: string;
	side?: string;
	order?: string;
	price: string;
	quantity: string;
	fee: { amount?: string; currency: string };
}

/** What the fills of some days add up to, exact at any number of them, and whether these are all. */
export async function summarizeFills(composing: Composing): Promise<Item> {
	const wanted = composing.input as unknown as Wanted;
	const dayOf = daysIn(composing, wanted);
	const sums = new Map<string, Sum>();
	const pairs: string[] = [];
	let unreadable = 0;
	let problem: string | null = null;
	try {
		for await (const row of fillsOf(composing, wanted)) {
			const fill = fillIn(row, dayOf, pairs);
			const isAsked = fill && isAskedFor(fill, wanted);
			if (isAsked === undefined) unreadable += 1;
			else if (isAsked) addFill(fill, wanted, sums);
		}
	} catch (error) {
		if (!isExchangeError(error, 'limit_reached')) throw error;
		problem = error.what;
	}
	if (unreadable > 0)
		problem = `${unreadable} fills do not show the price, quantity, fee, pair, side or time that is needed to add them`;
	if (problem !== null)
		composing.context.warn?.({ kind: 'not_checked', text: `${composing.operation.label}: ${problem}` });
	const rows = [...sums.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)).map(rowOf);
	const isOneRow = (wanted.group_by ?? 'nothing') === 'nothing';
	return {
		rows: rows.length === 0 && isOneRow ? [rowOf(emptySum('all', wanted.pair_id))] : rows,
		complete: problem === null,
		problem,
	};
}

/** Says on which day of the time zone an instant is, and refuses a day that does not exist. */
function daysIn({ operation }: Composing, { from, to, time_zone }: Wanted): (at: number) => string {
	const refuse = (field: string, what: string, advice: string): never => {
		throw new ExchangeError('invalid_input', { operation: operation.label, field, what, advice });
	};
	for (const [field, day] of Object.entries({ from, to })) {
		const at = /^\d{4}-\d\d-\d\d$/.test(day) ? instantOf(day) : undefined;
		if (at === undefined) refuse(field, `${day} is no day`, 'Write it as 2026-01-31; nothing was sent');
	}
	if (from > to) refuse('to', `To (${to}) is earlier than From (${from})`, 'Exchange them; nothing was sent');
	const format = formatIn(time_zone);
	if (format === undefined)
		return refuse(
			'time_zone',
			`There is no time zone ${time_zone}`,
			'Write it as Africa/Lagos or UTC; nothing was sent',
		);
	return (at) => format.format(at);
}

/** Canada writes a date as 2026-01-31. */
function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
	try {
		return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
	} catch {
		return undefined;
	}
}

/** The fills of these days in UTC and of the days around them, because no zone is further away; the day decides later. */
function fillsOf({ operation, client, context }: Composing, { from, to, pair_id }: Wanted): AsyncIterable<Item> {
	const [list] = composedOf(operation);
	const around = (day: string, days: number): string => new Date(instantOf(day)! + days * DAY_MS).toISOString();
	const options = { created_after: around(from, -1), created_before: around(to, 2) };
	const { signal, warn } = context;
	return client.items(list!, pair_id === undefined ? {} : { pair_id }, { signal, warn, options });
}

/** Undefined for a row that cannot be added. `pairs` has each pair as the first fill of it spells it. */
function fillIn(row: Item, dayOf: (at: number) => string, pairs: string[]): Fill | undefined {
	const { side: shown, order_id: order, pair_id, created_at, ...amounts } = named('fill', row);
	const [price, quantity] = [amounts.price, amounts.quantity].map(positiveDecimal);
	const [at, fee] = [instantOf(created_at), feeIn(row)];
	if (at === undefined || price === undefined || quantity === undefined || !isDecimal(fee.amount)) return undefined;
	const side = sides.find((each) => each === plainWord(shown ?? ''));
	const pair = pair_id && (pairs.find((each) => isOneSpelling(each, pair_id)) ?? pair_id);
	if (pair && !pairs.includes(pair)) pairs.push(pair);
	return { at, day: dayOf(at), pair, side, order, price, quantity, fee };
}

/** A fee that cannot be told from a rate, such as `taker_fee`, is not taken for zero. */
function feeIn(row: Item): { amount?: string; currency: string } {
	const shown = shownAs(feeName, row) ?? (shownAs(/(?:fee|commission)s?$/, row) === undefined ? '0' : undefined);
	const [amount, currency] = isItem(shown)
		? [shown.amount, shownAs(/(?:currency|asset)$/, shown)]
		: [shown, shownAs(feeCurrencyName, row)];
	return { amount: filledText(amount), currency: filledText(currency) ?? 'not_shown' };
}

const shownAs = (name: RegExp, item: Item): unknown =>
	Object.entries(item).find(([each, value]) => name.test(plainWord(each)) && String(value ?? '') !== '')?.[1];

/** Whether a fill counts; undefined where it does not show what decides that. */
function isAskedFor(
	{ day, side, pair }: Fill,
	{ from, to, side: wanted = 'both', pair_id }: Wanted,
): boolean | undefined {
	if (day < from || day > to) return false;
	if ((wanted !== 'both' && side === undefined) || (pair_id !== undefined && pair === undefined)) return undefined;
	return (wanted === 'both' || side === wanted) && (pair_id === undefined || isOneSpelling(pair!, pair_id));
}

interface Sum {
	group: string;
	pair?: string;
	count: number;
	quantity: string;
	total: string;
	fees: Record<string, string>;
	first?: number;
	last?: number;
}

const emptySum = (group: string, pair: string | undefined): Sum => ({
	group,
	pair,
	count: 0,
	quantity: '0',
	total: '0',
	fees: {},
});

/** Pairs are never added to each other: their amounts are of other currencies. */
function addFill(fill: Fill, { group_by = 'nothing', pair_id }: Wanted, sums: Map<string, Sum>): void {
	const pair = pair_id ?? fill.pair;
	const groups = { nothing: 'all', day: fill.day, side: fill.side, pair, order: fill.order };
	const group = groups[group_by] ?? 'not_shown';
	const name = JSON.stringify([group, pair ?? null]);
	const sum = sums.get(name) ?? emptySum(group, pair);
	sums.set(name, sum);
	sum.count += 1;
	sum.quantity = add(sum.quantity, fill.quantity);
	sum.total = add(sum.total, multiply(fill.price, fill.quantity));
	const { amount = '0', currency } = fill.fee;
	if (!isZero(amount)) sum.fees[currency] = add(sum.fees[currency] ?? '0', amount);
	sum.first = Math.min(sum.first ?? fill.at, fill.at);
	sum.last = Math.max(sum.last ?? fill.at, fill.at);
}

const sortKey = ({ group, pair = '' }: Sum): string => `${group}\n${pair}`;

const rowOf = ({ group, pair, count, quantity, total, fees, first, last }: Sum): Item => ({
	group,
	pair_id: pair ?? null,
	count,
	quantity,
	total,
	avg_price: averagePrice(total, quantity),
	fees,
	first_at: isoTime(first),
	last_at: isoTime(last),
});

const isoTime = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
