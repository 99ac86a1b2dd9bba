import { pickers, type PickerId } from '@partner-exchange/core/catalogue';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { listSearch, searchMethod } from '../../nodes/shared/form/pickers';
import { answer, credentialFor, limitOrder, pick } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
	await answer(sandbox, limitOrder);
	await answer(sandbox, {
		resource: 'simulation',
		operation: 'fiatDeposit',
		email: 'trader@sandbox.test',
		amount: '1.00',
		currency: 'NGN',
	});
	const recipient = {
		recipient_type: 'crypto',
		currency: 'USDT',
		label: 'Treasury',
		chain: pick('TRON'),
		crypto_address: `T${'A'.repeat(33)}`,
	};
	await answer(sandbox, { resource: 'recipient', operation: 'create', ...recipient });
});
afterAll(async () => await sandbox.close());

/** The list, requested the way the editor does. */
async function search(picker: PickerId, filter?: string, more: object = {}) {
	const { credentials } = credentialFor(sandbox, more as never);
	const httpRequest = async ({ url, headers }: { url: string; headers: Record<string, string> }) => {
		const response = await fetch(url, { headers });
		return {
			statusCode: response.status,
			headers: {},
			body: await response.text(),
		};
	};
	const host = {
		getCredentials: () => Promise.resolve(credentials.partnerExchangeApi),
		getNode: () => ({ name: 'n' }),
		helpers: { httpRequest },
	};
	return (await listSearch[searchMethod(picker)]!.call(host as never, filter)).results;
}

describe('pickers', () => {
	it.each(Object.keys(pickers) as PickerId[])(
		'a picker offers what the live list of every %s holds',
		async (picker) => {
			const offered = await search(picker);
			expect(offered.length).toBeGreaterThan(0);
			for (const { name, value } of offered) expect([typeof name, String(value).length > 0]).toEqual(['string', true]);
		},
	);

	it('a picker narrows its list to what is typed', async () => {
		expect(await search('recipient', 'treas')).toHaveLength(1);
		expect(await search('recipient', 'nobody')).toEqual([]);
	});

	it('a picker never offers a stablecoin as a wallet currency (checklist 3)', async () => {
		expect((await search('currency')).map(({ value }) => value).sort()).toEqual(['NGN', 'USD']);
	});

	it('a picker says in one sentence why there is no list', async () => {
		await expect(search('order', undefined, { apiKey: 'wrong' })).rejects.toThrow('does not know this key');
	});
});
