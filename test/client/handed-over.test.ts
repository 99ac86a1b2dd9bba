import * as core from '@partner-exchange/core';
import { fileCheckpoint, fileJournal, nodePorts, openAccount, systemClock } from '@partner-exchange/core/node';

const account = { environment: 'sandbox', apiKey: 'sandbox-key', baseUrl: 'http://127.0.0.1:45999/v1' } as const;
const threshold = { currency: 'NGN', amount: '1' };
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '1' };

class Someone {
	pair_id = 'USD/NGN';
}
/** What a script in plain JavaScript may hand over, where something else was meant. */
const strays: Readonly<Record<string, unknown>> = {
	null: null,
	'a list': [],
	'a text': 'text',
	'a number': 5.5,
	'a function': () => undefined,
	'an instance of a class': new Someone(),
	'a map': new Map([['pair_id', 'USD/NGN']]),
	'a date': new Date(0),
};

type HandOver = (stray: unknown) => unknown;
/** Calls what the types forbid. */
const opened = openAccount(account);
const client = opened.client as unknown as Record<string, Record<string, (...given: unknown[]) => never>> &
	Record<string, (...given: unknown[]) => AsyncIterable<unknown>>;
const subscribe = (consumer: unknown): Promise<void> => opened.stream.subscribe(consumer as never).ready;
const listening = { topics: ['user.fills'], deliver: async () => Promise.resolve() };
const given = (stray: unknown) => stray as never;

async function first(rows: AsyncIterable<unknown>): Promise<void> {
	for await (const _ of rows) return;
}
type Place = [string, HandOver, ...(keyof typeof strays)[]];
const each = (of: string, names: string, hand: (name: string, it: unknown) => unknown, ...fine: string[]): Place[] =>
	names.split(' ').map((name) => [`${name} of ${of}`, (it) => hand(name, it), ...fine]);
const opens = (name: string, it: unknown) => openAccount({ ...account, [name]: it });
const creates = (name: string, it: unknown) => client.order!.create!(order, { [name]: it });
const listens = (name: string, it: unknown) => subscribe({ ...listening, [name]: it });
const filters = (name: string, it: unknown) => subscribe({ ...listening, filters: { [name]: it } });

/** Every place where a script hands something over, and which of the strays are right there. */
const places: Place[] = [
	['an account', (it) => openAccount(given(it))],
	...each('an account', 'baseUrl wsUrl testHosts names environment allowDifferentHosts', opens),
	...each('an account', 'apiKey controlToken', opens, 'a text'),
	['what openAccount takes beside it', (it) => openAccount(account, given(it))],
	...each('an opened account', 'journal limits signal ports', (name, it) => openAccount(account, { [name]: it })),
	['its onResolved', (it) => openAccount(account, { onResolved: given(it) }), 'a function'],
	['the account of a client', (it) => core.createClient(given(it), nodePorts())],
	['the input of a call', (it) => client.order!.get!(it)],
	['the input of a list', (it) => client.order!.list!(it)],
	['the input of rows', (it) => first(client.order!.list!(it))],
	['what a call takes beside its input', (it) => client.order!.get!({ order_id: 'a' }, it)],
	['the options of a call', (it) => client.order!.get!({ order_id: 'a' }, { options: it })],
	...each('an order', 'signal repeated retries timeoutMs', creates),
	...each('an order', 'warn progress', creates, 'a function'),
	['intent of an order', (it) => client.order!.create!(order, { intent: it }), 'a text'],
	['an id', (it) => client.call!(it, {})],
	['the input behind an id', (it) => client.call!('order.get', it)],
	['the input of items', (it) => first(client.items!('order.list', it))],
	['the limit of items', (it) => first(client.items!('order.list', {}, { limit: it }))],
	['the input of a page', (it) => client.page!('order.list', it)],
	['a subscription', subscribe],
	...each('a subscription', 'topics checkpoint deliverMissed filters batchMax retriesFirstConnection', listens),
	...each('a subscription', 'deliver onCheckpoint onNotice onRefused onFailed', listens, 'a function'),
	...each('its filters', 'statuses sides pairs', filters, 'a list'),
	...each('its filters', 'minQuantity', filters, 'a number'),
	['the action of a command', (it) => opened.stream.command(given(it), {})],
	['the fields of a command', (it) => opened.stream.command('order_cancel', given(it))],
	['limits', (it) => core.createAccountLimits(systemClock, given(it))],
	['the reason of a stop', (it) => core.createAccountLimits(systemClock).stop(given(it)), 'a text'],
	['thresholds', (it) => core.pollBalances(opened.client, undefined, given(it)), 'a list'],
	['a threshold', (it) => core.pollBalances(opened.client, undefined, [given(it)])],
	['the file of a checkpoint', (it) => fileCheckpoint(given(it)), 'a text'],
	['the file of a journal', (it) => fileJournal(given(it)), 'a text'],
	['an amount', (it) => core.add(given(it), '1')],
	['an amount that is compared', (it) => core.compare('1', given(it))],
];

