import { ExchangeError, pollTransactions, type Item, type TransactionEvent } from '@partner-exchange/core';
import { openWallet as openService, type WalletService } from './service';

const BEGINS = Date.UTC(2026, 0, 1);
const transaction = (id: string | number, status = 'pending', more: Item = {}): Item => ({
	id: String(id),
	status,
	currency: 'NGN',
	rail: 'bank',
	settlement_rail: null,
	...more,
});
const dated = (id: number, status: string): Item =>
	transaction(id, status, { created_at: new Date(BEGINS + id * 60_000).toISOString() });

/** A wallet whose list shows no row that is dated ahead. */
function openWallet(list: Item[] = []): WalletService {
	const wallet = openService(list);
	const times = () => wallet.list.map(({ created_at }) => Date.parse(String(created_at ?? '')) || BEGINS);
	const now = () => times().reduce((latest, time) => Math.max(latest, time), BEGINS);
	return Object.defineProperty(wallet, 'now', { get: now });
}

const reports = (events: TransactionEvent[]) =>
	events.map(({ eventKey, change, previous_status: previous }) => [eventKey, change, previous]);

describe('polling transactions', () => {
	it('searches the page length once in a poll', async () => {
		const rows = Array.from({ length: 60 }, (_, id) => dated(60 - id, 'completed'));
		const requests: number[] = [];
		const page = async (_id: string, { offset = 0, limit = 0 }: Item): Promise<Item[]> => {
			await Promise.resolve();
			requests.push(Number(limit));
			if (Number(limit) > 20) throw new ExchangeError('refused', { what: 'Too many records requested' });
			return rows.slice(Number(offset), Number(offset) + Number(limit));
		};
		const { state } = await pollTransactions(
			{ page, call: () => Promise.reject(new Error('Nobody asks')), now: () => BEGINS },
			undefined,
		);
		expect(state.known).toHaveLength(60);
		expect(requests.filter((limit) => limit > 20)).toEqual([100, 50]);
	});

	it('reports a new transaction once and each change of its status once', async () => {
		const wallet = openWallet();
		await wallet.poll();
		wallet.list = [transaction(1)];
		expect(reports(await wallet.poll())).toEqual([['transaction:1:pending:', 'new', null]]);
		expect(await wallet.poll()).toEqual([]);
		wallet.list = [transaction(1, 'completed')];
		const [event] = await wallet.poll();
		expect(event).toEqual({
			eventKey: 'transaction:1:completed:',
			change: 'status',
			previous_status: 'pending',
			transaction: transaction(1, 'completed'),
		});
		expect(await wallet.poll()).toEqual([]);
	});

	it('reads open transactions that left the list one by one', async () => {
		const wallet = openWallet([transaction(1)]);
		await wallet.poll();
		wallet.list = [];
		expect(await wallet.poll()).toEqual([]);
		wallet.single = { 1: transaction(1, 'cancelled') };
		expect(reports(await wallet.poll())).toEqual([['transaction:1:cancelled:', 'status', 'pending']]);
		wallet.reads.length = 0;
		await wallet.poll();
		expect(wallet.reads).toEqual([]);
	});

	it('follows an unknown status as one that may change', async () => {
		const wallet = openWallet([transaction(1, 'reviewing')]);
		await wallet.poll();
		wallet.list = [];
		wallet.single = { 1: transaction(1, 'completed') };
		expect(reports(await wallet.poll())).toEqual([['transaction:1:completed:', 'status', 'reviewing']]);
	});

	it('reports what passes the filters, and follows the rest', async () => {
		const wallet = openWallet();
		await wallet.poll();
		wallet.list = [
			transaction(1),
			transaction(2, 'pending', { currency: 'USD', rail: 'tron', settlement_rail: 'USDT' }),
		];
		expect((await wallet.poll({ rails: ['USDT'] })).map(({ transaction: { id } }) => id)).toEqual(['2']);
		wallet.list = [transaction(1, 'completed'), transaction(2, 'completed')];
		expect(
			(await wallet.poll({ statuses: ['completed'], currencies: ['NGN'] })).map(({ transaction: { id } }) => id),
		).toEqual(['2', '1']);
	});

	it('ends the read at known rows, and keeps a state of bounded size', async () => {
		const wallet = openWallet(Array.from({ length: 5_000 }, (_, index) => dated(5_000 - index, 'completed')));
		await wallet.poll();
		wallet.pages = 0;
		expect(await wallet.poll()).toEqual([]);
		// The page of the newest hour, and the one behind it.
		expect(wallet.pages).toBeLessThanOrEqual(2);
		for (let round = 0; round < 3; round += 1) {
			wallet.list = [
				...Array.from({ length: 1_500 }, (_, index) => dated(10_000 + round * 1_500 + (1_500 - index), 'completed')),
				...wallet.list,
			];
			expect(await wallet.poll()).toHaveLength(1_500);
			expect(JSON.stringify(wallet.state).length).toBeLessThan(100_000);
		}
	});

	const oneListed = {
		...{ now: () => BEGINS },
		page: async (_id: string, { offset }: Item) => await Promise.resolve([transaction(1)].slice(Number(offset))),
		call: async () => ({}),
	};

	it.each([null, 5, '', [], {}, { version: 1, known: 'all' }])(
		'takes no stored state but an absent one for a first run, and refuses %j in words',
		async (state) => {
			await expect(pollTransactions(oneListed, state)).rejects.toMatchObject({
				...{ code: 'invalid_input', field: 'state', message: expect.stringContaining('is damaged') },
			});
		},
	);

	it.each([0, 2])('begins from now with a state of version %i, and says so', async (version) => {
		const said: string[] = [];
		const { events } = await pollTransactions(oneListed, { version }, {}, { warn: (text) => said.push(text) });
		expect([events, said]).toEqual([[], [expect.stringContaining('another version')]]);
	});

	it('reports no old transaction of any list order as new, and finds the new one in each', async () => {
		const old = Array.from({ length: 2_500 }, (_, index) => dated(index + 1, 'completed'));
		const shuffled = old.map((item, index) => old[(index * 977) % old.length] ?? item);
		const places = [old.length, 0, 1_234];
		for (const [index, list] of [old, old.toReversed(), shuffled].entries()) {
			const wallet = openWallet(list);
			expect(await wallet.poll()).toEqual([]);
			expect(await wallet.poll()).toEqual([]);
			wallet.list = list.toSpliced(places[index]!, 0, dated(9_000, 'completed'));
			expect((await wallet.poll()).map(({ transaction: { id } }) => id)).toEqual(['9000']);
		}
	});

	it('finds in one poll that many old pending transactions have completed', async () => {
		const pending = Array.from({ length: 200 }, (_, index) => dated(200 - index, 'pending'));
		const wallet = openWallet(pending);
		await wallet.poll();
		const newer = Array.from({ length: 400 }, (_, index) => dated(1_000 - index, 'completed'));
		wallet.list = [...newer, ...pending];
		await wallet.poll();
		wallet.list = [...newer, ...pending.map(({ id }) => dated(Number(id), 'completed'))];
		expect(await wallet.poll()).toHaveLength(200);
	});

	it('finds every changed status, however many changed at once', async () => {
		const all = (status: string) => Array.from({ length: 250 }, (_, index) => dated(250 - index, status));
		const wallet = openWallet(all('completed'));
		await wallet.poll();
		wallet.list = all('failed');
		expect(await wallet.poll()).toHaveLength(250);
	});

	it('gives no two transactions one key: ids with a colon, and an id given again once it was forgotten', async () => {
		const keysOf = async (...rows: Item[]) => {
			const wallet = openWallet();
			await wallet.poll();
			wallet.list = rows;
			return (await wallet.poll()).map(({ eventKey }) => eventKey);
		};
		const keys = [
			...(await keysOf(transaction('a:b', 'c'), transaction('a', 'b:c'), transaction('a%3Ab', 'c'))),
			...(await keysOf(dated(1, 'pending'))),
			...(await keysOf({ ...dated(2, 'pending'), id: '1' })),
		];
		expect(new Set(keys).size).toBe(5);
	});

	it('says which polls learned something that has to be stored, told or not', async () => {
		const wallet = openWallet([transaction(1)]);
		const learned: boolean[] = [];
		const only = { statuses: ['completed'] };
		for (const list of [[1], [1], [1, 2], [1, 2]]) {
			wallet.list = list.map((id) => transaction(id));
			await wallet.poll(only);
			learned.push(wallet.learned);
		}
		wallet.list = [transaction(1, 'failed'), transaction(2)];
		await wallet.poll(only);
		expect([...learned, wallet.learned]).toEqual([true, false, true, false, true]);
	});
});
