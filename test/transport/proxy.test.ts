import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { nodeHttp, openAccount } from '@partner-exchange/core/node';
import { AUTHORITY, startProxiedExchange, type ProxiedExchange } from '../support/connect-proxy';
import { resting } from '../support/placing';
import { failureOf, get } from './adapters';

/** Where a proxy is the only way out, an order that can be placed can also be cancelled, and its fills arrive. */
describe('a script behind a proxy', () => {
	const names = ['https_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]);
	const variables = Object.fromEntries(names.map((name) => [name, process.env[name]]));
	const authorities = getCACertificates('default');
	let exchange: ProxiedExchange;
	let opened: ReturnType<typeof openAccount> | undefined;

	beforeEach(async () => {
		setDefaultCACertificates([...authorities, readFileSync(AUTHORITY, 'utf8')]);
		exchange = await startProxiedExchange();
		for (const name of names) delete process.env[name];
		process.env.HTTPS_PROXY = exchange.proxy;
	});
	afterEach(async () => {
		await opened?.close();
		opened = undefined;
		await exchange.close();
		setDefaultCACertificates(authorities);
		for (const name of names) {
			if (variables[name] === undefined) delete process.env[name];
			else process.env[name] = variables[name];
		}
	});

	const open = () => {
		const { baseUrl, wsUrl } = exchange;
		opened = openAccount({ environment: 'staging', baseUrl, wsUrl, apiKey: 'sandbox-key' });
		return opened;
	};

	it.each([
		['HTTPS_PROXY', 'with its scheme', (proxy: string) => proxy],
		['HTTPS_PROXY', 'without one, as curl takes it', (proxy: string) => proxy.replace('http://', '')],
		['all_proxy', 'without one', (proxy: string) => proxy.replace('http://', '')],
	] as const)('cancels over the stream what it placed over REST, by %s %s', async (name, _, written) => {
		delete process.env.HTTPS_PROXY;
		process.env[name] = written(exchange.proxy);
		const { client } = open();
		const { order_id } = (await client.call('order.create', resting)) as { order_id: string };
		await client.call('order.cancel', { order_id, pair_id: 'USD/NGN' });
		expect(await client.call('order.get', { order_id })).toMatchObject({ status: 'cancelled' });
		expect(new Set(exchange.tunnels)).toEqual(new Set(['exchange.test:443']));
	});

	it('goes around the proxy for the hosts of NO_PROXY, with both', async () => {
		process.env.NO_PROXY = 'exchange.test';
		const { client, stream } = open();
		const reading = client.call('wallet.balances', {}, { retries: 0 });
		await expect(reading).rejects.toMatchObject({ code: 'unreachable' });
		const ready = stream.subscribe({ topics: ['user.fills'], deliver: () => Promise.resolve() }).ready;
		await expect(ready).rejects.toMatchObject({ code: 'unreachable' });
		expect(exchange.tunnels).toEqual([]);
	});

	it('knows of an order whose tunnel the proxy refuses that it was not sent', async () => {
		exchange.refuse(407);
		const call = nodeHttp()(get(`${exchange.baseUrl}/partner/wallets/chains`));
		expect(await failureOf(call)).toEqual({ reason: 'proxy', sent: 'never' });
	});

	it.each([
		['refuses the name and the password', (address: string) => address.replace('clerk', 'nobody')],
		['does not answer', () => 'http://clerk:s3cret@127.0.0.1:9'],
	])('is told of a proxy that %s, and not of the service behind it', async (_, proxyOf) => {
		process.env.HTTPS_PROXY = proxyOf(exchange.proxy);
		const call = open().client.call('wallet.chains', {}, { retries: 0 });
		await expect(call).rejects.toMatchObject({
			code: 'unreachable',
			what: 'The proxy that the environment names opened no way to exchange.test',
			advice: expect.not.stringContaining('s3cret'),
		});
		const { ready } = opened!.stream.subscribe({ topics: ['trades.USD_NGN'], deliver: () => Promise.resolve() });
		await expect(ready).rejects.toMatchObject({
			code: 'unreachable',
			what: 'The proxy that the environment names (HTTPS_PROXY, with its name and password) opened no way to the Stream Address (wsUrl)',
		});
	});

	it('refuses a proxy of a kind it cannot use, and does not go around it', async () => {
		process.env.HTTPS_PROXY = 'socks5://127.0.0.1:9';
		const call = nodeHttp()(get(`${exchange.baseUrl}/partner/wallets/chains`));
		expect(await failureOf(call)).toEqual({ reason: 'proxy', sent: 'never' });
	});
});
