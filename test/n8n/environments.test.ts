import crypto from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { isWrite, operationOf, routeOf } from '@partner-exchange/core/catalogue';
import { formOperations } from '../../nodes/shared/form/names';
import { anything, limitOrder, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	// Requests to a host that does not exist are retried: with the shortest possible pauses.
	jest.spyOn(crypto, 'randomInt').mockImplementation(() => 0);
	sandbox = await startSandbox();
});
afterAll(async () => {
	jest.restoreAllMocks();
	await sandbox.close();
});
beforeEach(() => sandbox.requests.splice(0));

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
	it.each(simulated.map(({ resource, operation }) => [resource, operation]))(
		'%s %s is refused in production before any packet (checklist 12)',
		async (resource, operation) => {
			const made = await run(sandbox, { ...anything, resource, operation }, { credential: production });
			expect(made.error?.message).toMatch(/Simulation does not exist in production|only a sandbox can be steered/);
		},
	);

	it.each(writes.map(({ resource, operation }) => [resource, operation]))(
		'%s %s acts in production only where the node allows it',
		async (resource, operation) => {
			const made = await run(sandbox, { ...anything, resource, operation }, { credential: production });
			expect(made.error).toMatchObject({
				message: expect.stringContaining('not allowed to act there'),
				description: expect.stringContaining('Allow Production'),
			});
		},
	);

	it('a dry run and a read need no switch in production', async () => {
		const options = { dry_run: true, check_market: false };
		const dry = await run(sandbox, { ...anything, ...limitOrder, options }, { credential: production });
		expect(dry.items[0]?.json).toMatchObject({ dry_run: true });
		const question = { resource: 'wallet', operation: 'verifyAccount', bank_code: '058', account_number: '0123456789' };
		const requested = await run(sandbox, question, { credential: production });
		expect(requested.error?.message).toContain('The host name exchange.invalid is not known');
		const doubtful = await run(sandbox, { ...limitOrder, options: { dry_run: 'yes' } }, { credential: production });
		expect(doubtful.error?.message).toContain('not allowed to act there');
	});

	it.each(keyless.map(({ resource, operation }) => [resource, operation]))(
		'%s %s carries no key (checklist 96)',
		async (resource, operation) => {
			await run(sandbox, { ...anything, resource, operation }, { settings: { onError: 'continueRegularOutput' } });
			expect(sandbox.requests).not.toEqual([]);
			expect(sandbox.requests.filter(({ headers }) => 'x-api-key' in headers)).toEqual([]);
		},
	);

	it('the credential alone names the environment: the sandbox is never production', async () => {
		const made = await run(sandbox, limitOrder, { credential: { environment: 'production' } });
		expect(made.error?.message).toContain('never production');
	});

	it.each(['sandbox', 'staging'])(
		'environments called %s count as production until the host is confirmed',
		async (label) => {
			const credential = { ...production, environment: label };
			const unproved = await run(sandbox, limitOrder, { credential });
			expect(unproved.error).toMatchObject({ context: { data: { code: 'not_available' } } });
			expect(`${unproved.error!.message} ${String(unproved.error!['description'])}`).toMatch(
				/exchange\.invalid.*Test Hosts/s,
			);
			const proved = await run(sandbox, limitOrder, { credential: { ...credential, testHosts: 'exchange.invalid' } });
			expect(proved.error?.message).toContain('The host name exchange.invalid is not known');
		},
	);
});

describe('a service that redirects', () => {
	const requests: IncomingMessage[] = [];
	const servers: Server[] = [];
	const serve = async (answer: (request: IncomingMessage) => [number, Record<string, string>]): Promise<string> => {
		const server = createServer((request, response) => response.writeHead(...answer(request)).end());
		servers.push(server);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return `127.0.0.1:${(server.address() as AddressInfo).port}`;
	};
	afterAll(() => servers.forEach((server) => server.close()));

	it.each([301, 302, 307, 308])(
		'a redirect with %i is not followed, and the key reaches nobody else (checklist 97)',
		async (status) => {
			const other = await serve((request) => [200, (requests.push(request), {})]);
			const here = await serve(() => [status, { location: `http://${other}/v1/partner/wallets/balances/overview` }]);
			const credential = { baseUrl: `http://${here}/v1`, wsUrl: `ws://${here}/v1/ws` };
			const made = await run(
				sandbox,
				{ resource: 'recipient', operation: 'delete', recipient_id: 'x' },
				{ credential },
			);
			expect(made.error?.message).toContain('redirects elsewhere');
			expect(requests).toEqual([]);
		},
	);
});
