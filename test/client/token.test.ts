import { ExchangeError } from '@partner-exchange/core';
import { nodePorts, openAccount } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';

const KEYS = ['a+b/c=d&e', 'q?x#y%20z', '"quoted"\\back', 'plain-key'];

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ keys: KEYS.map((key) => ({ key })) });
});
afterAll(async () => await sandbox.close());

/** Subscribes to a private topic, which succeeds only if the service received exactly this key. */
async function subscribe(apiKey: string, wsUrl = sandbox.wsUrl): Promise<void> {
	const { stream, close } = openAccount(
		{ environment: 'sandbox', baseUrl: sandbox.baseUrl, wsUrl, apiKey },
		nodePorts(),
	);
	try {
		await stream.subscribe({ topics: ['user.orders'], deliver: async () => undefined }).ready;
	} finally {
		await close();
	}
}

describe('the key in the address of the stream', () => {
	it.each(KEYS)("sends the key in the stream's address as %j, encoded once (checklist 100)", async (key) => {
		await expect(subscribe(key)).resolves.toBeUndefined();
	});

	it('refuses a key with impossible characters before any connection (checklist 100)', async () => {
		await expect(subscribe('schlüssel')).rejects.toMatchObject({ code: 'invalid_account', field: 'apiKey' });
	});

	it.each(['/', '//', ' \n'])('accepts a stream address that ends in %j (checklist 101)', async (ending) => {
		await expect(subscribe('plain-key', sandbox.wsUrl + ending)).resolves.toBeUndefined();
	});

	it.each(['?a=1', '?token=other', '#part'])(
		'adds no key to a stream address that ends in %s (checklist 101)',
		async (ending) => {
			const refusal = subscribe('plain-key', sandbox.wsUrl + ending);
			await expect(refusal).rejects.toBeInstanceOf(ExchangeError);
			await expect(refusal).rejects.toMatchObject({ code: 'invalid_account', field: 'wsUrl' });
		},
	);

	it('shows no key in the error when the service refuses it (checklist 99)', async () => {
		const error = (await subscribe('canary-key+/=').catch((reason: unknown) => reason)) as ExchangeError;
		expect(error).toMatchObject({ code: 'unauthorized' });
		expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('canary');
	});
});
