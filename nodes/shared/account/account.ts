import type { Account } from '@partner-exchange/core';
import { accountOf } from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { CREDENTIAL } from '../host/credential';

const labels = { allowDifferentHosts: 'Allow Different Hosts', names: 'Wire Names' };

/** The account of a credential. The client checks it on use. */
export const accountIn = (credential: ICredentialDataDecryptedObject): Account =>
	accountOf({ environment: 'sandbox', ...credential }, labels);

/** Tags the positions a trigger stores. The API key is not part of the tag: rotating the key keeps the positions. */
export const ownerOf = (host: { getNode(): INode }, { baseUrl }: Account): string =>
	`${host.getNode().credentials?.[CREDENTIAL]?.id ?? ''}@${baseUrl}`;
