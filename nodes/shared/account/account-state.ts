import type { Account, AccountLimits } from '@partner-exchange/core';
import { applyLimits, createAccountStates, readLimits, type AccountState } from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { CREDENTIAL } from '../host/credential';

const stateOf = createAccountStates(hostClock);

/**
 * What all nodes that use an account share. It belongs to the credential rather than the API key, because a key is often
 * rotated just when the outcome of an order is unknown.
 */
export const sharedOf = (node: INode, { baseUrl, apiKey }: Account): AccountState =>
	stateOf(JSON.stringify([baseUrl, node.credentials?.[CREDENTIAL]?.id ?? apiKey]));

/**
 * Applies the limits of the credential to the account. Throws on an unreadable limit, because ignoring it would mean no
 * limit.
 */
export const applyLimitsIn = (credential: ICredentialDataDecryptedObject, limits: AccountLimits): void =>
	applyLimits(limits, readLimits(credential));
