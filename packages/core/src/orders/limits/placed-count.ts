import { type OperationId, operationOf } from '../../catalogue';
import type { Read } from '../../context';
import { ExchangeError, isExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { instantOf, orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import type { ServiceClock } from '../../wire/remote-clock';
import { identityOf, termsDigest } from '../identity';
import { type EntryOwner, type IntentEntry, type IntentJournal, isOwnedBy, recentIn } from '../journal';
import type { OrderList } from '../lookup/list';
import { isMarket, priceIn, quoteOf, valueOf } from './order-value';
import { createPlacedOrders, type Period, periodMs } from './placed';
import type { Window } from './limit-fields';

/** How old a reading of the list may be. Several processes together pass a limit by the orders of this time. */
export const PLACED_AGE_MS_MAX = 60_000;
const HIDES_ENDED = 'the list shows no order that is over and does not filter by status, so it may hide them';

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
	covered?: { from: number; to: number; hasValues: boolean };
	/** How far the times of orders are behind the dates of the service's answers, by what it answered to our orders. */
	behindMs?: number;
	/** The reading under way, which all orders wait for. */
	reading?: Promise<string | undefined>;
}

export function createPlacedCount(clock: Pick<Clock, 'elapsed'>): PlacedCount {
	let state: State = { placed: createPlacedOrders() };
	const now = (): number => clock.elapsed();

	/** Another address or key may lead to another account, whose orders are counted from its own list. */
	function adopt(source: CountSource): void {
		if (state.owner !== undefined && !isOwnedBy(source.owner, state.owner)) state = { placed: createPlacedOrders() };
		Object.assign(state, { source, owner: source.owner });
	}

	function isCovered(spanMs: number, needsValues: boolean): boolean {
		const { covered } = state;
		if (!covered || now() - covered.to >= PLACED_AGE_MS_MAX) return false;
		return covered.from <= now() - spanMs && (covered.hasValues || !needsValues);
	}

	return {
		has: (key) => state.placed.has(key),
		read: async (windows, source, order) => {
			const spanMs = windows.reduce((longest, { period }) => Math.max(longest, periodMs[period]), 0);
			if (spanMs === 0) return undefined;
			adopt(source);
			const needsValues = windows.some(({ value }) => value !== undefined);
			for (let readings = 0; readings < READINGS_MAX && !isCovered(spanMs, needsValues); readings += 1) {
				const gap = await shared(state, { spanMs, hasValues: needsValues, now });
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

/** One reading at a time, for all orders that wait for one. */
const shared = (state: State, wanted: Wanted): Promise<string | undefined> =>
	(state.reading ??= readOn(state, wanted).finally(() => (state.reading = undefined)));

interface Wanted {
	spanMs: number;
	hasValues: boolean;
	now(): number;
}

/** Reads the list from where the latest reading ended, or else the whole span. Answers why it could not. */
async function readOn(state: State, { spanMs, hasValues, now }: Wanted): Promise<string | undefined> {
	const { covered, placed } = state;
	const { clock, read, list, journal, owner } = state.source!;
	const begun = now();
	const continues = covered && covered.from <= begun - spanMs && (covered.hasValues || !hasValues);
	const from = continues ? covered.to : begun - spanMs;
	const prices = new Map<string | undefined, string>();
	const value = async (order: Item): Promise<string> => {
		const own = valueOf(order);
		if (own !== undefined || !hasValues) return own ?? '0';
		const pair = textOf(order, 'pair_id');
		const price = prices.get(pair) ?? (await priceNow(read, pair)).price;
		prices.set(pair, price);
		const priced = valueOf(order, price);
		if (priced === undefined) throw unshown(order);
		return priced;
	};
	try {
		// What the journal knows comes first, so that the rows of the list are recognised as the same orders.
		for (const entry of covered ? [] : await recentIn(journal)) {
			const key = countKeyOf(entry.key, entry.operation, entry.fields);
			const at = begun - Math.max(0, clock.now() - entry.at);
			const isOurs = entry.account === undefined || isOwnedBy(entry.account, owner);
			if (!isOurs || entry.operation === 'order.cancel' || placed.has(key) || at <= begun - periodMs.day) continue;
			const name = nameIn(entry.fields.client_order_id);
			const currency = quoteOf(entry.fields.pair_id);
			placed.send(key, { name, at, value: await value(entry.fields), currency });
		}
		const wanted = { matches: () => true, since: timeOf(state, from, begun), wantsAll: true, isThorough: true };
		const { orders, facts = {} } = await list.look(wanted);
		const gap = facts.gap ?? (facts.mayHideEnded ? HIDES_ENDED : undefined);
		for (const order of orders) {
			const id = orderIdOf(order);
			// An order without a time counts as one of this moment, which is never too little.
			const at = placedAt(state, order, now()) ?? begun;
			if (id === undefined || at <= begun - periodMs.day) continue;
			const name = nameIn(order.client_order_id);
			placed.show({ id, name, at, value: await value(order), ...kindOf(order) });
		}
		if (gap === undefined) state.covered = { from: continues ? covered.from : from, to: begun, hasValues };
		return gap;
	} catch (error) {
		return reasonOf(error).reason;
	}
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
	if (at === undefined || at <= now - periodMs.day) return;
	const value = valueOf(order);
	if (value === undefined) return;
	placed.show({ id, name: nameIn(order.client_order_id), at, value, ...kindOf(order) });
}

const kindOf = (order: Item): { isMarket: boolean; currency: string } => ({
	isMarket: isMarket(order),
	currency: quoteOf(order.pair_id),
});

/**
 * When an order was placed, on our own clock: by the service's clock, never in the future, and no older than the clock
 * of its orders, which may be behind the one that dates its answers, lets it seem.
 */
function placedAt({ source, behindMs = 0 }: State, { created_at }: Item, now: number): number | undefined {
	const created = instantOf(created_at);
	if (created === undefined || !source) return undefined;
	return now - Math.max(0, timeIn(source) - created - behindMs);
}

/** The time that orders show which are placed at a moment of our own clock. */
const timeOf = ({ source, behindMs = 0 }: State, at: number, now: number): number =>
	timeIn(source!) - behindMs - (now - at);

const timeIn = ({ service, clock }: CountSource): number => service.at(clock.elapsed()) ?? clock.now();

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
