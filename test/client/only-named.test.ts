import { createAccountLimits, createClient, type Consumer } from '@partner-exchange/core';
import { nodePorts, openAccount, systemClock } from '@partner-exchange/core/node';

const account = { environment: 'sandbox', apiKey: 'sandbox-key' } as const;
const listening = { topics: ['user.fills'], deliver: async () => await Promise.resolve() };

/** What a misspelt name would switch off: each would do nothing, without a word. */
describe('a name that nobody reads is refused', () => {
	it.each<[string, () => unknown]>([
		['jurnal', () => openAccount(account, { jurnal: {} } as object)],
		['baseURL', () => openAccount({ ...account, baseURL: 'http://127.0.0.1:1/v1' } as typeof account)],
		['ordersPerMinut', () => createAccountLimits(systemClock, { ordersPerMinut: 1 } as object)],
		['valueperday', () => createAccountLimits(systemClock).configure({ valueperday: '1' } as object)],
	])('%s, at once', (name, open) => {
		expect(open).toThrow(new RegExp(`takes nothing named ${name}\\.`));
	});

	it.each<[string, object]>([
		['onCheckpiont', { ...listening, onCheckpiont: () => undefined }],
		['topic', { topic: ['user.fills'], deliver: listening.deliver }],
		['status', { ...listening, filters: { status: ['filled'] } }],
	])('%s, where a subscription is opened, which is told twice', async (name, consumer) => {
		const told: string[] = [];
		const onFailed: Consumer['onFailed'] = ({ field }) => void told.push(String(field));
		const { stream } = openAccount(account);
		await expect(stream.subscribe({ ...consumer, onFailed } as Consumer).ready).rejects.toMatchObject({
			code: 'invalid_input',
			field: name,
		});
		expect(told).toEqual([name]);
	});

	it('but an account that is passed on as it is stored may hold more than is read', () => {
		expect(() => createClient({ ...account, note: 'of a host' } as typeof account, nodePorts())).not.toThrow();
	});
});
