import { ExchangeError } from '../../errors';
import { seal, unseal, type Sealed } from '../../sealed';
import { later, plus, sooner, wholeOf, written } from '../../whole';
import { isItem } from '../../wire/payload';
import type { Consumer, StoredCheckpoint } from '../contract';
import { STORED_KEYS_MIN, STORED_UNDATED_KEYS_MAX } from '../limits';
import { positionOf } from '../position';
import type { OrderFacts } from '../topics/event';
import { isFirstReadDue, isWanted, sinceOf } from './cursor';
import { addKey, indicesThat, noKeys, placeIn, printAt, printIn, printText, PRINT_LENGTH, type Keys } from './keys';
import { NO_ENTRY, nothingKnown, type EventPlace, type KnownEvents } from './known';
import { endOf, type Entry, type Log, type Cursor } from './log';
import { ordersOf, storedOrders, type StoredOrder } from './orders';

/**
 * The version of the shape below. Nothing is read of a checkpoint of another version: the topic begins from now, and a
 * gap says so.
 */
export const CHECKPOINT_VERSION = 4;

/** What a host stores of one topic: a pure function of the log and of what the host acknowledged. */
interface StoredTopic {
	epoch?: string | number;
	seq?: number | string;
	/** Everything up to here was seen, except what the host has not acknowledged. */
	settled?: number | string;
	/** Fingerprints of what was acknowledged from there on, side by side. */
	keys: string;
	orders?: readonly StoredOrder[];
	/** Since when events are new, by the clock of the service: nothing was read yet. */
	unreadSince?: number;
	/** Since when changes are new, where lists have settled less: orders that were made before may change after it. */
	since?: number | string;
}

interface StoringPorts {
	keysMax: number;
	/** The time on the clock of the service when ours showed `at`. */
	serviceTime(at: number): number;
}

/** What a cursor knows when it falls behind: what its checkpoint would hold if keys were stored without a limit. */
export const knownTo = (cursor: Cursor, now: number, serviceTime: StoringPorts['serviceTime']): KnownEvents =>
	restore(storedOfLog(cursor, cursor.acknowledged, { keysMax: Infinity, serviceTime }), cursor.log, now).known;

/** Whether nothing was delivered yet, and no read has shown which events are old. */
const isUntold = ({ first, joined }: Cursor, acknowledged: number): boolean =>
	first?.read === 'awaited' && acknowledged === joined.offset;

/** The checkpoint of an offset, whenever it is asked for. Undefined where the log has dropped entries after it. */
function storedAt(cursor: Cursor, acknowledged: number, ports: StoringPorts): Sealed | undefined {
	const { log, first, catchingUp } = cursor;
	if (isUntold(cursor, acknowledged) || acknowledged < log.base) return undefined;
	// `catchingUp.known` includes what the cursor took since, so it fits this offset only as long as nothing more was taken.
	if (catchingUp)
		return cursor.offset === acknowledged
			? seal(storedOfCursor(cursor, catchingUp.known, ports), CHECKPOINT_VERSION)
			: undefined;
	if (log.isBook) return seal({ keys: '' }, CHECKPOINT_VERSION);
	const hasAll = acknowledged === endOf(log) && !first;
	if (hasAll && log.stored?.changes === log.changes) return log.stored.sealed;
	const sealed = seal(storedOfLog(cursor, acknowledged, ports), CHECKPOINT_VERSION);
	if (hasAll) log.stored = { changes: log.changes, sealed };
	return sealed;
}

/** The checkpoint of a cursor that catches up, from what that cursor knows itself. */
function storedOfCursor(cursor: Cursor, known: KnownEvents, { keysMax, serviceTime }: StoringPorts): StoredTopic {
	const { keys, stored = noKeys(), settled = -Infinity } = known;
	const most = mostKeys(known.settled === undefined && !known.isNumbered, keysMax);
	const isStored = (index: number): boolean =>
		(placeIn(keys, index) ?? Infinity) >= settled || index >= keys.size - STORED_KEYS_MIN;
	const latest = last(indicesThat(keys, isStored), most);
	const earlier = last(
		indicesThat(stored, () => true),
		most - latest.length,
	);
	return {
		...common(known, known.settled, cursor, serviceTime),
		keys: textOf(stored, earlier) + textOf(keys, latest),
		...ordersIn(known, new Map()),
	};
}

