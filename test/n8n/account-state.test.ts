import type { Account } from '@partner-exchange/core';
import type { INode } from 'n8n-workflow';
import { sharedOf } from '../../nodes/shared/account/account-state';

const account: Account = {
	environment: 'staging',
	baseUrl: 'https://staging.example.com/v1',
	wsUrl: 'wss://staging.example.com/v1/ws',
	apiKey: 'key',
};
const nodeWith = (id: string): INode => ({
	...{ id: 'node', name: 'Node', type: 'partnerExchange', typeVersion: 1, position: [0, 0], parameters: {} },
	credentials: { partnerExchangeApi: { id, name: id } },
});

describe('what nodes share of an account', () => {
	it('keeps the shared state of an account, and so its limits, while hundreds of other accounts are used', () => {
		const first = sharedOf(nodeWith('first'), account);
		for (let other = 0; other < 500; other += 1) sharedOf(nodeWith(`other-${other}`), account);
		expect(sharedOf(nodeWith('first'), account)).toBe(first);
	});

	it('shares the state of an account by credential, so that a new key changes nothing', () => {
		const before = sharedOf(nodeWith('rotated'), account);
		expect(sharedOf(nodeWith('rotated'), { ...account, apiKey: 'new key' })).toBe(before);
	});
});
