/** The credential in n8n's engine: its test, what each use says of a wrong one, its limits and its stop switch. */
import { createServer } from 'node:http';
import { createServer as createDoor, type Server } from 'node:net';
import { startSandbox } from '@partner-exchange/sandbox';
import type {
	ICredentialType,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	INodeExecutionData,
} from 'n8n-workflow';
import { openPort } from '../support/loopback';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { listSearch } from '../../nodes/shared/form/pickers';
import { runNode } from '../support/engine';
import { pollOnce, startTrigger } from '../support/engine-trigger';
import { n8nHelpers } from '../transport/adapters';
import { answer, credentialFor, fetchingHost, limitOrder, NODE, run } from './exchange';
import { forEach } from '../support/opened';

interface ReceivedRequest {
	uri: string;
	method: IHttpRequestMethods;
	headers: Record<string, string>;
	followRedirect: boolean;
}

const local = { baseUrl: 'http://127.0.0.1:4010/v1', wsUrl: 'ws://127.0.0.1:4010/v1/ws' };
const balances = { resource: 'wallet', operation: 'getBalances' };

describe('the credential', () => {
	const sandbox = forEach(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	const requests: ReceivedRequest[] = [];
	beforeEach(async () => {
		// Limits belong to a credential at an address and last as long as the process, so each test uses its own address.
		requests.splice(0);
	});

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
	const errorOf = async (credential: IDataObject, parameters: IDataObject = balances) =>
		(await run(sandbox, parameters, { credential })).error;

	it('leaves the key of a credential to the Partner Exchange nodes: the HTTP Request node sends none', () => {
		const credential: ICredentialType = new PartnerExchangeApi();
		// Without it n8n signs no request of other nodes, and its HTTP Request node does not offer the credential.
		expect(credential.authenticate).toBeUndefined();
		expect(credential.genericAuth).toBeUndefined();
	});

	it('is tested by reading with its key, changing nothing, following no redirect', async () => {
		expect(await test()).toEqual({ status: 'OK', message: 'The key opens the sandbox environment' });
		expect(await test({ apiKey: 'sandbox-key-exchange-read' })).toMatchObject({
			status: 'OK',
			message: expect.stringContaining('may not read the wallet'),
		});
		expect(await test({ apiKey: 'sandbox-key-newcomer' })).toMatchObject({
			status: 'OK',
			message: expect.stringContaining('the account is not ready'),
		});
		expect(requests.length).toBeGreaterThan(0);
		for (const request of requests) expect(request).toMatchObject({ method: 'GET', followRedirect: false });
	});

	it('says in its test that a key is wrong or of another environment', async () => {
		const { status, message } = await test({ apiKey: 'staging-key' });
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^The service does not know this key.*Take a key of the sandbox on this machine: sandbox-key/,
		);
	});

	it.each([
		['a server of the own network', 200, 'db_password=hunter2'],
		['a service that refuses', 403, '{"message":"db_password=hunter2"}'],
	])('quotes nothing of what answers at the address in its test: %s', async (_, status, body) => {
		const server = createServer((_request, reply) => void reply.writeHead(status).end(body));
		const address = `127.0.0.1:${await openPort(server)}/v1`;
		const { message } = await test({ baseUrl: `http://${address}`, wsUrl: `ws://${address}/ws` });
		server.close();
		expect(message).not.toContain('hunter2');
	});

	it('says in its test that the stream does not open where only requests are answered, and what helps behind a proxy', async () => {
		const { status, message } = await test({ wsUrl: 'ws://127.0.0.1:1024/v1/ws', allowDifferentHosts: true });
		expect(status).toBe('Error');
		expect(message).toMatch(/takes the key, but the Stream Address does not.*NODE_USE_ENV_PROXY=1/);
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
		[{ valuePerDay: 'much' }, 'Value per Day'],
	])('is refused as %j before anything is sent', async (wrong, words) => {
		expect(await test(wrong)).toEqual({ status: 'Error', message: expect.stringContaining(words) });
		expect(requests).toEqual([]);
	});

	it('is named in the error of a run, of a trigger that is published, and of a list to pick from', async () => {
		const wrong = { wsUrl: 'ws://127.0.0.1:1024/v1/ws' };
		// The test engine gives a credential the name of its type.
		const named = 'In the credential partnerExchangeApi, Service Address and Stream Address name different hosts';
		expect((await errorOf(wrong))?.message).toContain(named);
		expect((await errorOf({ apiKey: 'another-key' }))?.message).toMatch(
			/does not know this key.*\(credential partnerExchangeApi\)$/,
		);
		const options = credentialFor(sandbox, wrong);
		await expect(startTrigger(PartnerExchangeTrigger, { ...options, parameters: {} })).rejects.toThrow(named);
		const parameters = { event: 'transaction', filters: {}, options: {} };
		await expect(pollOnce(PartnerExchangeAlertTrigger, { ...options, parameters })).rejects.toThrow(named);
		const picking = listSearch['search_pair']!.call(fetchingHost(options) as never);
		await expect(picking).rejects.toThrow('In the credential My Sandbox, Service Address and Stream Address');
	});

	it('has its limits and rare settings in sections, where an empty one is refused by name', async () => {
		const sections = { advanced: { names: { names: '{ "order.list.limit": "page_size" }' } } };
		await run(sandbox, { resource: 'order', operation: 'getAll', limit: 1 }, { credential: sections });
		expect(sandbox.requests.at(-1)!.path).toContain('page_size=');
		const empty = { limits: { ordersPerMinute: { ordersPerMinute: '' } } };
		expect((await errorOf(empty))?.message).toContain('Orders per Minute is empty');
		const stop = { limits: { stopAllOrders: { stopAllOrders: true } } };
		expect((await errorOf(stop, limitOrder))?.message).toContain('Stop All Orders');
	});

	it('may have two hosts once that is confirmed, and an address that ends in a slash', async () => {
		const credential = { wsUrl: 'wss://stream.example/v1/ws', allowDifferentHosts: true };
		const found = await answer(sandbox, balances, { credential: { ...credential, baseUrl: `${sandbox.baseUrl}/` } });
		expect(found['available']).toBe('50000000.00');
		expect(sandbox.requests.at(-1)!.path).toBe('/v1/partner/wallets/balances/overview');
	});

	it.each<[string, unknown]>([
		['allowDifferentHosts', 'yes'],
		['stopAllOrders', 1],
		['stopAllOrders', null],
		['ordersPerMinute', ''],
		['ordersPerMinute', 'many'],
		['ordersPerMinute', '${ORDERS}'],
	])('is refused by the name of its field where %s is %j', async (field, value) => {
		const error = await errorOf({ [field]: value as string }, limitOrder);
		expect(error).toMatchObject({ context: { data: { code: 'invalid_account', field } } });
		expect(sandbox.requests).toEqual([]);
	});

	const orders = () => [...sandbox.engine.state.orders.values()];

	it('stops a runaway loop at its limit over executions, and sends nothing more', async () => {
		const credential = { ordersPerMinute: '2' };
		for (let times = 0; times < 2; times += 1) expect(await errorOf(credential, limitOrder)).toBeUndefined();
		expect(await errorOf(credential, limitOrder)).toMatchObject({ context: { data: { code: 'limit_reached' } } });
		expect(orders()).toHaveLength(2);
		expect(await errorOf({ ordersPerMinute: 'none' }, limitOrder)).toBeUndefined();
	});

	it('applies its stop switch to an execution in progress', async () => {
		// The operator saves the credential while the node processes items, after the first of them.
		class Stopped extends PartnerExchange {
			override async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
				const stored = await this.getCredentials('partnerExchangeApi');
				const read = () => Promise.resolve({ ...stored, stopAllOrders: orders().length > 0 });
				Object.defineProperty(this, 'getCredentials', { value: read });
				return await PartnerExchange.prototype.execute.call(this);
			}
		}
		const made = await runNode(Stopped, {
			...{ ...credentialFor(sandbox), parameters: limitOrder, items: Array.from({ length: 8 }, () => ({})) },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(JSON.stringify(made.items.at(-1)!.json)).toContain('Stop All Orders');
		expect(orders().length).toBeGreaterThan(0);
		expect(orders().length).toBeLessThan(8);
		const cancel = { resource: 'order', operation: 'cancel', order_id: orders()[0]!.id, pair_id: 'USD/NGN' };
		expect(await errorOf({ stopAllOrders: true }, cancel)).toBeUndefined();
	});

	describe('whose stream does not open', () => {
		let door: Server;
		let port: number;
		let knocks = 0;
		beforeAll(async () => {
			door = createDoor((socket) => void (knocks++, socket.destroy()));
			port = await openPort(door);
		});
		afterAll(() => void door.close());

		const hintsOf = async (parameters: object) => {
			const wsUrl = `ws://127.0.0.1:${port}/v1/ws`;
			const rehearsed = { ...limitOrder, options: { dry_run: true }, ...parameters };
			const made = await run(sandbox, rehearsed, { credential: { wsUrl, allowDifferentHosts: true } });
			return made.runsOf(NODE)[0]!.hints!.map(({ message }) => message);
		};

		it('says at the dry run of an order that it could not be cancelled, and the setting that helps', async () => {
			expect(await hintsOf({})).toContainEqual(
				expect.stringMatching(/The Stream Address does not answer.*not be cancelled.*NODE_USE_ENV_PROXY=1/),
			);
			expect(orders()).toEqual([]);
		});

		it.each([
			['a market order', { order_type: 'market', price: '' }],
			['an order that ends at once', { options: { dry_run: true, time_in_force: 'IOC' } }],
			['an order that is sent', { options: { wait: 'none' } }],
		])('does not look for the stream for %s', async (_, parameters) => {
			const before = knocks;
			expect((await hintsOf(parameters)).filter((text) => text.includes('Stream Address'))).toEqual([]);
			expect(knocks).toBe(before);
		});
	});
});
