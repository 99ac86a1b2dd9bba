/** What is stored between two runs, with the version of its shape and a checksum. Pure. */
import { hash } from 'node:crypto';
import { jsonIn } from './wire/json';
import { isItem } from './wire/payload';

/** Plain JSON. */
export interface Sealed {
	/** Version of the shape of the value. */
	version: number;
	/** Checksum of the version and the value, whatever order a store gave their fields. */
	checksum: string;
	value: unknown;
}

/** What a store held: nothing yet, a value, one of another version of this package, or one that was changed or torn. */
export type Unsealed = { is: 'absent' } | { is: 'sound'; value: unknown } | { is: 'other_version' } | { is: 'damaged' };

/**
 * What a host passes in place of a checkpoint or a state that it stored and cannot read. The reader then begins from
 * now, and says so.
 */
export const LOST = { version: 0 } as const;

export const isLost = (stored: unknown): stored is typeof LOST => stored === LOST;

export const seal = (value: unknown, version: number): Sealed => ({
	version,
	checksum: checksumOf(value, version),
	value,
});

/** Takes the sealed value, or its JSON text. Only what was never stored is absent: an empty text or record is damaged. */
export function unseal(stored: unknown, version: number): Unsealed {
	if (stored === undefined || stored === null) return { is: 'absent' };
	const sealed = typeof stored === 'string' ? jsonIn(stored) : stored;
	if (!isItem(sealed) || sealed.checksum !== checksumOf(sealed.value, sealed.version)) return { is: 'damaged' };
	return sealed.version === version ? { is: 'sound', value: sealed.value } : { is: 'other_version' };
}

const checksumOf = (value: unknown, version: unknown): string =>
	hash('sha256', JSON.stringify([version, value], sortedFields), 'base64url').slice(0, 16);

/** For `JSON.stringify`: the order of fields makes no difference. */
export const sortedFields = (_: string, inner: unknown): unknown =>
	isItem(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
