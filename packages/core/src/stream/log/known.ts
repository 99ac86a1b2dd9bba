import { compareWhole, later, sooner, type Whole } from '../../whole';
import { CONTENTS_MAX, KEYS_MAX, KEYS_MIN } from '../limits';
import { isUpTo, type Position } from '../position';
import { copyKey } from '../topics/copies';
import { isFinal, type OrderFacts, type TopicEvent } from '../topics/event';
import { addKey, aliasOf, hasKey, indicesThat, keysAt, noKeys, placeIn, printOf, type Keys, type Print } from './keys';
import { findOrder, admitOrder, noOrders, type OrderIndex, type OrderOrigin } from './orders';

/** The place of an event in its list: its number, or the milliseconds of its creation. */
export type EventPlace = Whole;

/**
 * What is known of a topic's events, by which the door of a log tells a copy from an event: a plain value, which these
 * functions change in place. A log has one, and a consumer one of its own while it catches up.
 */
export interface KnownEvents {
	/** The identifiers of events, with their places. */
	keys: Keys;
	/** The keys that a checkpoint held. */
	stored?: Keys;
	/** Identifiers of the same event were remembered, which a copy may carry as its own. */
	hasAliases: boolean;
	/** By content, how many events of it with an identifier are known, where there are several. */
	contents: Map<string, number>;
	/** The names under which records carry their identifiers, on the stream and in the list. */
	shapes: { live?: string; read?: string };
	orders: OrderIndex;
	/** Everything up to here was seen. Undefined until a list was read to its end. */
	settled?: EventPlace;
	/** Keys up to here were forgotten, or never known: an event before it may be one of those. */
	forgotten?: EventPlace;
	/** Everything on the stream up to here was seen. */
	position?: Position;
	pruneAt: number;
	readonly isNumbered: boolean;
	/** Whether lists are read, which may show again what came long ago. */
	readonly hasList: boolean;
}

export const nothingKnown = (topic: Pick<KnownEvents, 'isNumbered' | 'hasList'>): KnownEvents => ({
	keys: noKeys(),
	hasAliases: false,
	contents: new Map(),
	shapes: {},
	orders: noOrders(),
	pruneAt: KEYS_MIN,
	...topic,
});

/** How an event came, which decides with its identity whether it is new. */
export interface Origin extends OrderOrigin {
	/** The position of its message. */
	position?: Position;
}

/** The offset of what has no entry that a checkpoint knows of. */
export const NO_ENTRY = Infinity;
/** The offset of what a consumer had acknowledged before the log began. */
const BEFORE_THE_LOG = -1;

/** What the door found out of a new event. */
export interface NewEvent {
	/** A correction of an order back to an earlier state has another key than that state. */
	key: string;
	/** The state of its order before it. */
	before?: OrderFacts;
}

/** An event that is new is known from then on. Its identity decides, or its content where it has none. */
export function admit(known: KnownEvents, event: TopicEvent, origin: Origin, offset = NO_ENTRY): NewEvent | undefined {
	return event.order ? admitUpdate(known, event, origin, offset) : admitEvent(known, event, origin, offset);
}

function admitUpdate(known: KnownEvents, event: TopicEvent, origin: Origin, offset: number): NewEvent | undefined {
	const update = event.order!;
	const before = findOrder(known.orders, update.id)?.facts;
	// An order that is not known may be a forgotten one, so the keys of its events are looked up. The keys of a repeated
	// message are known, so it cannot return an order to a state of unknown rank.
	const isRepeat = !before || (!origin.isRead && cameBefore(known, origin));
	if (isRepeat && knows(known, event)) return undefined;
	if (!before && origin.isRead && isForgotten(known, event)) return undefined;
	const order = admitOrder(known.orders, update, origin);
	if (!order) return undefined;
	const key = isNamedTwice(known, event.key, order, before) ? keyOfCorrection(known, event.key, order) : event.key;
	remember(known, printOf(key), event.time, offset);
	return { key, before };
}

/** An order that is corrected may report a state again that it had before, perhaps to an earlier process. */
const isNamedTwice = (
	known: KnownEvents,
	name: string,
	{ corrections = 0 }: OrderFacts,
	before: OrderFacts | undefined,
): boolean => corrections > (before?.corrections ?? 0) || (corrections > 0 && has(known, printOf(name)));

/** The key has the order's terms and time, which every process sees. A count may differ in each. */
function keyOfCorrection(known: KnownEvents, name: string, { terms, updatedAt, corrections }: OrderFacts): string {
	const key = [name, terms, updatedAt].filter((part) => part !== undefined).join('~');
	return has(known, printOf(key)) ? `${key}~${corrections}` : key;
}

function admitEvent(known: KnownEvents, event: TopicEvent, origin: Origin, offset: number): NewEvent | undefined {
	const { key, shape } = event;
	if (shape !== undefined) known.shapes[origin.isRead ? 'read' : 'live'] = shape;
	const print = printOf(key);
	if (knows(known, event, print)) return undefined;
	if ((origin.isRead || cameBefore(known, origin)) && isForgotten(known, event)) return undefined;
	const aliases = aliasesOf(known, event);
	if (aliases.length > 0) known.hasAliases = true;
	const place = placeOf(known, event);
	remember(known, print, place, offset);
	for (const alias of aliases) remember(known, aliasOf(printOf(alias)), place, offset);
	if (event.contentOf && !event.isAnonymous && !isOneShape(known)) {
		const { alias, isKnown } = countContent(known, event.contentOf(event));
		remember(known, alias, place, offset);
		if (isKnown) return undefined;
	}
	return { key };
}

