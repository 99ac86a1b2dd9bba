/** Which operations act in production, which carry the key, and where a service leads them. */
import crypto from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { startSandbox } from '@partner-exchange/sandbox';
import { isWrite, operationOf, routeOf } from '@partner-exchange/core/catalogue';
import { openPort } from '../support/loopback';
import { formOperations } from '../../nodes/shared/form/names';
import { startWire } from '../support/wire';
import { answer, anything, limitOrder, run } from './exchange';
import { forAll } from '../support/opened';

const production = {
	environment: 'production',
	baseUrl: 'https://exchange.invalid/v1',
	wsUrl: 'wss://exchange.invalid/v1/ws',
};
const simulated = formOperations.filter(({ id }) => operationOf(id).nonProduction);
// Operations without a request of the interface are tested elsewhere, in test/client/sandbox-control.test.ts.
const keyless = formOperations.filter(({ id }) => operationOf(id).access === 'public' && routeOf(operationOf(id)));
const writes = formOperations.filter(({ id }) => isWrite(operationOf(id)) && !operationOf(id).nonProduction);

describe('environments', () => {
	const sandbox = forAll(startSandbox);
	let random: jest.SpyInstance;
	beforeAll(async () => {
		// Requests to a host that does not exist are retried, after short pauses: after none, they would be all that is computed.
		random = jest.spyOn(crypto, 'randomInt').mockImplementation((steps: number) => Math.floor(steps / 20));
	});
	afterAll(() => random.mockRestore());
	beforeEach(() => void sandbox.requests.splice(0));

	const errorOf = async (parameters: object, credential: object = production) =>
		(await run(sandbox, { ...anything, ...parameters }, { credential: { ...credential } })).error;

	it('refuse each simulation in production before any packet', async () => {
		for (const { resource, operation } of simulated)
			expect((await errorOf({ resource, operation }))?.message).toMatch(
				/Simulation does not exist in production|only a sandbox can be steered/,
			);
	});

	it('let each write act in production only where the node allows it', async () => {
		for (const { resource, operation } of writes)
			expect(await errorOf({ resource, operation })).toMatchObject({
				message: expect.stringContaining('not allowed to act there'),
				description: expect.stringContaining('Allow Production'),
			});
		const doubtful = { ...limitOrder, options: { dry_run: 'yes' } };
		expect((await errorOf(doubtful))?.message).toContain('not allowed to act there');
	});

	it('need no switch for a dry run and a read in production', async () => {
		const options = { dry_run: true, check_market: false };
		const dry = await answer(sandbox, { ...anything, ...limitOrder, options }, { credential: production });
		expect(dry).toMatchObject({ dry_run: true });
		const question = { resource: 'wallet', operation: 'verifyAccount' };
		expect((await errorOf(question))?.message).toContain('The host name exchange.invalid is not known');
	});

	it('carry no key in operations that need none', async () => {
		for (const { resource, operation } of keyless) await errorOf({ resource, operation }, {});
		expect(sandbox.requests.length).toBeGreaterThanOrEqual(keyless.length);
		expect(sandbox.requests.filter(({ headers }) => 'x-api-key' in headers)).toEqual([]);
	});

	it('are named by the credential alone: the sandbox is never production', async () => {
		expect((await errorOf(limitOrder, { environment: 'production' }))?.message).toContain('never production');
	});

	it.each(['sandbox', 'staging'])('called %s count as production until the host is confirmed', async (environment) => {
		const credential = { ...production, environment };
		const unproved = await errorOf(limitOrder, credential);
		expect(unproved).toMatchObject({ context: { data: { code: 'not_available' } } });
		expect(`${unproved!.message} ${String(unproved!['description'])}`).toMatch(/exchange\.invalid.*Test Hosts/s);
		const proved = await errorOf(limitOrder, { ...credential, testHosts: 'exchange.invalid' });
		expect(proved?.message).toContain('The host name exchange.invalid is not known');
	});

	it('other than the sandbox cannot be steered, and the sandbox gets the token of the credential', async () => {
		const wire = await startWire();
		const service = { baseUrl: wire.url, wsUrl: wire.account.wsUrl } as never;
		const reset = { resource: 'sandbox', operation: 'reset' };
		const { error } = await run(service, reset, { credential: { environment: 'staging' } });
		expect(error?.message).toContain('only a sandbox can be steered');
		expect(wire.received).toEqual([]);
		wire.on('POST /_sandbox/reset', { status: 200, body: '{"done":true}' });
		await answer(service, reset, { credential: { controlToken: 'control-token-of-tests' } });
		expect(wire.received[0]!.headers).toMatchObject({ authorization: 'Bearer control-token-of-tests' });
		await wire.close();
	});

	it.each([302, 307])('that redirect with %i are not followed, and the key reaches nobody else', async (status) => {
		const servers: Server[] = [];
		const serve = async (reply: (request: IncomingMessage) => [number, Record<string, string>]) => {
			const server = createServer((request, response) => response.writeHead(...reply(request)).end());
			servers.push(server);
			const port = await openPort(server);
			return `127.0.0.1:${port}`;
		};
		const reached: IncomingMessage[] = [];
		const other = await serve((request) => [200, (reached.push(request), {})]);
		const here = await serve(() => [status, { location: `http://${other}/v1/partner/wallets/balances/overview` }]);
		const error = await errorOf(
			{ resource: 'recipient', operation: 'delete' },
			{ baseUrl: `http://${here}/v1`, wsUrl: `ws://${here}/v1/ws` },
		);
		servers.forEach((server) => server.close());
		expect(error?.message).toContain('redirects elsewhere');
		expect(reached).toEqual([]);
	});
});
