import { createClient, type Account } from '@partner-exchange/core';
import { createAccounts, type AccountUse } from '@partner-exchange/core/adapters';
import { nodePorts } from '@partner-exchange/core/node';
import { ACCOUNTS_MAX } from '../../packages/core/src/per-account';
import { until } from '../support/condition';
import { startSandbox } from '../support/sandbox';
import { failure, silence, startWire, success } from '../support/wire';
import { forAll } from '../support/opened';

const ports = nodePorts();
const use: AccountUse = { ports };
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1000.00' } as const;

describe('what all uses of an account share in a process', () => {
	const [sandbox, wire] = [forAll(startSandbox), forAll(startWire)];

	it('shares the request rate of an account with one whose key was pasted with a space', async () => {
		const accounts = createAccounts(ports.clock);
		wire.on('GET /partner/wallets/balances/overview', failure(429, '', { 'retry-after': '1' }));
		const opened = accounts.open(wire.account, use);
		const pasted = accounts.open({ ...wire.account, apiKey: ` ${wire.account.apiKey} ` }, use);
		expect(pasted.isHindered()).toBe(false);
		const abort = new AbortController();
		const reading = opened.client.call('wallet.balances', {}, { signal: abort.signal });
		await until(() => pasted.isHindered(), { what: 'the refusal to slow down the other use' });
		abort.abort();
		await expect(reading).rejects.toThrow();
	});

	it('counts an order that the stream shows under the limits of every use of the account', async () => {
		const { baseUrl, wsUrl } = sandbox;
		const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' };
		const accounts = createAccounts(ports.clock);
		const limits = ['first', 'second'].map((name) => accounts.limitsOf(name));
		const counted = limits.map((each) => jest.spyOn(each, 'orderShown'));
		const [opened, pasted] = [
			accounts.open(account, { ...use, limits: limits[0] }),
			accounts.open({ ...account, apiKey: ' sandbox-key' }, { ...use, limits: limits[1] }),
		];
		expect(pasted.stream()).toBe(opened.stream());
		const listening = opened.stream().subscribe({ topics: ['user.orders'], deliver: async () => undefined });
		await listening.ready;
		await createClient(account, ports).order.create(order);
		await until(() => counted.every(({ mock }) => mock.calls.length > 0), { what: 'both limits to count the order' });
		await listening.close();
		// The stream closes at once instead of after half a minute.
		jest.spyOn(ports.clock, 'after').mockImplementation((_, run) => (run(), () => undefined));
		opened.release();
		pasted.release();
		jest.restoreAllMocks();
	});

	it.each([
		['by the name of a host that has one, also after a new key', 'credential-1', 1],
		['by the key where the host has no name', undefined, 0],
	])('finds orders in flight %s', async (_how, name, open_intents) => {
		const accounts = createAccounts(ports.clock);
		wire.on('POST /partner/exchange/orders', silence).on('GET /partner/exchange/orders', success({ orders: [] }));
		const opened = accounts.open(wire.account, { ...use, name });
		const before = wire.calls('POST /partner/exchange/orders').length;
		const abort = new AbortController();
		const placing = opened.client.order.create(order, { signal: abort.signal, options: { check_market: false } });
		await until(() => wire.calls('POST /partner/exchange/orders').length > before, { what: 'the order to be sent' });
		const rotated = accounts.open({ ...wire.account, apiKey: 'another-key' }, { ...use, name });
		expect(await rotated.client.call('stream.status', {})).toMatchObject({ totals: { open_intents } });
		abort.abort();
		await expect(placing).rejects.toThrow();
	});

	it('keeps the limits of an account that is used while others come and go', () => {
		const accounts = createAccounts(ports.clock);
		const first = accounts.limitsOf('first');
		for (let other = 0; other < 3 * ACCOUNTS_MAX; other += 1) {
			accounts.limitsOf(`other-${other}`);
			if (other % 100 === 0) expect(accounts.limitsOf('first')).toBe(first);
		}
	});

	it('forgets the limits that were used longest ago beyond ACCOUNTS_MAX', () => {
		const accounts = createAccounts(ports.clock);
		const [first, second] = [accounts.limitsOf('first'), accounts.limitsOf('second')];
		for (let other = 0; other < ACCOUNTS_MAX - 1; other += 1) accounts.limitsOf(`other-${other}`);
		expect(accounts.limitsOf('second')).toBe(second);
		expect(accounts.limitsOf('first')).not.toBe(first);
	});
});
