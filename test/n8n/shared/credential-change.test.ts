import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { connect, type Host } from '../../../nodes/shared/account/connection';

const stored: ICredentialDataDecryptedObject = {
	...{ environment: 'sandbox', apiKey: 'first-key' },
	...{ baseUrl: 'http://127.0.0.1:4010/v1', wsUrl: 'ws://127.0.0.1:4010/v1/ws' },
	advanced: { controlToken: { controlToken: 'a-token' }, names: { names: '{ "order.list.limit": "page_size" }' } },
};

/** A node whose credential n8n reads again each time. */
function hostWith(credentials: ICredentialDataDecryptedObject[]): Host {
	return {
		getCredentials: async () => await Promise.resolve(credentials.length > 1 ? credentials.shift()! : credentials[0]!),
		getNode: () => ({ name: 'Fills', credentials: { partnerExchangeApi: { id: '1', name: 'x' } } }),
		logger: { warn: () => undefined },
		helpers: { httpRequest: async () => await Promise.reject(new Error('no request is expected')) },
	} as unknown as Host;
}

describe('the credential of a running trigger, which is read again', () => {
	it('takes a credential as unchanged where nobody changed it, also with added fields', async () => {
		const { isOutdated } = await connect(hostWith([stored]));
		expect(await isOutdated()).toBe(false);
	});

	it.each([
		['key', { apiKey: 'second-key' }],
		['address', { wsUrl: 'ws://127.0.0.1:4011/v1/ws' }],
		['field that is added', { advanced: { controlToken: { controlToken: 'another' } } }],
	])('takes a credential as changed by another %s', async (_what, change) => {
		const { isOutdated } = await connect(hostWith([stored, { ...stored, ...change }]));
		expect(await isOutdated()).toBe(true);
	});
});
