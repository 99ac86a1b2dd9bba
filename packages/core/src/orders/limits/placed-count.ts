import { type OperationId, operationOf } from '../../catalogue';
import type { Read } from '../../context';
import { ExchangeError, isExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { instantOf, orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import { timesAt, type ServiceClock } from '../../wire/remote-clock';
import { identityOf, termsDigest } from '../identity';
import { type EntryOwner, type IntentEntry, type IntentJournal, isOwnedBy, recentIn } from '../journal';
import type { OrderList } from '../log/order-list';
import { termsOf, type Follower } from '../log/order-log';
import { isMarket, priceIn, quoteOf, valueOf } from './order-value';
import { createPlacedOrders, type Period, periodMs } from './placed';
import type { Window } from './limit-fields';

/** How old a reading of the list may be. Several processes together pass a limit by the orders of this time. */
export const PLACED_AGE_MS_MAX = 60_000;

/**
 * How much of the reading before it a reading has to repeat: an order may take some time to appear in the list, and the
 * clock of the service is known to a second.
 */
const OVERLAP_MS = 60_000;
/** How many readings one order waits for: one under way may have begun for shorter limits. */
const READINGS_MAX = 3;

/** Where one client reads what its account placed. */
export interface CountSource {
	owner: EntryOwner;
	/** Reads once, without retry. */
	read: Read;
	list: OrderList;
	clock: Clock;
	service: ServiceClock;
	journal?: IntentJournal;
}

interface SentOrder {
	key: string;
	label: string;
	pair_id?: string;
	client_order_id?: string;
}

/** What an account placed, by its own list: read at most once a minute, and carried on by what this process sends. */
export interface PlacedCount {
	has(key: string): boolean;
	/** Makes the count good enough for the limits, or answers why it is not. */
	read(windows: readonly Window[], source: CountSource, order: SentOrder): Promise<ExchangeError | undefined>;
	/** The price of the moment of the order's pair. */
	priceOf(source: CountSource, order: SentOrder): Promise<string>;
	within(period: Period, pair: string | undefined): { count: number; value: string };
	send(order: SentOrder, value: string): void;
	show(order: Readonly<Item>, key?: string): void;
}

/** The key under which a sent order is counted: other terms under the same name are another order. */
export const countKeyOf = (key: string, operation: OperationId, fields: IntentEntry['fields']): string =>
	`${key} ${termsDigest(operation, fields)}`;

interface State {
	source?: CountSource;
	owner?: EntryOwner;
	placed: ReturnType<typeof createPlacedOrders>;
	/** The time that the readings cover without a gap: from a moment to the begin of the latest one. */
	covered?: { from: number; to: number };
	/** Orders of the list that do not show what they are worth, by their ID, until they are worth the price of the moment. */
	unpriced: Map<string, { order: Item; at: number; show(value?: string): void }>;
	/** How far the times of orders are behind the dates of the service's answers, by what it answered to our orders. */
	behindMs?: number;
	/** The reading under way, which all orders wait for. */
	reading?: Promise<string | undefined>;
	follower: Follower;
	unfollow?: () => void;
}

export function createPlacedCount({ elapsed: now }: Pick<Clock, 'elapsed'>): PlacedCount {
	let state = newState(now);

	/** Another address or key may lead to another account, whose orders are counted from its own list. */
	function adopt(source: CountSource): State {
		if (state.owner && !isOwnedBy(source.owner, state.owner)) {
			state.unfollow?.();
			state = newState(now);
		}
		return Object.assign(state, { source, owner: source.owner });
	}

	return {
		has: (key) => state.placed.has(key),
		read: async (windows, source, order) => {
			const spanMs = windows.reduce((longest, { period }) => Math.max(longest, periodMs[period]), 0);
			if (spanMs === 0) return undefined;
			const own = adopt(source);
			const hasValues = windows.some(({ value }) => value !== undefined);
			const isRead = (): boolean => isCovered(own, spanMs, now()) && (!hasValues || own.unpriced.size === 0);
			for (let readings = 0; readings < READINGS_MAX && !isRead(); readings += 1) {
				// One reading at a time, for all orders that wait for one.
				own.reading ??= readOn(own, { spanMs, hasValues, now }).finally(() => (own.reading = undefined));
				const gap = await own.reading;
				if (gap !== undefined) return uncounted(order, gap);
			}
			return undefined;
		},
		priceOf: async ({ read }, { label, pair_id }) => {
			const price = await priceNow(read, pair_id).catch(reasonOf);
			if ('price' in price) return price.price;
			throw uncounted({ label }, `what a market order is worth is not known, because ${price.reason}`);
		},
		within: (period, pair) => state.placed.within(period, now(), quoteOf(pair)),
		send: ({ key, client_order_id: name, pair_id }, value) =>
			state.placed.send(key, { name: nameIn(name), at: now(), value, currency: quoteOf(pair_id) }),
		show: (order, key) => show(state, { ...orderIn(order) }, key, now()),
	};
}

const newState = (now: () => number): State => {
	const state: State = {
		placed: createPlacedOrders(),
		unpriced: new Map(),
		follower: {
			see: (orders) => orders.forEach((order) => count(state, order, now())),
			covered: (from, tookMs) => cover(state, ownTimeOf(state, from, now())!, now() - tookMs),
		},
	};
	return state;
};

const isCovered = ({ covered }: State, spanMs: number, now: number): boolean =>
	covered !== undefined && now - covered.to < PLACED_AGE_MS_MAX && covered.from <= now - spanMs;

/** Takes over that a reading which began at `to` has shown every order from `from` on. */
function cover(state: State, from: number, to: number): void {
	const { covered = { from, to: Infinity } } = state;
	if (from + OVERLAP_MS <= covered.to) state.covered = { from: Math.min(covered.from, from), to };
}

interface Wanted {
	spanMs: number;
	hasValues: boolean;
	now(): number;
}

/** Reads the list from where the latest reading ended, or else the whole span. Answers why it could not. */
async function readOn(state: State, { spanMs, hasValues, now }: Wanted): Promise<string | undefined> {
	const { list, journal } = state.source!;
	for (const [id, { at }] of state.unpriced) if (at <= now() - periodMs.day) state.unpriced.delete(id);
	try {
		// What the journal knows comes first, so that the rows of the list are recognised as the same orders.
		if (!state.unfollow) for (const entry of await recentIn(journal)) await countEntry(state, entry, hasValues, now());
		state.unfollow = list.follow(state.follower);
		const begun = now();
		if (!isCovered(state, spanMs, begun)) {
			const { covered } = state;
			const from = covered && covered.from <= begun - spanMs ? covered.to : begun - spanMs;
			const since = timeIn(state) - (begun - from);
			const { gap } = await list.look({ matches: () => false, since, isPatient: true, isThorough: true });
			if (gap !== undefined) return gap;
		}
		if (hasValues) await priceAll(state);
		return undefined;
	} catch (error) {
		return reasonOf(error).reason;
	}
}

async function countEntry(state: State, entry: IntentEntry, hasValues: boolean, now: number): Promise<void> {
	const { placed, source, owner } = state;
	const { clock, read } = source!;
	const { key: sentKey, operation, fields, account } = entry;
	const key = countKeyOf(sentKey, operation, fields);
	const at = now - Math.max(0, clock.now() - entry.at);
	const isOurs = account === undefined || isOwnedBy(account, owner!);
	if (!isOurs || operation === 'order.cancel' || placed.has(key) || at <= now - periodMs.day) return;
	const worth = valueOf(fields) ?? (hasValues ? valueAt(fields, await priceNow(read, textOf(fields, 'pair_id'))) : '0');
	placed.send(key, { name: nameIn(fields.client_order_id), at, value: worth, currency: quoteOf(fields.pair_id) });
}

/** Counts an order of the list. One without a time counts as one of this moment, which is never too little. */
function count(state: State, order: Item, now: number): void {
	const { placed, unpriced } = state;
	// A row without an ID is told from the others by what stays as it is of an order.
	const id = orderIdOf(order) ?? JSON.stringify(termsOf(order));
	const at = placedAt(state, order, now) ?? now;
	if (at <= now - periodMs.day) return;
	const row = { id, name: nameIn(order.client_order_id), at, ...kindOf(order) };
	const show = (value?: string): void => placed.show({ ...row, value });
	const value = valueOf(order);
	show(value);
	if (value === undefined) unpriced.set(id, { order, at, show });
	else unpriced.delete(id);
}

async function priceAll({ source, unpriced }: State): Promise<void> {
	const prices = new Map<string | undefined, { price: string }>();
	for (const [id, waiting] of unpriced) {
		const pair = textOf(waiting.order, 'pair_id');
		const price = prices.get(pair) ?? (await priceNow(source!.read, pair));
		prices.set(pair, price);
		// It may have been shown again meanwhile.
		if (unpriced.get(id) !== waiting) continue;
		waiting.show(valueAt(waiting.order, price));
		unpriced.delete(id);
	}
}

function valueAt(order: Item, { price }: { price: string }): string {
	const value = valueOf(order, price);
	if (value === undefined) throw unshown(order);
	return value;
}

/** Takes over one order that the service showed outside of a reading. */
function show(state: State, order: Item, key: string | undefined, now: number): void {
	const { placed } = state;
	const id = textOf(order, 'new_order_id') ?? orderIdOf(order);
	if (id === undefined) return;
	const at = placedAt(state, order, now);
	if (key !== undefined && placed.has(key)) {
		placed.identify(key, id);
		if (at !== undefined) state.behindMs = Math.min(state.behindMs ?? Number.POSITIVE_INFINITY, now - at);
	}
	// What it does not show is learned from the next reading.
	if (at !== undefined && valueOf(order) !== undefined) count(state, { ...order, id }, now);
}

const kindOf = (order: Item): { isMarket: boolean; currency: string } => ({
	isMarket: isMarket(order),
	currency: quoteOf(order.pair_id),
});

/** When an order was placed, on our own clock, and never in the future. */
function placedAt(state: State, { created_at }: Item, now: number): number | undefined {
	const time = instantOf(created_at);
	// A zero, or the first year of a language, stands for no time.
	const at = ownTimeOf(state, time !== undefined && time > 0 ? time : undefined, now);
	return at === undefined ? undefined : Math.min(now, at);
}

/** The moment on our own clock that orders show as a time. */
const ownTimeOf = (state: State, time: number | undefined, now: number): number | undefined =>
	time === undefined || !state.source ? undefined : now - (timeIn(state) - time);

/**
 * The time that an order shows which is placed now: that of the service's clock, or so much earlier as the clock of its
 * orders is behind the one that dates its answers. By a clock that is ahead, orders of today would count no more.
 */
const timeIn = ({ source, behindMs = 0 }: State): number =>
	timesAt(source!.clock.elapsed(), source!.clock, source!.service).earliest - behindMs;

const nameIn = (clientOrderId: unknown): string | undefined =>
	clientOrderId === undefined || clientOrderId === null || clientOrderId === ''
		? undefined
		: identityOf(String(clientOrderId));

async function priceNow(read: Read, pair: string | undefined): Promise<{ price: string }> {
	const price = priceIn(await read('market.ticker', { pair_id: pair }));
	if (price !== undefined) return { price };
	throw new ExchangeError('malformed_response', {
		operation: operationOf('market.ticker').label,
		what: `The ticker of ${String(pair)} shows no price`,
	});
}

const unshown = (order: Item): ExchangeError =>
	new ExchangeError('malformed_response', {
		operation: operationOf('order.list').label,
		what: `It shows neither a quantity nor what was filled of the order ${orderIdOf(order) ?? 'without an ID'}`,
	});

function reasonOf(error: unknown): { reason: string } {
	if (!isExchangeError(error)) throw error;
	return { reason: error.summary };
}

/** An order under a limit that cannot be held to it is refused. */
const uncounted = ({ label }: Pick<SentOrder, 'label'>, reason: string): ExchangeError =>
	new ExchangeError('not_available', {
		operation: label,
		what: `What the account placed cannot be counted, and it has limits: ${reason}`,
		advice: 'Run it again when the orders can be read, or take the limits out of the account; cancels go through',
		details: { rule: 'placed_orders' },
	});
