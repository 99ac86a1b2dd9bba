import { inBackground } from '../background';
import type { IncompleteFillsNotice, StreamStatus } from '../catalogue';
import { add, compare, subtract } from '../decimal';
import type { Clock } from '../ports';
import { unknownShape } from '../wire/list-shape';
import { instant, type Item, textOf } from '../wire/payload';
import { boundedGet, boundedMap, boundedSet, forgetOldest, type BoundedMap } from '../bounded';
import { createAlarm } from './alarm';
import { tellAll, type Feed } from './feed/feed';
import { doubt } from './feed/live';
import { appendRows } from './feed/reading';
import {
	FILLS_FOLLOW_MS_MAX,
	INCOMPLETE_ORDERS_MAX,
	LISTED_AFTER_MS,
	ORDER_FILLS_PAGES_MAX,
	ORDER_FILLS_READS_MAX,
	ORDER_FILLS_READ_MS,
	READ_SPACING_MS,
	SUMMED_ORDERS_MAX,
} from './limits';
import { type History, walkList } from './sources/history';
import { type TopicEvent, isFinal } from './topics/event';
import { fills } from './topics/fills';

/** Compares the fills of each order with its filled quantity, reads missing fills, and reports what stays missing. */
export interface MissingFills {
	readonly state: FillsState;
	/** Adds fills, live or read over REST. */
	count(events: readonly TopicEvent[]): void;
	/** Updates of orders, whose filled quantities the fills have to reach. */
	expect(events: readonly TopicEvent[]): void;
	close(): void;
}

interface MissingFillsPorts {
	clock: Clock;
	/** A topic, while it is subscribed. */
	feed(topic: string): Feed | undefined;
	/** Absent without a key, which every private topic needs. */
	history?: History;
}

/** Runs the check: has the functions below decide what follows from what happens, and does it. */
export function createMissingFills({ clock, feed, history }: MissingFillsPorts): MissingFills {
	const state: FillsState = { sums: boundedMap(SUMMED_ORDERS_MAX), short: new Map(), readsFrom: 0 };
	const closed = new AbortController();
	const setAlarm = createAlarm(clock, look);
	const arm = (): void => setAlarm(closed.signal.aborted ? Infinity : wakesAt(state));
	const fillsFeed = (): Feed | undefined => feed('user.fills');
	/** Fills from before are not counted, and are read where a sum lacks them. */
	const areBothSubscribed = (): boolean => feed('user.orders') !== undefined && fillsFeed() !== undefined;

	function look(): void {
		const now = clock.now();
		const { isNewestDue, order } = onWoken(state, now);
		const followed = fillsFeed();
		if (isNewestDue && followed) doubt(followed, undefined, now);
		if (order) inBackground(read(order));
		arm();
	}

	async function read(order: ShortOrder): Promise<void> {
		let done: Done = 'read';
		try {
			const events = await readOrderFills(order, history!, closed.signal);
			const followed = fillsFeed();
			if (followed) appendRows(followed, events);
		} catch {
			done = 'reading_failed';
		}
		if (closed.signal.aborted) return;
		const notice = onRead(state, order.id, done, clock.now());
		const followed = fillsFeed();
		if (notice && followed) tellAll(followed, notice);
		arm();
	}

	return {
		state,
		count: (events) => {
			// Orders that nobody follows any more may still wait for their fills.
			if (state.short.size === 0 && !areBothSubscribed()) return;
			for (const event of events) onFill(state, event);
		},
		expect: (events) => {
			if (!areBothSubscribed()) return;
			for (const event of events) onOrder(state, event, clock.now());
			arm();
		},
		close: () => {
			closed.abort();
			arm();
		},
	};
}

/** Reads every fill of one order. The name of the filter is assumed, so fills of other orders are removed here too. */
async function readOrderFills(
	{ id, written }: ShortOrder,
	history: History,
	signal: AbortSignal,
): Promise<TopicEvent[]> {
	const { identify, list } = fills;
	const toTheEnd = { shape: unknownShape(), settledInARow: Infinity, isToTheEnd: true, isSettled: () => false };
	const walk = walkList({ list, identify, history, signal }, { query: { order_id: written }, ...toTheEnd });
	const all: TopicEvent[] = [];
	while (walk.pages() < ORDER_FILLS_PAGES_MAX) {
		const page = await walk.next();
		if (!page) break;
		all.push(...page.filter(({ fill }) => fill?.orderId === id));
	}
	return all;
}

/** All that is known of the fills that orders lack: a plain value, which the functions below change in place. */
export interface FillsState {
	sums: FillSums;
	/** Orders that said more was filled than their fills add up to, by id, the latest last. */
	short: Map<string, ShortOrder>;
	/** From when on the fills of a further order are read: `Infinity` while those of one are. */
	readsFrom: number;
}

interface ShortOrder {
	id: string;
	/** Its identifier as the service wrote it. */
	written: string;
	/** The fields filters look at, so that a notice about a pair that a subscriber filters out is filtered out too. */
	filterable: Item;
	/** The filled quantity that its fills have to reach, and when an update said it. */
	expected: string;
	changedAt: number;
	/** Since when its fills do not add up, in milliseconds since 1970. */
	since: number;
	/** What is read next: the newest fills at first, then its own, again and again. */
	step: number;
	/** When that is due; undefined once it was reported. */
	dueAt?: number;
}

/** The orders whose fills do not add up, as Stream Status shows them. */
export const incompleteFills = ({ sums, short }: FillsState): StreamStatus['incomplete_fills'] =>
	[...short.values()]
		.filter(({ id, expected }) => isShort(sums, id, expected))
		.map(({ id, written, expected, since, dueAt }) => ({
			order_id: written,
			expected,
			counted: sumOf(sums, id).quantity,
			since: instant(since),
			told: dueAt === undefined,
		}));