/** The checkpoint of an offset: what the log knows, without the entries behind it. */
function storedOfLog(cursor: Cursor, acknowledged: number, { keysMax, serviceTime }: StoringPorts): StoredTopic {
	const { log } = cursor;
	const { known } = log;
	const waiting = log.entries.slice(acknowledged - log.base).filter((entry) => isWanted(cursor, entry));
	const offsets = new Set(waiting.map(({ offset }) => offset));
	const { keys } = known;
	const begun = log.isFollowed ? known.settled : later(known.settled, sinceOf(cursor));
	let settled = waiting.reduce<EventPlace | undefined>(beforeEntry, begun);
	// The stream may replay what lists show no more, so the latest are stored in any case.
	const from = settled;
	const latest = keys.size - STORED_KEYS_MIN;
	const isStored = (index: number): boolean => {
		const offset = keys.offsets[index]!;
		if (offset === NO_ENTRY || offsets.has(offset)) return false;
		if (index >= latest || from === undefined) return true;
		// A key without a place is stored, too: what is not a number is before nothing.
		return !(keys.places[index]! < from);
	};
	const all = indicesThat(keys, isStored);
	const kept = last(all, mostKeys(placeIn(keys, all.at(-1) ?? 0) === undefined, keysMax));
	// A read may show more rows again than there are stored keys, so everything up to the dropped keys counts as settled.
	if (waiting.length === 0)
		for (const index of all.slice(0, all.length - kept.length)) settled = later(settled, placeIn(keys, index));
	const [next] = waiting;
	const position = next ? next.upTo : known.position;
	return {
		...common({ ...known, position }, settled, cursor, serviceTime),
		keys: textOf(keys, kept),
		...ordersIn(known, statesBefore(waiting)),
	};
}

/** How many keys are stored. A list whose events have no place shows all rows to every read, so it needs more. */
const mostKeys = (isUndated: boolean, keysMax: number): number =>
	isUndated && keysMax > 0 ? Math.max(keysMax, STORED_UNDATED_KEYS_MAX) : keysMax;

const last = <T>(all: readonly T[], most: number): readonly T[] => all.slice(Math.max(0, all.length - most));

const textOf = (keys: Keys, indices: readonly number[]): string =>
	indices.map((index) => printText(printIn(keys, index))).join('');

/** An entry that waits is read again after a restart. An order that was known is looked up, wherever it is in the list. */
function beforeEntry(settled: EventPlace | undefined, { place, before }: Entry): EventPlace | undefined {
	return place === undefined || before || settled === undefined ? settled : sooner(settled, plus(place, -1));
}

function statesBefore(waiting: readonly Entry[]): Map<string, OrderFacts | undefined> {
	const states = new Map<string, OrderFacts | undefined>();
	for (const { facts, before } of waiting)
		if (facts.order && !states.has(facts.order.id)) states.set(facts.order.id, before);
	return states;
}

function common(
	{ position }: KnownEvents,
	settled: EventPlace | undefined,
	cursor: Cursor,
	serviceTime: StoringPorts['serviceTime'],
) {
	const { first, joined, log, catchingUp } = cursor;
	// What a read has shown to be old is known to the log, and not to a first start that goes on here and still catches up.
	const unreadSince = first?.newSinceByService;
	const isFirst = isFirstReadDue(first) || (catchingUp && unreadSince !== undefined);
	const since = log.isFollowed && !isFirst ? sinceOf(cursor) : undefined;
	const stored: Omit<StoredTopic, 'keys'> = {};
	if (position) [stored.epoch, stored.seq] = [position.epoch, written(position.seq)];
	if (settled !== undefined && Math.abs(Number(settled)) !== Infinity) stored.settled = written(settled);
	if (isFirst) stored.unreadSince = unreadSince ?? serviceTime(joined.at);
	if (since !== undefined && since > (settled ?? -Infinity)) stored.since = written(since);
	return stored;
}

function ordersIn(
	{ orders }: KnownEvents,
	before: ReadonlyMap<string, OrderFacts | undefined>,
): Pick<StoredTopic, 'orders'> {
	const stored = storedOrders(orders, before);
	return stored.length > 0 ? { orders: stored } : {};
}

/** Whose topic, and up to where its host has acknowledged. */
export interface Acknowledged {
	topic: string;
	cursor: Cursor;
	offset: number;
}

/**
 * The checkpoint of what is acknowledged at this moment: what was sealed, and offsets. It is worked out when somebody
 * reads it, because hosts store far fewer than there are. If the log has dropped what a kept checkpoint needs, the
 * topic gets an earlier one, after which some events come again. `worked` gets what was worked out.
 */
