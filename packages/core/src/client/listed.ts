import { pickers, type Operation, type OperationId, type PickerId } from '../catalogue';
import { ExchangeError, isExchangeError } from '../errors';
import type { Accepted } from '../wire/request';
import { firstOf, isOneSpelling, itemsIn, type Item } from '../wire/payload';
import type { Clock } from '../ports';
import type { Read } from '../context';

/** Lists that are complete, so a value missing from one is a mistake. `usual` is the pattern of their values. */
const closed: Partial<Record<PickerId, { noun: string; usual: RegExp; at: string }>> = {
	pair: { noun: 'pair', usual: /^[A-Z0-9]+\/[A-Z0-9]+$/, at: 'markets' },
	currency: { noun: 'wallet currency', usual: /^[A-Z]{3}$/, at: 'currencies' },
};

/** Values listed in a refusal. */
const NAMED_MAX = 10;

/** Reads the list of an operation, possibly from the cache. */
type ReadList = (id: OperationId) => Promise<unknown>;

/** A value to look up, and the operation and field it was given for. */
interface PickedValue {
	operation: string;
	field: string;
	picker: PickerId;
	value: string;
}

/** Whether all values are in the spelling of the service, so that no list has to be read. */
export const isAsListed = (operation: Operation, accepted: Accepted): boolean =>
	givenIn(operation, accepted).every(isUsual);

/** Replaces `usd-ngn` and `USDNGN` by the pair the service lists, when exactly one matches. */
export async function asListed(operation: Operation, accepted: Accepted, read: ReadList): Promise<Accepted> {
	const odd = givenIn(operation, accepted).filter((picked) => !isUsual(picked));
	const values = await Promise.all(odd.map(async (picked) => [picked.field, await listedValue(picked, read)] as const));
	return { ...accepted, ...Object.fromEntries(values) };
}

/**
 * Filtering by an unknown value would return an empty list, which looks like a valid answer, so the value is refused.
 */
export async function refuseUnlisted(operation: Operation, accepted: Accepted, read: ReadList): Promise<void> {
	for (const picked of givenIn(operation, accepted)) await listedValue(picked, read);
}

function givenIn({ label, input }: Operation, accepted: Readonly<Record<string, unknown>>): PickedValue[] {
	const picked: PickedValue[] = [];
	for (const field of Object.keys(accepted)) {
		const picker = input[field]?.pick;
		if (picker && closed[picker]) picked.push({ operation: label, field, picker, value: String(accepted[field]) });
	}
	return picked;
}

const isUsual = ({ picker, value }: PickedValue): boolean => closed[picker]!.usual.test(value);

/**
 * The value in the spelling of the service. A list that is empty or cannot be read proves nothing, so the value is
 * accepted.
 */
export async function listedValue(picked: PickedValue, read: ReadList): Promise<string> {
	const { picker } = picked;
	const value = picked.value.trim();
	const rows = await read(pickers[picker].operation as OperationId).then(
		(data) => itemsIn(data, closed[picker]?.at ?? picker),
		(error: unknown) => {
			if (!isExchangeError(error)) throw error;
			return [];
		},
	);
	const values = [...new Set(rows.flatMap((row) => firstOf(row, pickers[picker].value) ?? []))];
	if (values.length === 0) return usually(picker, value);
	if (values.includes(value)) return value;
	const [only, ...more] = values.filter((each) => isOneSpelling(value, each));
	if (only !== undefined && more.length === 0) return only;
	throw notListed(picked, rows);
}

/** The usual spelling: upper case, with an existing separator replaced by a slash. */
const usually = (picker: PickerId, value: string): string => {
	const text = value.toUpperCase();
	return picker === 'pair' ? text.replace(/^([A-Z0-9]+)[\s_:-]([A-Z0-9]+)$/, '$1/$2') : text;
};

export function notListed({ operation, field, picker, value }: PickedValue, rows: readonly Item[]): ExchangeError {
	const offered = rows.slice(0, NAMED_MAX).map((row) => firstOf(row, pickers[picker].value));
	return new ExchangeError('invalid_input', {
		operation,
		field,
		what: `There is no ${closed[picker]?.noun ?? picker} ${value}`,
		advice: `The service offers ${offered.join(', ')}; nothing was sent`,
		details: { rule: field, [field]: value },
	});
}

/** How long a list that seldom changes is reused. */
const KEPT_MS = 60_000;

/**
 * Caches lists that take no input for a short time. Failures are not cached. Concurrent callers share one read, so no
 * caller can abort it.
 */
export function cachedLists(clock: Clock, read: Read): (id: OperationId) => Promise<unknown> {
	const lists = new Map<OperationId, { list: Promise<unknown>; until: number }>();
	return (id) => {
		const cached = lists.get(id);
		if (cached && clock.elapsed() < cached.until) return cached.list;
		const list = read(id, {});
		lists.set(id, { list, until: clock.elapsed() + KEPT_MS });
		list.catch(() => lists.delete(id));
		return list;
	};
}
