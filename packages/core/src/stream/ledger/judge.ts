import { sooner, type Whole } from '../../whole';
import type { StreamPolicy } from '../policy';
import { sameEpoch, type Position } from '../position';
import { copyKey } from '../topics/copies';
import { digest, isFinal, type Likeness, type TopicEvent } from '../topics/event';
import { orderKey } from '../topics/orders';
import { fingerprint } from './fingerprint';
import { addPrints, aliasPrintsOf, forgetPrints, hasEvent, hasPrint, indexOf, type KeyIndex } from './key-index';
import { advanceAll, settledPlace, type Delta, type Ledger, type Reach, type Shapes } from './ledger';
import { factsOf, findOrder, judgeOrder, orderIndexOf, type OrderIndex } from './orders';
import { latest } from './numbers';
import { isCovered, NOTHING_KNOWN } from './ranges';
import type { RunDoubt } from './run-mark';
import { judgeRecord, stateIndexOf, type StateIndex } from './states';
import { EARLIER_LENGTH } from './stored';
import { noTopicKeys } from './topic-keys';

/**
 * What a subscriber was offered of one topic: its ledger and what its queue still holds, as an index. It is built from the
 * ledger at a start, and every delta that `judge` returns is added to it before the next event is judged.
 */
export interface Offered extends Reach {
	keys: KeyIndex;
	/** The keys that a checkpoint of version 1 held, as digests of another kind. */
	earlier?: Set<string>;
	orders: OrderIndex;
	states: StateIndex;
	/** More orders were open than were stored: nothing is settled until the whole list was read once. */
	isDeep?: boolean;
	/** Whether the numbers belong to the present run of the service: settled, in doubt, or never looked at. */
	doubt?: RunDoubt | 'settled';
	/** Whether the events of the topic are numbered. */
	isNumbered: boolean;
	/** Whether lists are read, which may show again what came long ago. */
	isRead: boolean;
}

/** How an event came, which decides with its identity whether it is new. */
export interface Origin extends Pick<StreamPolicy, 'isNews'> {
	/** It was read from a list. */
	isRead: boolean;
	/** It is old: the list showed it before the subscriber began. */
	isHistory?: boolean;
	now: number;
	/** The position of its message. */
	position?: Position;
}

export function offeredOf(
	ledger: Ledger,
	topic: { isNumbered: boolean; isRead: boolean },
	keysOfTopic = noTopicKeys(),
): Offered {
	const { keys, earlier, orders, states, ...reach } = ledger;
	const offered: Offered = {
		...structuredClone(reach),
		mark: reach.mark,
		keys: indexOf(keys, keysOfTopic),
		earlier: earlier && new Set(earlier.digests.match(eachDigest)),
		states: stateIndexOf(states.values()),
		orders: orderIndexOf(orders.values(), ledger.isDeep ?? false),
		...topic,
	};
	// A correction may repeat a state that was delivered before, and then needs another key.
	const prints = [...orders.values()].map((order) => fingerprint(orderKey(factsOf(order))));
	addPrints(offered.keys, prints, undefined);
	return offered;
}

/**
 * The numbers may belong to an earlier run of the service. If more is known than at the doubt before, a list of a new run
 * may pass the earlier number, so it is compared with the present one.
 */
export function doubtRun(offered: Offered): void {
	const { mark, ranges, watermark, doubt } = offered;
	// The floor lies below numbers that were delivered after a gap, so the mark's number counts too.
	const highest = latest<Whole>(ranges?.[0] ?? watermark ?? 0, mark?.sequence ?? 0)!;
	// A new value each time: rows that were read before a new doubt arose cannot settle it.
	offered.doubt = doubt !== 'settled' && doubt?.highest === highest ? { ...doubt } : { highest, mark };
}

const eachDigest = new RegExp(`.{${EARLIER_LENGTH}}`, 'g');

/**
 * Whether an event is new to a subscriber, and what its acknowledgement changes in the ledger. An identity decides: the
 * identifiers of the event, or its content where it has none. What is returned was added to `offered` already.
 */