describe('what a script hands over is checked where it is handed over', () => {
	afterAll(() => opened.close());

	it.each(places)(
		'refuses a value of another kind as invalid, with the one kind of error: %s',
		async (_, hand, ...fine) => {
			for (const [name, stray] of Object.entries(strays)) {
				if (fine.includes(name)) continue;
				const answer = (async () => await hand(stray))();
				await expect(answer.then(() => `${name} was taken`)).rejects.toMatchObject({
					name: 'ExchangeError',
					code: expect.stringMatching(/^invalid_/) as string,
				});
			}
		},
	);

	/** What a misspelt name would switch off: each would do nothing, without a word. */
	it.each<[string, HandOver]>([
		['jurnal', () => openAccount(account, { jurnal: {} } as object)],
		['baseURL', () => openAccount({ ...account, baseURL: 'http://127.0.0.1:1/v1' } as never)],
		['note', () => core.createClient({ ...account, note: 'of a host' } as never, nodePorts())],
		['ordersPerMinut', () => core.createAccountLimits(systemClock, { ordersPerMinut: 1 } as object)],
		['valueperday', () => core.createAccountLimits(systemClock).configure({ valueperday: '1' } as object)],
		['onCheckpiont', () => subscribe({ ...listening, onCheckpiont: () => undefined })],
		['topic', () => subscribe({ ...listening, topic: ['user.fills'] })],
		['status', () => subscribe({ ...listening, filters: { status: ['filled'] } })],
		['hysteresys', () => core.pollBalances(opened.client, undefined, [{ ...threshold, hysteresys: '1' } as never])],
		['currency', () => core.pollTransactions(opened.client, undefined, { currency: 'NGN' } as never)],
	])('a name that nobody reads is refused: %s', async (name, hand) => {
		const answer = (async () => await hand(undefined))();
		await expect(answer).rejects.toThrow(new RegExp(`takes nothing named ${name}\\.`));
	});

	/** Each is right elsewhere. Here it would do nothing, without a word. */
	it.each<[string, HandOver]>([
		['intent has no effect on it', () => client.order!.get!({ order_id: 'a' }, { intent: 'mine' })],
		['intent has no effect on it', () => first(client.order!.list!({}, { intent: 'mine' }))],
		['intent has no effect on it', () => client.order!.cancelAll!({}, { intent: 'mine' })],
		['repeated has no effect on it', () => client.order!.list!({}, { repeated: true })],
		['repeated needs a name', () => client.order!.create!(order, { repeated: true })],
		['progress has no effect on it', () => client.wallet!.balances!({}, { progress: () => undefined })],
		['retries has no effect on it', () => client.order!.create!(order, { retries: 1 })],
		[
			'intent has no effect on it beside a business_key',
			() => client.order!.create!(order, { intent: 'mine', options: { business_key: 'mine' } }),
		],
		['without wait', () => client.order!.create!(order, { options: { wait_seconds: 5 } })],
		['without wait', () => client.order!.create!(order, { options: { wait: 'none', wait_seconds: 5 } })],
		['without wait', () => client.order!.create!(order, { options: { fail_when: 'time_limit' } })],
		['without wait_settled', () => client.transaction!.get!({ transaction_id: 'a' }, { options: { wait_seconds: 5 } })],
		[
			'without expected_name',
			() =>
				client.wallet!.verifyAccount!(
					{ bank_code: '058', account_number: '0123456789' },
					{ options: { fail_when_name: 'close' } },
				),
		],
		[
			'output_mode raw returns others',
			() => client.order!.get!({ order_id: 'a' }, { options: { output_mode: 'raw', output_fields: ['id'] } }),
		],
		[
			'is not later than created_after',
			() => client.order!.list!({}, { options: { created_after: '2026-02-01', created_before: '2026-01-01' } }),
		],
		['among its statuses', () => subscribe({ ...listening, filters: { statuses: ['filld'] } })],
		['among its sides', () => subscribe({ ...listening, filters: { sides: ['long'] } })],
	])('what this call would not heed is refused: %s', async (words, hand) => {
		await expect((async () => await hand(undefined))()).rejects.toMatchObject({
			code: 'invalid_input',
			message: expect.stringContaining(words) as string,
		});
	});
});
