/** Authentication and authorisation. (Interface, part 5.) */
import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../engine/refusal';
import type { AccountView, Key, KeyAccess, StateView } from '../engine/state';
import type { DeepReadonly } from '../engine/read-only';

export interface Caller {
	key: DeepReadonly<Key>;
	account: AccountView;
}

const KEY_CHARACTERS_MAX = 256;
const digests = new Map<string, Buffer>();
const DIGESTS_KEPT_MAX = 1_000;

function digestOf(key: string): Buffer {
	let digest = digests.get(key);
	if (!digest) {
		if (digests.size >= DIGESTS_KEPT_MAX) digests.clear();
		digests.set(key, (digest = hash('sha256', key, 'buffer')));
	}
	return digest;
}

/** Compares with every key in constant time, so that timing reveals neither position nor length of a match. */
function findKey(state: StateView, text: string): DeepReadonly<Key> | undefined {
	const wanted = hash('sha256', text, 'buffer');
	let match: DeepReadonly<Key> | undefined;
	for (const key of state.keys.values()) if (timingSafeEqual(digestOf(key.key), wanted)) match = key;
	return match;
}

export type KeyEnvironment = Key['environment'];

/** Missing, unknown and inactive keys, and those of the other environment, get the same answer. */
export function identify(state: StateView, text: string | undefined, environment: KeyEnvironment): Caller {
	const key = text && text.length <= KEY_CHARACTERS_MAX ? findKey(state, text) : undefined;
	const account = key && state.accounts.get(key.accountId);
	if (!account || !key.active || key.environment !== environment) {
		throw new Refusal(
			'unauthorized',
			'invalid_api_key',
			'The API key is missing, invalid, inactive or for another environment.',
		);
	}
	return { key, account };
}

export function authorize({ key, account }: Caller, access: KeyAccess): void {
	if (account.kyb !== 'approved')
		throw new Refusal(
			'forbidden',
			'account_not_ready',
			'The account is not ready: its business verification is not complete.',
		);
	if (!key.access.includes(access))
		throw new Refusal('forbidden', 'not_permitted', 'The API key is not enabled for this operation.');
}
