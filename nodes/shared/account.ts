import { ExchangeError, type Account } from '@partner-exchange/core';
import type { Environment } from '@partner-exchange/core/catalogue';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { addressesIn } from './environment';
import { switchOf } from './strict';

export const CREDENTIAL = 'partnerExchangeApi';

/** Converts the credential to an account of the core. The client validates it on use. */
export function accountIn(credential: ICredentialDataDecryptedObject): Account {
	const environment = textIn(credential.environment, 'sandbox') as Environment;
	return {
		environment,
		...addressesIn(environment, { baseUrl: textIn(credential.baseUrl), wsUrl: textIn(credential.wsUrl) }),
		apiKey: textIn(credential.apiKey),
		controlToken: textIn(credential.controlToken),
		allowDifferentHosts: switchOf(
			'allowDifferentHosts',
			'Allow Different Hosts',
			credential.allowDifferentHosts ?? false,
			'invalid_account',
		),
		testHosts: textIn(credential.testHosts),
		names: namesIn(credential.names),
	};
}

/** Tags the positions a trigger stores. The API key is not part of the tag: rotating the key keeps the positions. */
export const ownerOf = (host: { getNode(): INode }, { baseUrl }: Account): string =>
	`${host.getNode().credentials?.[CREDENTIAL]?.id ?? ''}@${baseUrl}`;

const textIn = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise);

function namesIn(given: unknown): Record<string, string> {
	if (given === undefined || given === null || given === '') return {};
	const names = typeof given === 'string' ? parse(given) : given;
	if (typeof names === 'object' && names !== null && Object.values(names).every((name) => typeof name === 'string')) {
		return names as Record<string, string>;
	}
	throw new ExchangeError('invalid_account', {
		field: 'names',
		what: 'Names on the Wire is not a JSON object of texts',
		advice: 'Write it as { "order.list.limit": "page_size" } or leave it empty',
	});
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
