import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ICredentialType, IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { n8nHelpers } from '../transport/adapters';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { accountIn } from '../../nodes/shared/account/connection';
import { listSearch } from '../../nodes/shared/form/pickers';
import { pollOnce, startTrigger } from '../support/engine-trigger';
import { answer, credentialFor, limitOrder, run } from './exchange';

interface ReceivedRequest {
	uri: string;
	method: IHttpRequestMethods;
	headers: Record<string, string>;
	followRedirect: boolean;
}

let sandbox: Sandbox;
const requests: ReceivedRequest[] = [];
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());
beforeEach(() => requests.splice(0));

const local = { baseUrl: 'http://127.0.0.1:4010/v1', wsUrl: 'ws://127.0.0.1:4010/v1/ws' };

/** The message n8n shows when the credential is saved. */
async function test(more: IDataObject = {}): Promise<{ status: string; message: string }> {
	const request = async (options: ReceivedRequest) => {
		requests.push(options);
		// n8n's older request helper, the only one available to a credential test.
		return (await n8nHelpers()).request(options) as Promise<unknown>;
	};
	const data = credentialFor(sandbox, more).credentials.partnerExchangeApi;
	const { testCredential } = new PartnerExchange().methods.credentialTest;
	return await testCredential.call({ helpers: { request } } as never, { data } as never);
}

it('leaves the key of a credential to the Partner Exchange nodes: the HTTP Request node sends none', () => {
	const credential: ICredentialType = new PartnerExchangeApi();
	// Without it n8n signs no request of other nodes, and its HTTP Request node does not offer the credential.
	expect(credential.authenticate).toBeUndefined();
	expect(credential.genericAuth).toBeUndefined();
});

describe('testing a credential', () => {
	it('tests a credential by reading with its key, changing nothing, following no redirect (checklist 103)', async () => {
		expect(await test()).toEqual({ status: 'OK', message: 'The key opens the sandbox environment' });
		expect(requests.length).toBeGreaterThan(0);
		for (const request of requests) expect(request).toMatchObject({ method: 'GET', followRedirect: false });
	});

	it('says in the credential test that a key is wrong or of another environment (checklist 104)', async () => {
		const { status, message } = await test({ apiKey: 'staging-key' });
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^The service does not know this key.*Take a key of the sandbox on this machine: sandbox-key/,
		);
	});

	it.each([
		['a server of the own network', 200, 'db_password=hunter2'],
		['a service that refuses', 403, '{"message":"db_password=hunter2"}'],
		['a service that fails', 500, 'db_password=hunter2'],
		['a wrong key', 401, '{"message":"db_password=hunter2"}'],
	])('quotes nothing of what answers at the address: %s', async (_, status, body) => {
		const server = createServer((_request, answer) => void answer.writeHead(status).end(body));
		await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
		const { port } = server.address() as AddressInfo;
		const { message } = await test({
			...{ baseUrl: `http://127.0.0.1:${port}/v1`, wsUrl: `ws://127.0.0.1:${port}/v1/ws` },
		});
		server.close();
		expect(message).not.toContain('hunter2');
	});

	it('says that the stream does not open where only requests are answered, and what helps behind a proxy', async () => {
		const { status, message } = await test({ wsUrl: 'ws://127.0.0.1:1024/v1/ws', allowDifferentHosts: true });
		expect(status).toBe('Error');
		expect(message).toMatch(/takes the key, but the Stream Address does not.*NODE_USE_ENV_PROXY=1/);
	});

	it('accepts a right key that may not read the wallet in the credential test (checklist 103)', async () => {
		expect(await test({ apiKey: 'sandbox-key-exchange-read' })).toMatchObject({
			status: 'OK',
			message: expect.stringContaining('may not read the wallet'),
		});
	});

	it.each([
		[{ baseUrl: 'http://127.0.0.1:4010' }, 'Service Address must end in /v1'],
		[{ baseUrl: 'http://exchange.example/v1' }, 'Service Address must start with https://'],
		[{ wsUrl: 'ws://127.0.0.1:1024/v1/ws' }, 'name different hosts'],
		[{ environment: 'staging', baseUrl: '', wsUrl: '' }, 'Service Address is empty'],
		[{ environment: 'staging', ...local }, 'Service Address is still the one of the sandbox'],
		[{ environment: 'production', ...local }, 'Service Address points at this machine'],
		[{ apiKey: '' }, 'API Key is missing'],
		[{ apiKey: 'two words' }, 'API Key holds spaces'],
	])('refuses the credential %j before anything is sent (checklist 98)', async (wrong, words) => {
		expect(await test(wrong)).toEqual({ status: 'Error', message: expect.stringContaining(words) });
		expect(requests).toEqual([]);
	});
});

