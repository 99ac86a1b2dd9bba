import { operationOf } from '../../catalogue';
import type { Read } from '../../context';
import { ExchangeError, isExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { filledText, instantOf, orderIdOf, orderIn, textOf, type Item } from '../../wire/payload';
import { timesAt, type ServiceClock } from '../../wire/remote-clock';
import { termsDigest } from '../identity';
import { intentNameOf } from '../log/evidence';
import { type EntryOwner, type IntentEntry, type IntentJournal, isOwnedBy, recentIn } from '../journal';
import type { OrderList } from '../log/order-list';
import { termsOf, type Follower } from '../log/order-log';
import { isMarket, priceIn, quoteOf, orderValue } from './risk-limits';
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

export interface SentOrder {
	key: string;
	/** Label of the operation, for people. */
	label: string;
	pair_id?: string;
	client_order_id?: string;
}

export type PlacedCount = ReturnType<typeof createPlacedCount>;

/** The key under which a sent order is counted: other terms under the same name are another order. */
export const countKeyOf = (key: string, digest: string): string => `${key} ${digest}`;

/** What one account placed, by its own list: read at most once a minute, and carried on by what this process sends. */
export function createPlacedCount({ elapsed: now }: Pick<Clock, 'elapsed'>, first: CountSource) {
	let source = first;
	const placed = createPlacedOrders();
	/** The time that the readings cover without a gap: from a moment to the begin of the latest one. */
	let covered: { from: number; to: number } | undefined;
	/** Orders of the list that do not show what they are worth, by their ID, until they are worth the price of the moment. */
	const unpriced = new Map<string, Item>();
	/** How far the times of orders are behind the dates of the service's answers, by what it answered to our orders. */
	let behindMs: number | undefined;
	/** The reading under way, which all orders wait for. */
	let reading: Promise<string | undefined> | undefined;
	let unfollow: (() => void) | undefined;

	/**
	 * The time that an order shows which is placed now: that of the service's clock, or so much earlier as the clock of its
	 * orders is behind the one that dates its answers. By a clock that is ahead, orders of today would count no more.
	 */
	const timeIn = (): number => timesAt(source.clock.elapsed(), source.clock, source.service).earliest - (behindMs ?? 0);
	/** The moment on our own clock that orders show as a time. */
	const ownTimeOf = (time: number): number => now() - (timeIn() - time);

	/** When an order was placed, on our own clock, and never in the future. */
	function placedAt({ created_at }: Item): number | undefined {
		const time = instantOf(created_at);
		return time === undefined ? undefined : Math.min(now(), ownTimeOf(time));
	}

	/** Counts an order of the list. An order without a time counts as placed now, so that it is never counted too little. */
	function count(order: Item, price?: string): void {
		// A row without an ID is recognized by the fields of an order that never change.
		const id = orderIdOf(order) ?? JSON.stringify(termsOf(order));
		unpriced.delete(id);
		const at = placedAt(order) ?? now();
		if (at <= now() - periodMs.day) return;
		const [name, currency] = [intentNameIn(order.client_order_id), quoteOf(order.pair_id)];
		const value = orderValue(order, price);
		placed.show({ id, name, at, currency, value, isMarket: isMarket(order) });
		if (value === undefined) unpriced.set(id, order);
	}

	async function countEntry({ key: sentKey, operation, fields, account, at: sentAt }: IntentEntry, hasValues: boolean) {
		const key = countKeyOf(sentKey, termsDigest(operation, fields));
		const at = now() - Math.max(0, source.clock.now() - sentAt);
		const isOurs = isOwnedBy(account, source.owner);
		if (!isOurs || operation === 'order.cancel' || placed.has(key) || at <= now() - periodMs.day) return;
		const price =
			hasValues && orderValue(fields) === undefined
				? await priceNow(source.read, textOf(fields, 'pair_id'))
				: undefined;
		const value = orderValue(fields, price);
		if (value === undefined && hasValues) throw unshown(fields);
		placed.send(key, {
			name: intentNameIn(fields.client_order_id),
			at,
			value: value ?? '0',
			currency: quoteOf(fields.pair_id),
		});
	}

	async function priceAll(): Promise<void> {
		const prices = new Map<string | undefined, string>();
		for (const [id, order] of unpriced) {
			const pair = textOf(order, 'pair_id');
			const price = prices.get(pair) ?? (await priceNow(source.read, pair));
			prices.set(pair, price);
			// The list may have shown the order again meanwhile, with its value.
			if (unpriced.get(id) !== order) continue;
			count(order, price);
			if (unpriced.has(id)) throw unshown(order);
		}
	}

	const isCovered = (spanMs: number): boolean =>
		covered !== undefined && now() - covered.to < PLACED_AGE_MS_MAX && covered.from <= now() - spanMs;

	const follower: Follower = {
		see: (orders) => orders.forEach((order) => count(order)),
		covered: (since, tookMs) => {
			const [from, to] = [ownTimeOf(since), now() - tookMs];
			if (!covered || from + OVERLAP_MS <= covered.to) covered = { from: Math.min(covered?.from ?? from, from), to };
		},
	};

	/** Reads the list from where the latest reading ended, or else the whole span. Answers why it could not. */
	async function readOn(spanMs: number, hasValues: boolean): Promise<string | undefined> {
		const { list, journal } = source;
		try {
			// What the journal knows comes first, so that the rows of the list are recognised as the same orders.
			if (!unfollow) for (const entry of await recentIn(journal)) await countEntry(entry, hasValues);
			unfollow = list.follow(follower);
			const begun = now();
			if (!isCovered(spanMs)) {
				const from = covered && covered.from <= begun - spanMs ? covered.to : begun - spanMs;
				const since = timeIn() - (begun - from);
				const { gap } = await list.find({ matches: () => false, since, isPatient: true, isThorough: true });
				if (gap !== undefined) return gap;
			}
			if (hasValues) await priceAll();
			return undefined;
		} catch (error) {
			return readFailure(error);
		}
	}

	return {
		owner: first.owner,
		has: placed.has,
		/** Makes the count good enough for the limits, or answers why it is not. */
		read: async (
			windows: readonly Window[],
			from: CountSource,
			order: SentOrder,
		): Promise<ExchangeError | undefined> => {
			const spanMs = windows.reduce((longest, { period }) => Math.max(longest, periodMs[period]), 0);
			if (spanMs === 0) return undefined;
			source = from;
			const hasValues = windows.some(({ value }) => value !== undefined);
			const isRead = (): boolean => isCovered(spanMs) && (!hasValues || unpriced.size === 0);
			for (let readings = 0; readings < READINGS_MAX && !isRead(); readings += 1) {
				// One reading at a time, for all orders that wait for one.
				reading ??= readOn(spanMs, hasValues).finally(() => (reading = undefined));
				const gap = await reading;
				if (gap !== undefined) return uncounted(order, gap);
			}
			return undefined;
		},
		/** The price of the moment of the order's pair. */
		priceOf: ({ label, pair_id }: SentOrder): Promise<string> =>
			priceNow(source.read, pair_id).catch((error: unknown) => {
				throw uncounted({ label }, `what a market order is worth is not known, because ${readFailure(error)}`);
			}),
		within: (period: Period, pair: string | undefined) => placed.within(period, now(), quoteOf(pair)),
		send: ({ key, client_order_id: name, pair_id }: SentOrder, value: string): void =>
			placed.send(key, { name: intentNameIn(name), at: now(), value, currency: quoteOf(pair_id) }),
		show: (shown: Readonly<Item>, key?: string): void => {
			const order = { ...orderIn(shown) };
			const id = textOf(order, 'new_order_id') ?? orderIdOf(order);
			if (id === undefined) return;
			const at = placedAt(order);
			if (key !== undefined && placed.has(key)) {
				placed.identify(key, id);
				if (at !== undefined) behindMs = Math.min(behindMs ?? Infinity, now() - at);
			}
			// An order that shows no time or no value is counted by the next reading.
			if (at !== undefined && orderValue(order) !== undefined) count({ ...order, id });
		},
		/** Follows the list no longer. */
		end: () => unfollow?.(),
	};
}

function intentNameIn(clientOrderId: unknown): string | undefined {
	const name = filledText(clientOrderId);
	return name === undefined ? undefined : intentNameOf(name);
}

async function priceNow(read: Read, pair: string | undefined): Promise<string> {
	const price = priceIn(await read('market.ticker', { pair_id: pair }));
	if (price !== undefined) return price;
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

function readFailure(error: unknown): string {
	if (!isExchangeError(error)) throw error;
	return error.summary;
}

/** An order under a limit that cannot be held to it is refused. */
const uncounted = ({ label }: Pick<SentOrder, 'label'>, reason: string): ExchangeError =>
	new ExchangeError('not_available', {
		operation: label,
		what: `What the account placed cannot be counted, and it has limits: ${reason}`,
		advice: 'Run it again when the orders can be read, or take the limits out of the account; cancels go through',
		details: { rule: 'placed_orders' },
	});
