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

/** Accounts whose orders are remembered at once; the one not used for longest is forgotten first. */
const ACCOUNTS_MAX = 100;

/** What this process knows of one account, whichever node uses it. */
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
 * Applies the limits of the credential to the account. Throws where one cannot be read, because it would limit nothing.
 */
export const applyLimitsIn = (credential: ICredentialDataDecryptedObject, limits: AccountLimits): void =>
	applyLimits(limits, readLimits(credential));
