import type { Account } from '../account';
import { resume } from '../catalogue';
import { wholeOf, written, type Whole } from '../whole';
import { isItem, type Item } from '../wire/payload';
import { EPOCH_LENGTH_MAX } from './limits';

export type Epoch = string | number;

/** The position of a topic: an epoch and the latest sequence number seen in it. */
export interface Position {
	epoch: Epoch;
	seq: Whole;
}

/**
 * The field of a subscription that asks for a replay. The interface names it `resume` and does not show its shape, so
 * this function alone decides it. (Interface, part 6.) An account may rename it as `stream.resume`, and omit it by an
 * empty name.
 */
export function resumeField(positions: ReadonlyMap<string, Position>, account: Pick<Account, 'names'>): Item {
	const name = account.names?.[resume.input] ?? resume.name;
	if (name === '' || positions.size === 0) return {};
	return {
		[name]: Object.fromEntries([...positions].map(([topic, { epoch, seq }]) => [topic, { epoch, seq: written(seq) }])),
	};
}

/** The positions in a confirmation, by topic, if it carries any. Several shapes are read, because none is shown. */
export function positionsIn(message: Item): Record<string, Position> {
	// The service chooses these names, so `__proto__` and `constructor` must be ordinary keys.
	const positions = Object.create(null) as Record<string, Position>;
	for (const name of ['positions', 'resume', 'topics', 'streams']) {
		const value = message[name];
		for (const [topic, entry] of named(value)) {
			const position = positionOf(entry);
			if (typeof topic === 'string' && position) positions[topic] = position;
		}
	}
	return positions;
}

/** Reads an object by topic, or a list of records that name their topic. */
function named(value: unknown): [topic: unknown, entry: unknown][] {
	if (Array.isArray(value)) return value.map((entry: unknown) => [isItem(entry) ? entry.topic : undefined, entry]);
	return isItem(value) ? Object.entries(value) : [];
}

export function positionOf(value: unknown): Position | undefined {
	if (!isItem(value)) return undefined;
	const epoch = readEpoch(value.epoch);
	// A number may be of any length, and be text. A negative one is unusable.
	const seq = wholeOf(value.seq);
	return epoch === null || seq === undefined || seq < 0 ? undefined : { epoch, seq };
}

/** Accepts numbers and strings, compared as text: the interface does not say whether epochs have an order. */
export const readEpoch = (value: unknown): Epoch | null =>
	(typeof value === 'string' && value !== '' && value.length <= EPOCH_LENGTH_MAX) ||
	(typeof value === 'number' && Number.isFinite(value))
		? value
		: null;

export const sameEpoch = (a: Epoch, b: Epoch): boolean => a === b || String(a) === String(b);

/** Whether a position is not behind another one of the same epoch. */
export const isUpTo = (at: Position | undefined, other: Position | undefined): boolean =>
	at !== undefined && other !== undefined && sameEpoch(at.epoch, other.epoch) && at.seq <= other.seq;

/**
 * The oldest position in the present epoch: resuming too early costs only repeats, resuming too late loses events. If
 * no epoch is known yet, the epoch of the first known position is taken.
 */
export function oldestPosition(
	current: Position | undefined,
	others: readonly (Position | undefined)[],
): Position | undefined {
	const positions = others.filter((position) => position !== undefined);
	const first = current ?? positions[0];
	return positions.reduce(
		(least, other) => (least && sameEpoch(least.epoch, other.epoch) && other.seq < least.seq ? other : least),
		first,
	);
}

/** How a message follows the one before it. */
export type Step = 'next' | 'old' | 'gap' | 'epoch' | 'unusable';
