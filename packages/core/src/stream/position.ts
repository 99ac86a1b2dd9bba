import type { Account } from '../account';
import { resume } from '../catalogue';
import { isItem, type Item } from '../wire/payload';

export type Epoch = string | number;

/** Where a topic stands: the epoch of the service and the last number seen in it. */
export interface Position {
	epoch: Epoch;
	seq: number;
}

/**
 * The field that asks for what was missed. The interface names it `resume` and does not show its shape: this is the one
 * place that decides it. The name may be set per account as `stream.resume`; an empty name sends none.
 */
export function resumeField(positions: ReadonlyMap<string, Position>, account: Pick<Account, 'names'>): Item {
	const name = account.names?.[resume.input] ?? resume.name;
	if (name === '' || positions.size === 0) return {};
	return { [name]: Object.fromEntries([...positions].map(([topic, { epoch, seq }]) => [topic, { epoch, seq }])) };
}

/** The positions a confirmation carries, if it carries any, by topic. */
export function positionsIn(message: Item): Record<string, Position> {
	// A topic may have any name, that of a prototype too.
	const found = Object.create(null) as Record<string, Position>;
	for (const name of ['positions', 'resume', 'topics', 'streams']) {
		const value = message[name];
		for (const [topic, entry] of named(value)) {
			const position = positionOf(entry);
			if (typeof topic === 'string' && position) found[topic] = position;
		}
	}
	return found;
}

/** By name, or a list of records that name their topic. */
function named(value: unknown): [topic: unknown, entry: unknown][] {
	if (Array.isArray(value)) return value.map((entry: unknown) => [isItem(entry) ? entry.topic : undefined, entry]);
	return isItem(value) ? Object.entries(value) : [];
}

export function positionOf(value: unknown): Position | undefined {
	if (!isItem(value)) return undefined;
	const epoch = readEpoch(value.epoch);
	const seq = readSeq(value.seq);
	return epoch === null || seq === null ? undefined : { epoch, seq };
}

const EPOCH_LENGTH_MAX = 200;

/** Numbers and texts are both accepted, and compared as text: whether an epoch has an order is not said. */
export const readEpoch = (value: unknown): Epoch | null =>
	(typeof value === 'string' && value !== '' && value.length <= EPOCH_LENGTH_MAX) ||
	(typeof value === 'number' && Number.isFinite(value))
		? value
		: null;

export const sameEpoch = (a: Epoch, b: Epoch): boolean => a === b || String(a) === String(b);

/** Whole and exact, perhaps written as text; anything else is no number to rely on. */
function readSeq(value: unknown): number | null {
	const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/**
 * The oldest position of the present epoch, for resuming earlier than needed costs repeats and later costs events. Where
 * no epoch is known yet, the first that anybody knows is as good as any.
 */
export function oldestPosition(
	present: Position | undefined,
	others: readonly (Position | undefined)[],
): Position | undefined {
	const known = others.filter((position) => position !== undefined);
	const first = present ?? known[0];
	return known.reduce(
		(least, other) => (least && sameEpoch(least.epoch, other.epoch) && other.seq < least.seq ? other : least),
		first,
	);
}

/** How a message follows the one before it. */
export type Step = 'next' | 'old' | 'gap' | 'epoch' | 'unusable';