const none: readonly string[] = [];

/** Keys of its copies. While stream and list show different fields, one of them may not name the order of a fill. */
const aliasesOf = (known: KnownEvents, { aliases = none, orderless }: TopicEvent): readonly string[] =>
	orderless === undefined || isOneShape(known) ? aliases : [...aliases, orderless];

/** Whether stream and list carry the same identifiers, so that these alone tell events apart. */
const isOneShape = ({ shapes: { live, read } }: KnownEvents): boolean => live !== undefined && live === read;

/** Where one of stream and list shows no identifier, copies are known by their content, and are counted. */
function countContent(known: KnownEvents, content: string): { alias: Print; isKnown: boolean } {
	const { contents } = known;
	for (let copy = contents.get(content) ?? 1; ; copy += 1) {
		const name = printOf(copyKey(content, copy));
		const alias = aliasOf(name);
		if (has(known, alias)) continue;
		if (contents.size >= CONTENTS_MAX) contents.clear();
		contents.set(content, copy + 1);
		return { alias, isKnown: has(known, name) };
	}
}

const has = ({ keys, stored }: KnownEvents, print: Print): boolean =>
	hasKey(keys, print) || (stored !== undefined && hasKey(stored, print));

/** Whether the identifiers of an event are known. Copies may carry others, so aliases are looked up as keys, too. */
export function knows(known: KnownEvents, event: TopicEvent, print = printOf(event.key)): boolean {
	if (has(known, print) || ((known.hasAliases || event.isAnonymous) && has(known, aliasOf(print)))) return true;
	for (const alias of aliasesOf(known, event)) if (has(known, printOf(alias))) return true;
	return false;
}

export const placeOf = ({ isNumbered }: KnownEvents, { sequence, time }: TopicEvent): EventPlace | undefined =>
	isNumbered ? sequence : time;

/** Whether a message was replayed: everything on the stream up to a later position was seen before. */
const cameBefore = ({ position }: KnownEvents, { position: at }: Origin): boolean => isUpTo(at, position);

/** Whether an event may have been seen and its key forgotten. Rows of that part of the list are not taken for new. */
function isForgotten(known: KnownEvents, event: TopicEvent): boolean {
	const { forgotten, settled } = known;
	// An open order may be new.
	if (event.order && !isFinal(event.order.status)) return false;
	const place = placeOf(known, event);
	return place !== undefined && forgotten !== undefined && settled !== undefined && place <= sooner(forgotten, settled);
}

function remember(known: KnownEvents, print: Print, place: EventPlace | undefined, offset: number): void {
	addKey(known.keys, print, place, offset);
	if (known.keys.size >= known.pruneAt) prune(known);
}

/**
 * A row that is known gives its key its place. What the log began with is stored like its own once a read shows it. Returns
 * whether that is what this row shows: the log has no entry of it.
 */
export function keepRow({ keys, stored }: KnownEvents, { key }: TopicEvent, place: EventPlace | undefined): boolean {
	const print = printOf(key);
	const isOwn = hasKey(keys, print);
	if (stored || isOwn) addKey(keys, print, place, BEFORE_THE_LOG);
	return !isOwn && stored !== undefined && hasKey(stored, print);
}

/** Forgets the keys that no read will show again, and beyond a limit the oldest ones. The latest are kept in any case. */
function prune(known: KnownEvents): void {
	const { keys, settled, isNumbered, hasList } = known;
	const isGone = (place: EventPlace | undefined): boolean =>
		!hasList || (place === undefined ? isNumbered : settled !== undefined && place < settled);
	const latest = keys.size - KEYS_MIN / 2;
	const kept = indicesThat(keys, (index) => index >= latest || !isGone(placeIn(keys, index)));
	keepOnly(known, kept.length < KEYS_MAX ? kept : newestOf(keys, kept, latest));
	known.pruneAt = Math.min(KEYS_MAX, Math.max(KEYS_MIN, 2 * known.keys.size));
}

/** A read that goes back far shows the newest first, so the oldest by their places are those that were read last. */
function newestOf({ places }: Keys, indices: readonly number[], latest: number): readonly number[] {
	const oldest = indices.map((index) => places[index]!).sort(compareWhole)[KEYS_MAX / 4]!;
	const newest = indices.filter((index) => index >= latest || !(places[index]! < oldest));
	return newest.length < KEYS_MAX ? newest : newest.slice(KEYS_MAX / 4);
}

function keepOnly(known: KnownEvents, kept: readonly number[]): void {
	const { keys } = known;
	if (kept.length === keys.size) return;
	let next = 0;
	for (let index = 0; index < keys.size; index += 1)
		if (kept[next] === index) next += 1;
		else known.forgotten = later(known.forgotten, placeIn(keys, index));
	known.keys = keysAt(keys, kept);
}

/** The service counts from the start, so keys alone show what is known behind a number. */
export function countAnew(known: KnownEvents, settled: EventPlace): void {
	known.settled = settled;
	known.forgotten = undefined;
	known.keys.places.fill(Number.NaN);
}