export function judge(offered: Offered, event: TopicEvent, origin: Origin): Delta | undefined {
	const delta = judgeOf(event)(offered, event, origin);
	if (delta) offer(offered, delta);
	return delta;
}

const judgeOf = ({ order, state }: TopicEvent) => (order ? judgeUpdate : state ? judgeState : judgeEvent);

/** Adds a delta to what was offered, which is changed in place. */
export function offer(offered: Offered, delta: Delta): void {
	advanceAll(offered, delta);
	if (delta.isRenumbered) {
		offered.doubt = 'settled';
		for (const generation of offered.keys.generations.values()) generation.until = undefined;
		offered.keys.forgotten = undefined;
	}
	if (delta.isWhole) offered.isDeep = false;
}

function judgeUpdate(offered: Offered, event: TopicEvent, origin: Origin): Delta | undefined {
	const { orders, keys } = offered;
	const print = fingerprint(event.key);
	const isFollowed = findOrder(orders, event.order!.id) !== undefined;
	// An order that is not known may be a forgotten one, so the keys of its events are looked up. Those of a repeated
	// message are known, and so it does not return an order to a state of unknown rank.
	const isRepeat = !isFollowed || (!origin.isRead && cameBefore(offered, origin));
	if (isRepeat && isOffered(offered, event, print)) return undefined;
	if (!isFollowed && origin.isRead && isForgotten(offered, event)) return undefined;
	const order = judgeOrder(orders, event.order!, origin);
	if (!order) return undefined;
	const isRepeated = order.corrections !== undefined && order.corrections > 0 && hasPrint(keys, print);
	const key = isRepeated ? `${event.key}~${order.corrections}` : event.key;
	const prints = isRepeated ? fingerprint(key) : print;
	remember(offered, [prints], event.time);
	return { key, prints, place: event.time, order, time: event.time, position: undefined };
}

/** A record may return to a state it had before, which is then another event. */
function judgeState(offered: Offered, event: TopicEvent, origin: Origin): Delta | undefined {
	if (!origin.isRead && cameBefore(offered, origin)) return undefined;
	const state = judgeRecord(offered.states, event.state!, origin);
	if (!state) return undefined;
	const isRepeated = hasPrint(offered.keys, fingerprint(event.key));
	const key = isRepeated ? `${event.key}~${state[2]}` : event.key;
	const prints = fingerprint(key);
	remember(offered, [prints], event.time);
	return { key, prints, place: event.time, state, time: event.time, position: undefined };
}

function judgeEvent(offered: Offered, event: TopicEvent, origin: Origin): Delta | undefined {
	const { isRead } = origin;
	const print = fingerprint(event.key);
	const place = offered.isNumbered ? event.sequence : event.time;
	// What is history may have come either way.
	const shape = origin.isHistory ? undefined : event.shape;
	const shapes = shape === undefined ? undefined : shapesWith(offered.shapes, shape, isRead);
	if (shapes) offered.shapes = shapes;
	if (isOffered(offered, event, print)) return undefined;
	if ((isRead || cameBefore(offered, origin)) && isForgotten(offered, event)) return undefined;
	const prints = [print, ...(event.aliases ? aliasPrintsOf(event) : [])];
	if (event.alike && !origin.isHistory && !isOneShape(offered.shapes)) {
		const { isKnown, slots } = compareAlike(offered.keys, event, event.alike(event));
		if (isKnown) return void remember(offered, [...prints, ...slots], place);
		prints.push(...slots);
	}
	remember(offered, prints, place);
	const { key, sequence, time, item } = event;
	const joined = prints.length === 1 ? print : prints.join('');
	const delta: Delta = { key, prints: joined, place, time, shapes, position: undefined };
	if (sequence === undefined || !offered.isNumbered) return delta;
	return { ...delta, sequence, item, isRead, sharedAfter: sharedAfter(offered, sequence) };
}

/** A number that is known although its event is new belongs to several. Up to what is forgotten, events are old. */
function sharedAfter({ ranges, isShared, keys }: Offered, sequence: Whole): Whole | undefined {
	const from = keys.forgotten ?? NOTHING_KNOWN;
	return !isShared && ranges && sequence > from && isCovered(ranges, sequence) ? from : undefined;
}

