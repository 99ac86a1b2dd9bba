/** Authentication and authorisation. (Interface, part 5.) */
import { Refusal } from '../engine/refusal';
import type { AccountView, Key, KeyAccess, StateView } from '../engine/state';
import type { DeepReadonly } from '../engine/read-only';

export interface Caller {
	key: DeepReadonly<Key>;
	account: AccountView;
}

const KEY_CHARACTERS_MAX = 256;

export type KeyEnvironment = Key['environment'];

/**
 * Missing, unknown and inactive keys, and those of the other environment, get the same answer. The keys of a sandbox are
 * public and worth nothing, so they are not compared in constant time.
 */
export function identify(state: StateView, text: string | undefined, environment: KeyEnvironment): Caller {
	const key = text && text.length <= KEY_CHARACTERS_MAX ? state.keys.get(text) : undefined;
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
