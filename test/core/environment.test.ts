import type { Account } from '@partner-exchange/core';
import { assertProductionAllowed, isProduction } from '@partner-exchange/core/adapters';
import { acceptAccount } from '@partner-exchange/core/testing';
import { operationOf } from '@partner-exchange/core/catalogue';

const remote: Account = {
	environment: 'sandbox',
	baseUrl: 'https://exchange.example/v1',
	wsUrl: 'wss://exchange.example/v1/ws',
	apiKey: 'key',
};
const local = { baseUrl: 'http://127.0.0.1:4010/v1', wsUrl: 'ws://127.0.0.1:4010/v1/ws' };

describe('production', () => {
	it.each<[string, Partial<Account>, boolean]>([
		['the sandbox on this machine', local, false],
		['the label alone', {}, true],
		['the label of staging', { environment: 'staging' }, true],
		['a host that is confirmed', { environment: 'staging', testHosts: 'Exchange.Example' }, false],
		[
			'a stream on another host that is not',
			{ wsUrl: 'wss://stream.example/v1/ws', testHosts: 'exchange.example' },
			true,
		],
		['its own label', { environment: 'production' }, true],
	])('treats as production what nothing proves to be a test: %s', (_, change, expected) => {
		expect(isProduction({ ...remote, ...change })).toBe(expected);
	});

	it('refuses changes in production unless they are allowed', () => {
		const create = operationOf('order.create');
		expect(() => assertProductionAllowed(create, remote, { production: false })).toThrow(
			/exchange\.example is called sandbox.*Test Hosts/s,
		);
		expect(() =>
			assertProductionAllowed(create, { ...remote, environment: 'production' }, { production: false }),
		).toThrow(/Allow Production/);
		assertProductionAllowed(create, remote, { production: true });
		assertProductionAllowed(create, { ...remote, ...local }, { production: false });
		assertProductionAllowed(operationOf('order.list'), remote, { production: false });
	});

	it('stays production although a host of other addresses is confirmed, and under another label', () => {
		expect(() => acceptAccount({ ...remote, testHosts: 'other.example' })).toThrow(/other\.example.*neither address/);
		expect(() => acceptAccount({ ...remote, environment: 'production', testHosts: 'exchange.example' })).toThrow(
			/environment is production/,
		);
	});
});