describe('an error in a credential', () => {
	const balances = { resource: 'wallet', operation: 'getBalances' };
	const wrong = { wsUrl: 'ws://127.0.0.1:1024/v1/ws' };
	/** The test engine gives a credential the name of its type. */
	const named = 'In the credential partnerExchangeApi, Service Address and Stream Address name different hosts';

	it('names the credential in a run with a bad credential or a wrong key', async () => {
		expect((await run(sandbox, balances, { credential: wrong })).error?.message).toContain(named);
		const { error } = await run(sandbox, balances, { credential: { apiKey: 'another-key' } });
		expect(error?.message).toMatch(/does not know this key.*\(credential partnerExchangeApi\)$/);
	});

	it('names the bad credential where a trigger is published', async () => {
		const options = credentialFor(sandbox, wrong);
		await expect(startTrigger(PartnerExchangeTrigger, { ...options, parameters: {} })).rejects.toThrow(named);
		const parameters = { event: 'transaction', filters: {}, options: {} };
		await expect(pollOnce(PartnerExchangeAlertTrigger, { ...options, parameters })).rejects.toThrow(named);
	});

	it('names the bad credential in a list to pick from', async () => {
		const host = {
			getCredentials: () => Promise.resolve(credentialFor(sandbox, wrong).credentials.partnerExchangeApi),
			getNode: () => ({ name: 'n', credentials: { partnerExchangeApi: { id: '1', name: 'My Sandbox' } } }),
		};
		const picking = listSearch['search_pair']!.call(host as never);
		await expect(picking).rejects.toThrow('In the credential My Sandbox, Service Address and Stream Address');
	});
});

const balances = { resource: 'wallet', operation: 'getBalances' };

describe('a credential', () => {
	it('uses the sandbox on this machine for a credential without addresses', () => {
		expect(accountIn({ environment: 'sandbox', baseUrl: '', apiKey: 'sandbox-key' })).toMatchObject(local);
		expect(accountIn({ environment: 'staging', baseUrl: '' })).toMatchObject({ baseUrl: '', wsUrl: '' });
	});

	it('reads limits and rare settings from the sections of a credential, and refuses an empty one by name', async () => {
		const sections = { advanced: { names: { names: '{ "order.list.limit": "page_size" }' } } };
		await run(sandbox, { resource: 'order', operation: 'getAll', limit: 1 }, { credential: sections });
		expect(sandbox.requests.at(-1)!.path).toContain('page_size=');
		const empty = { limits: { ordersPerMinute: { ordersPerMinute: '' } } };
		expect((await run(sandbox, balances, { credential: empty })).error?.message).toContain(
			'Orders per Minute is empty',
		);
		const stop = { limits: { stopAllOrders: { stopAllOrders: true } } };
		const { error } = await run(sandbox, limitOrder, { credential: stop });
		expect(error?.message).toContain('Stop All Orders');
	});

	it('accepts a credential with two hosts once that is confirmed (checklist 172)', async () => {
		const elsewhere = { wsUrl: 'wss://stream.example/v1/ws' };
		const balances = { resource: 'wallet', operation: 'getBalances' };
		expect((await run(sandbox, balances, { credential: elsewhere })).error?.message).toContain('different hosts');
		const confirmed = { ...elsewhere, allowDifferentHosts: true };
		expect(await answer(sandbox, balances, { credential: confirmed })).toHaveProperty('available');
	});

	it('renames an input through the credential when the service calls it otherwise (checklist 77)', async () => {
		const names = '{ "order.list.limit": "page_size" }';
		await run(sandbox, { resource: 'order', operation: 'getAll', limit: 1 }, { credential: { names } });
		expect(sandbox.requests.at(-1)!.path).toContain('page_size=');
	});

	it("builds the same address when a credential's address ends in a slash (checklist 1)", async () => {
		const credential = { baseUrl: `${sandbox.baseUrl}/` };
		await answer(sandbox, { resource: 'wallet', operation: 'getBalances' }, { credential });
		expect(sandbox.requests.at(-1)!.path).toBe('/v1/partner/wallets/balances/overview');
	});

	it('hands amounts on as the service wrote them (checklist 9)', async () => {
		const first = await answer(sandbox, { resource: 'wallet', operation: 'getBalances' });
		expect([typeof first['available'], String(first['available'])]).toEqual(['string', '50000000.00']);
	});
});
