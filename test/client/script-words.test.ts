import type { OperationId } from '@partner-exchange/core/catalogue';
import {
	createClient,
	isExchangeError,
	pollBalances,
	pollRates,
	type Client,
	type ExchangeError,
} from '@partner-exchange/core';
import { nodePorts, openAccount } from '@partner-exchange/core/node';
import { useWire } from '../support/wire';

const { wire, client: form } = useWire();
const script = (): Client => createClient(wire.account, nodePorts());

async function refusalOf(call: PromiseLike<unknown>): Promise<ExchangeError> {
	const error: unknown = await Promise.resolve(call).catch((caught: unknown) => caught);
	if (!isExchangeError(error)) throw new Error('It was not refused');
	return error;
}
const rows = async (client: Client, created_after: string): Promise<void> => {
	for await (const _ of client.items('order.list', {}, { options: { created_after } })) return;
};

describe('the words of an error', () => {
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10' };
	it.each<[string, (client: Client) => PromiseLike<unknown>, string, string]>([
		[
			'of an option',
			(client) => client.order.list({}, { options: { created_after: 'soon' } }),
			'Get Many Orders (order.list): Created After (created_after) is not a time',
			'Get Many Orders: Created After is not a time',
		],
		[
			'of a list read item by item',
			(client) => rows(client, 'soon'),
			'Get Many Orders (order.list): Created After (created_after) is not a time',
			'Get Many Orders: Created After is not a time',
		],
		[
			'of a field that depends on another one',
			(client) => client.call<OperationId>('order.create', order),
			'Create Order (order.create): Price (price) is missing: it is required when Order Type (order_type) is limit.',
			'Create Order: Price is missing: it is required when Order Type is limit.',
		],
		[
			'of a page',
			(client) => client.page<OperationId>('fill.list', { limit: 'all' }),
			'Get Many Fills (fill.list): Limit (limit) must be a whole number.',
			'Get Many Fills: Limit must be a whole number.',
		],
	])(
		'name operation and fields %s as a script writes them, and in a form its labels alone',
		async (_, call, ...words) => {
			const [inScript, inForm] = words;
			expect((await refusalOf(call(script()))).message).toContain(inScript);
			expect((await refusalOf(call(form))).message).toContain(inForm);
		},
	);
});

describe('an account, a subscription and a poll name what is wrong as a script writes it', () => {
	const account = { environment: 'sandbox', baseUrl: 'http://127.0.0.1:45999/v1', apiKey: '' } as const;
	const opened = openAccount(account);
	afterAll(() => opened.close());
	const { client, stream } = opened;
	const listening = { topics: ['user.fills'], deliver: async () => Promise.resolve() };

	it.each<[string, () => unknown]>([
		['Service Address (baseUrl) must end in /v1', () => openAccount({ ...account, baseUrl: 'http://127.0.0.1:45999' })],
		['API Key (apiKey) holds spaces', () => openAccount({ ...account, apiKey: 'a b' })],
		['Get Balances (wallet.balances): API Key (apiKey) is missing', () => client.wallet.balances()],
		['Stream: API Key (apiKey) is missing: the topic user.fills', () => stream.subscribe(listening).ready],
		['Stream: No topic is chosen (topics)', () => stream.subscribe({ ...listening, topics: [] }).ready],
		[
			'Stream: The minimum quantity must be a positive number without a sign (minQuantity)',
			() => stream.subscribe({ ...listening, filters: { minQuantity: '-1' } }).ready,
		],
		[
			'Balance Crossing a Line: Threshold (amount) is not a decimal number',
			() => pollBalances(client, undefined, [{ currency: 'NGN', amount: 'much' }]),
		],
		[
			'Rate Crossing a Line: Pair (pair_id) is missing',
			() => pollRates(client, undefined, [{ pair_id: '', amount: '1' }]),
		],
	])('%s', async (words, call) => {
		await expect((async () => await call())()).rejects.toThrow(words);
	});

	it('an error names a setting of a form by its label alone', () => {
		const open = (): Client => createClient({ ...account, apiKey: 'a b' }, nodePorts(), { isForm: true });
		expect(open).toThrow('API Key holds spaces');
	});
});