export function checkpointOf(
	sealed: ReadonlyMap<string, Sealed>,
	offsets: readonly Acknowledged[],
	ports: StoringPorts & { address: string },
	worked: (topic: string, sealed: Sealed) => void,
): StoredCheckpoint {
	const before = new Map(sealed);
	let topics: Readonly<Record<string, Sealed>> | undefined;
	const work = (): Readonly<Record<string, Sealed>> => {
		for (const { topic, cursor, offset } of offsets) {
			const now = storedAt(cursor, offset, ports);
			if (!now) continue;
			before.set(topic, now);
			worked(topic, now);
		}
		return Object.fromEntries(before);
	};
	return {
		version: CHECKPOINT_VERSION,
		address: ports.address,
		get topics() {
			return (topics ??= work());
		},
	};
}

/**
 * Refuses a checkpoint of another subscription: it would be ignored, and what was missed would be lost in silence. One
 * topic more or less is still the same subscription. A key may be replaced, so only the address shows that the account
 * is another one.
 */
export function assertOwnCheckpoint({ topics, checkpoint, deliverMissed }: Consumer, address: string): void {
	if (deliverMissed === false || checkpoint?.version !== CHECKPOINT_VERSION || !isItem(checkpoint.topics)) return;
	const stored = Object.keys(checkpoint.topics);
	const isOfOthers = stored.length > 0 && !stored.some((topic) => topics.includes(topic));
	const { address: before = address } = checkpoint;
	if (!isOfOthers && before === address) return;
	throw new ExchangeError('invalid_input', {
		operation: 'Stream',
		field: 'checkpoint',
		what: isOfOthers
			? `${nameOf(checkpoint)} is of ${stored.join(', ').slice(0, 200)}, and none of these is subscribed here`
			: `${nameOf(checkpoint)} is of the account at ${String(before).slice(0, 200)}, and this one is at ${address}`,
		advice: 'Pass the one that this subscription stored, or none to begin from now; nothing was sent',
	});
}

/** A checkpoint that was kept in a file is called by the name of its file. */
const nameOf = (checkpoint: unknown): string =>
	['The checkpoint', isItem(checkpoint) && checkpoint.file].filter(Boolean).join(' ');

/** A topic as an earlier run left it. */
export interface RestoredTopic {
	known: KnownEvents;
	newSinceByService?: number;
	newSinceByList?: EventPlace;
}

/** What was stored of the topics: a value, or that it cannot be read. */
export type StoredTopics = ReadonlyMap<string, { value: StoredTopic } | 'lost'>;

/**
 * Opens a checkpoint. Only an absent one is a first start. Nothing is read of a checkpoint of another version, not even
 * which topics it has.
 *
 * @throws `invalid_input` for anything else than a checkpoint, or one that was changed or torn.
 */
export function openCheckpoint(checkpoint: unknown, topics: readonly string[]): StoredTopics {
	if (checkpoint === undefined) return new Map();
	if (!isItem(checkpoint) || wholeOf(checkpoint.version) === undefined) throw damaged(checkpoint);
	if (checkpoint.version !== CHECKPOINT_VERSION) return new Map(topics.map((topic) => [topic, 'lost']));
	if (!isItem(checkpoint.topics)) throw damaged(checkpoint);
	return new Map(Object.entries(checkpoint.topics).map(([topic, sealed]) => [topic, openTopic(checkpoint, sealed)]));
}

function openTopic(checkpoint: unknown, sealed: unknown): { value: StoredTopic } | 'lost' {
	const stored = unseal(sealed, CHECKPOINT_VERSION);
	if (stored.is === 'sound') return { value: stored.value as StoredTopic };
	if (stored.is === 'other_version') return 'lost';
	throw damaged(checkpoint);
}

const damaged = (checkpoint: unknown): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: 'Stream',
		field: 'checkpoint',
		what: `${nameOf(checkpoint)} is damaged: it is not what the stream handed out`,
		advice:
			'Pass the one stored before it, or leave it out to begin from now; what happened meanwhile is then not delivered',
	});

export function restore(value: unknown, log: Log, now: number): RestoredTopic {
	const { settled, keys, orders = [], unreadSince, since, ...position } = value as StoredTopic;
	const { isNumbered, hasList } = log.known;
	const stored = noKeys();
	for (let at = 0; at < keys.length; at += PRINT_LENGTH) addKey(stored, printAt(keys, at));
	const place = writtenPlace(settled);
	const known: KnownEvents = {
		...nothingKnown({ isNumbered, hasList }),
		stored,
		hasAliases: true,
		settled: place,
		forgotten: place,
		orders: ordersOf(orders, now),
		position: positionOf(position),
	};
	return { known, newSinceByService: unreadSince, newSinceByList: writtenPlace(since) };
}

const writtenPlace = (place: number | string | undefined): EventPlace | undefined =>
	typeof place === 'number' ? place : wholeOf(place);