type Done = IncompleteFillsNotice['done'];

/** Adds a fill, live or read over REST. */
function onFill({ sums, short }: FillsState, event: TopicEvent): void {
	addUp(sums, event);
	const order = event.fill && short.get(event.fill.orderId);
	// A fill may come before the update that it belongs to, so an order that has lacked one for long may only seem whole.
	const isLong = order !== undefined && order.step > 0 && order.dueAt !== undefined;
	if (order && !isLong && !isShort(sums, order.id, order.expected)) short.delete(order.id);
}

/** An update of an order, whose filled quantity the fills have to reach. */
function onOrder(state: FillsState, { order, item = {} }: TopicEvent, now: number): void {
	const { sums, short } = state;
	if (!order?.filled) return;
	const { id, written = id, filled, status } = order;
	const before = short.get(id);
	// Updates may arrive out of order, so only a final one may lower the filled quantity.
	const isLess = before !== undefined && compare(filled, before.expected) < 0 && !isFinal(status);
	const expected = isLess ? before.expected : filled;
	if (!isShort(sums, id, expected)) return void short.delete(id);
	if (before?.expected === expected) return;
	const filterable = { pair_id: item.pair_id, side: item.side };
	const begun = before?.dueAt === undefined ? { since: now, step: 0, dueAt: now + FILLS_FOLLOW_MS_MAX } : before;
	short.delete(id);
	short.set(id, { ...begun, id, written, filterable, expected, changedAt: now });
	forgetOldest(short, INCOMPLETE_ORDERS_MAX);
}

/** What to read: the newest fills, which usually have the missing ones, and all of one order, one order at a time. */
function onWoken(state: FillsState, now: number): { isNewestDue: boolean; order?: ShortOrder } {
	const { sums, short } = state;
	for (const { id, expected, dueAt = Infinity } of short.values())
		if (dueAt <= now && !isShort(sums, id, expected)) short.delete(id);
	const due = [...short.values()].filter(({ dueAt = Infinity }) => dueAt <= now);
	const newest = due.filter(({ step }) => step === 0);
	const first = state.readsFrom <= now ? due.find(({ step }) => step > 0) : undefined;
	// An order that goes on being filled is read all the same, so that it cannot put off what it lacks.
	for (const order of newest) Object.assign(order, { step: 1, dueAt: order.since + LISTED_AFTER_MS });
	if (first) state.readsFrom = Infinity;
	return { isNewestDue: newest.length > 0, order: first };
}

/** The fills of an order were read, or could not be. Returns the notice where they do not complete the sum. */
function onRead(state: FillsState, orderId: string, done: Done, now: number): TopicEvent | undefined {
	state.readsFrom = now + READ_SPACING_MS;
	const order = state.short.get(orderId);
	// A quantity that came meanwhile has its own time.
	if (!order || order.step === 0) return undefined;
	if (!isShort(state.sums, orderId, order.expected)) {
		state.short.delete(orderId);
		return undefined;
	}
	const { changedAt } = order;
	// The fills of its latest update may still be on their way.
	if (now < changedAt + LISTED_AFTER_MS) {
		Object.assign(order, { since: changedAt, dueAt: changedAt + LISTED_AFTER_MS });
		return undefined;
	}
	const isOver = done === 'read' || order.step >= ORDER_FILLS_READS_MAX;
	order.dueAt = isOver ? undefined : now + ORDER_FILLS_READ_MS * 2 ** order.step;
	order.step += 1;
	return isOver ? noticeOf(order, state.sums, done) : undefined;
}

function noticeOf({ id, written, expected, filterable }: ShortOrder, sums: FillSums, done: Done): TopicEvent {
	const { quantity: counted, fills } = sumOf(sums, id);
	const data: IncompleteFillsNotice = {
		order_id: written,
		pair_id: textOf(filterable, 'pair_id') ?? null,
		expected,
		counted,
		missing: subtract(expected, counted),
		fills_known: fills,
		done,
	};
	return { key: `incomplete_fills:${id}:${expected}:${counted}`, kind: 'incomplete_fills', data, item: filterable };
}

/** When the next `onWoken` is due. */
const wakesAt = ({ short, readsFrom }: FillsState): number =>
	Math.min(
		...[...short.values()].map(({ step, dueAt = Infinity }) => (step === 0 ? dueAt : Math.max(dueAt, readsFrom))),
	);

/** What the fills of each order add up to, by order: a plain value, which `addUp` alone changes. */
type FillSums = BoundedMap<string, FillSum>;

interface FillSum {
	quantity: string;
	fills: number;
	/** Keys of the fills that were added up, each of which may come several times. They are forgotten with their sum. */
	keys: Set<string>;
}

/** Adds a fill to the sum of its order, once, whatever the order of arrival. */
function addUp(sums: FillSums, { key, aliases = [], fill }: TopicEvent): void {
	if (!fill) return;
	const sum = sumOf(sums, fill.orderId);
	// A copy of a fill may carry other identifiers, so all its keys are compared.
	const names = [key, ...aliases];
	const isNew = !names.some((name) => sum.keys.has(name));
	for (const name of names) sum.keys.add(name);
	const more = isNew ? { quantity: add(sum.quantity, fill.quantity), fills: sum.fills + 1 } : {};
	boundedSet(sums, fill.orderId, { ...sum, ...more });
}

const sumOf = (sums: FillSums, orderId: string): FillSum =>
	boundedGet(sums, orderId) ?? { quantity: '0', fills: 0, keys: new Set() };

/** Whether the fills add up to less than the filled quantity of the order. */
const isShort = (state: FillSums, orderId: string, filled: string): boolean =>
	compare(sumOf(state, orderId).quantity, filled) < 0;
