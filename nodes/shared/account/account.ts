import type { Account } from '@partner-exchange/core';
import { accountOf } from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

const labels = { allowDifferentHosts: 'Allow Different Hosts', names: 'Wire Names' };

/** The account of a credential. The client checks it on use. */
export const accountIn = (credential: ICredentialDataDecryptedObject): Account =>
	accountOf({ environment: 'sandbox', ...credential }, labels);