function remember(offered: Offered, prints: readonly string[], place: Whole | undefined): void {
	if (addPrints(offered.keys, prints, place)) forgetPrints(offered.keys, settledPlace(offered), offered);
}

/** Whether an event was offered, as its identifiers tell. */
const isOffered = (offered: Offered, event: TopicEvent, print = fingerprint(event.key)): boolean =>
	hasEvent(offered.keys, event, print) || wasStored(offered, event);

const wasStored = ({ earlier }: Offered, { key, aliases = [] }: TopicEvent): boolean =>
	earlier !== undefined && [key, ...aliases].some((name) => earlier.has(digest(name).slice(0, EARLIER_LENGTH)));

/** Whether an event was offered that its identifier tells from all others and that does not change. */
export const isKnown = (offered: Offered, event: TopicEvent): boolean =>
	!event.isAnonymous && !event.order && isOffered(offered, event);

/** Whether a row of a list lies before the watermark, so that it holds nothing new. */
export const isSettled = ({ isDeep, watermark = 0 }: Offered, { time = Infinity }: TopicEvent): boolean =>
	!isDeep && time <= watermark;

/** Whether a message was replayed: everything on the stream up to a later position was offered before. */
const cameBefore = ({ position }: Offered, { position: at }: Origin): boolean =>
	position !== undefined && at !== undefined && sameEpoch(at.epoch, position.epoch) && at.seq <= position.seq;

/** Whether an event may have been delivered and its key forgotten: readings leave alone what stands where it does. */
function isForgotten(offered: Offered, event: TopicEvent): boolean {
	const { keys, ranges, watermark = -Infinity, isNumbered, isDeep } = offered;
	const { order, sequence, time } = event;
	// An open order may be new, and one that ended may have been open at the update known last (`isDeep`).
	if (order && (isDeep || !isFinal(order.status))) return false;
	const forgotten = keys.forgotten ?? -Infinity;
	if (isNumbered && sequence !== undefined)
		return ranges !== undefined && sequence <= forgotten && isCovered(ranges, sequence);
	if (time === undefined || isNumbered) return offered.isRead && !event.kind && keys.isUndatedForgotten === true;
	return time <= sooner<Whole>(watermark, forgotten);
}

/** Undefined if nothing new was learned. */
export function shapesWith(shapes: Shapes = {}, shape: string, isRead: boolean): Shapes | undefined {
	const side = isRead ? 'read' : 'live';
	return shapes[side] === shape ? undefined : { ...shapes, [side]: shape };
}

/** Whether stream and list carry the same identifiers, so that these alone tell events apart. */
const isOneShape = (shapes: Shapes | undefined): boolean => shapes?.live !== undefined && shapes.live === shapes.read;

/** Distinct contents for which the number of their events is at hand. */
const CONTENTS_MAX = 10_000;

/** Marks the events of one content that have an identifier, which are counted like those without one. */
const SLOT = '@';

/**
 * Compares an event with those that carry its identifier under another name, or none where it has one. The latter are
 * compared by content, and counted: of events that look alike as many are known as were delivered.
 */
function compareAlike(keys: KeyIndex, { key, isAnonymous }: TopicEvent, { link, content }: Likeness) {
	if (isAnonymous) return { isKnown: hasPrint(keys, fingerprint(SLOT + key)), slots: [] };
	const linked = link === undefined ? [] : [fingerprint(link)];
	if (linked.some((print) => hasPrint(keys, print))) return { isKnown: true, slots: [] };
	const { slots } = keys;
	for (let copy = slots.get(content) ?? 1; ; copy += 1) {
		const copyOf = copyKey(content, copy);
		const slot = fingerprint(SLOT + copyOf);
		if (!hasPrint(keys, slot)) return { isKnown: hasPrint(keys, fingerprint(copyOf)), slots: [...linked, slot] };
		// Of many events that look alike, the search for the next begins where the last one ended.
		if (slots.size >= CONTENTS_MAX) slots.clear();
		slots.set(content, copy + 1);
	}
}
