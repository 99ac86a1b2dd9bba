import { hash } from 'node:crypto';
import { finality, type NoticeId } from '../../catalogue';
import { isDecimal, withoutZeros } from '../../decimal';
import { sortedFields } from '../../sealed';
import { wholeOf, type Whole } from '../../whole';
import { instantOf, isItem, type Item } from '../../wire/payload';
import { recordNames } from '../../wire/records';
import { PAYLOAD_DEPTH_MAX } from '../limits';
import type { Position } from '../position';

/** A message of a topic, as far as its events depend on it. */
export interface TopicMessage {
	/** The exact topic. */
	topic: string;
	position?: Position;
	ts: string | null;
	data: unknown;
}

/** One business event, from the stream or from a list, with the facts that recognise, order and filter it. */
export interface TopicEvent {
	/** Identical for every copy of one event, whichever way it arrives. */
	key: string;
	data: unknown;
	/** Set for a notice, which is no event of the service. */
	kind?: NoticeId;
	/** Keys that copies of this event have if they carry other identifiers. */
	aliases?: readonly string[];
	/** The key of a fill without its order, which a copy has that names none. */
	orderless?: string;
	/** Set for updates of orders that can be followed. */
	order?: OrderFacts;
	/** Set for fills that name their order. */
	fill?: { orderId: string; quantity: string };
	/** The number the payload carries, which is not the number of the message. */
	sequence?: Whole;
	/** Milliseconds of creation, if the payload carries them and no sequence orders it. */
	time?: number;
	/** The record the event reports, where the shape of the payload is known. */
	item?: Item;
	/** The payload has no identifier, so events of equal content are counted to tell them apart. */
	isAnonymous?: true;
	/** The names of its identifiers, and whether it names its order. Stream and list may differ in both. */
	shape?: string;
	/**
	 * The key it would have without an identifier, by which a copy that has none is found. The same function for all events:
	 * V8 keeps a closure made for each for long, and with it all that it holds.
	 */
	contentOf?(event: TopicEvent): string;
}

export interface OrderFacts {
	id: string;
	/** The identifier as the service wrote it, where that is another text. */
	written?: string;
	status: string;
	/** The filled quantity as decimal text without trailing zeros; undefined if the update does not carry it. */
	filled?: string;
	replacedBy?: string;
	/** Milliseconds of the last change, if the update carries it. */
	updatedAt?: number;
	/** Price and quantity as `<price>x<quantity>`. An amendment in place changes them. */
	terms?: string;
	/** How often the service corrected a state it had reported before. */
	corrections?: number;
}

const wrappers = ['data', 'payload', 'item', 'items', 'record', 'records', 'result', 'results'];

/**
 * The records of a payload. The interface does not show its shape: a record may be the payload itself, have a name in
 * it, or be in a list of either. (Interface, part 6.) An object that `isRecord` recognises is not searched for further
 * records.
 */
export function recordsIn(
	data: unknown,
	names: readonly string[],
	isRecord: (item: Item) => boolean,
	depth = PAYLOAD_DEPTH_MAX,
): Item[] {
	if (depth > 0 && isItem(data) && isRecord(data)) return [data];
	return depth === 0 ? [] : recordsWithin(data, names, isRecord, depth - 1);
}

function recordsWithin(
	data: unknown,
	names: readonly string[],
	isRecord: (item: Item) => boolean,
	depth: number,
): Item[] {
	if (Array.isArray(data)) return data.flatMap((entry) => recordsIn(entry, names, isRecord, depth));
	if (!isItem(data)) return [];
	const inner = [...names, ...wrappers].find((name) => isObject(data[name]));
	return inner === undefined ? [data] : recordsIn(data[inner], names, isRecord, depth);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Milliseconds since 1970, from text or number, under any of the names records use for their creation. */
export const timeOf = (item: Item): number | undefined => instantOf(saidTime(item));

/** The creation time as it is written. */
const saidTime = (item: Item): string | number | undefined => {
	for (const name of recordNames.fill.created_at) {
		const value = item[name];
		if ((typeof value === 'string' && value !== '') || typeof value === 'number') return value;
	}
	return undefined;
};

/** The number a payload carries, which is not the number of the message. */
export const sequenceOf = (data: unknown): Whole | undefined => (isItem(data) ? wholeOf(data.sequence) : undefined);

const UUID_LENGTH = 36;

/** An identifier in keys. Some databases write a UUID in capitals; in any other one they tell two apart. */
export const idIn = (identifier: string): string =>
	identifier.length === UUID_LENGTH ? identifier.toLowerCase() : identifier;

/** `1.50` and `1.5` are one amount. */
export const plainDecimal = (text: string | undefined): string | undefined =>
	isDecimal(text) ? withoutZeros(text) : undefined;

export const isFinal = (status: string): boolean => finality(status) === 'final';

/** A short hash of content, independent of the order of its fields. */
export function digest(value: unknown): string {
	const text = typeof value === 'string' ? value : canonical(value);
	return hash('sha256', text, 'base64url').slice(0, 16);
}

function canonical(value: unknown): string {
	try {
		return JSON.stringify(value, sortedFields) ?? 'undefined';
	} catch {
		// Nested too deeply for JSON.stringify.
		return 'too deep';
	}
}
