import {
	createAccountLimits,
	createInFlightIntents,
	type Account,
	type AccountLimits,
	type InFlightIntents,
} from '@partner-exchange/core';
import { applyLimits, createPageLengths, readLimits, type PageLengths } from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { CREDENTIAL } from './account';
import { hostClock } from './clock';

/** Most accounts kept in memory at once; the least recently used one is dropped first, and its limits count anew. */
const ACCOUNTS_MAX = 1_000;

/** State of one account in this process, shared by all nodes that use the account. */
export interface AccountState {
	inFlight: InFlightIntents;
	limits: AccountLimits;
	pageLengths: PageLengths;
}

const states = new Map<string, AccountState>();

/**
 * Keyed by the credential rather than the API key, because a key is often rotated just when the outcome of an order is
 * unknown.
 */
export function sharedOf(node: INode, { baseUrl, apiKey }: Account): AccountState {
	const name = JSON.stringify([baseUrl, node.credentials?.[CREDENTIAL]?.id ?? apiKey]);
	const state = states.get(name) ?? {
		inFlight: createInFlightIntents(),
		limits: createAccountLimits(hostClock),
		pageLengths: createPageLengths(),
	};
	states.delete(name);
	states.set(name, state);
	const [oldest] = states.keys();
	if (states.size > ACCOUNTS_MAX && oldest !== undefined) states.delete(oldest);
	return state;
}

/**
 * Applies the limits of the credential to the account. Throws on an unreadable limit, because ignoring it would mean no
 * limit.
 */
export const applyLimitsIn = (credential: ICredentialDataDecryptedObject, limits: AccountLimits): void =>
	applyLimits(limits, readLimits(credential));
