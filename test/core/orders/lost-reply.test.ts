import {
	createClient,
	createAccountMemory,
	type ExchangeError,
	type Item,
	type SendHttp,
} from '@partner-exchange/core';
import { virtualTime } from '../../simulation/support/time';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const fields = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' } as const;

interface Habits {
	/** How a list shows an order. */
	shows?: (order: Item) => Item;
	/** How a list answers, from the rows of the page and all of them. */
	lists?: (rows: Item[], all: Item[], query: URLSearchParams) => unknown;
	/** Orders of others that were there before. */
	others?: Item[];
	/** How the reply to an order is lost. */
	reply?: { status: number; data?: unknown };
	dateMs?: number;
}

/** A service that carries every order out, loses the replies and forgets the keys. */
function service({ shows = (order) => order, lists, others = [], reply = { status: 503 }, dateMs = 0 }: Habits) {
	const time = virtualTime();
	const placed: Item[] = [];
	const answer = (url: URL, method: string, body?: string): { status: number; data?: unknown } => {
		if (method === 'POST') {
			const created_at = new Date(time.now()).toISOString();
			placed.unshift({
				id: `order-${placed.length + 1}`,
				...(JSON.parse(body!) as Item),
				created_at,
				status: 'accepted',
			});
			return placed.length === 1
				? reply
				: { status: 200, data: { order_id: placed[0]!.id, status: 'pending', created_at } };
		}
		const id = url.pathname.split('/').at(-1);
		const all = [...placed.map((order) => shows({ ...order })), ...others];
		if (id !== 'orders') {
			const order = all.find((row) => row.id === id);
			return order ? { status: 200, data: order } : { status: 404 };
		}
		const status = url.searchParams.get('status');
		const listed = all.filter((row) => status === null || row.status === status);
		const offset = Number(url.searchParams.get('offset') ?? 0);
		const rows = listed.slice(offset, offset + 100);
		return { status: 200, data: lists?.(rows, listed, url.searchParams) ?? { count: listed.length, orders: rows } };
	};
	const send: SendHttp = ({ url, method, body }) =>
		new Promise((resolve) => {
			time.after(20, () => {
				const { status, data = {} } = answer(new URL(url), method, body);
				const date = new Date(time.now() + dateMs).toUTCString();
				resolve({ status, headers: { date }, body: JSON.stringify({ status: 'success', data }) });
			});
		});
	/** A process that knows of nothing. */
	const client = () => {
		let ids = 0;
		const ports = { send, clock: time, random: () => 0.5, newId: () => `id-${(ids += 1)}` };
		const account = { environment: 'production', apiKey: 'k' } as const;
		const urls = { baseUrl: 'https://exchange.test/v1', wsUrl: 'wss://exchange.test/v1/ws' };
		return createClient({ ...account, ...urls }, ports, { memory: createAccountMemory() });
	};
	const ended = async (work: Promise<Item>) => {
		const end: { answer?: Item; error?: ExchangeError; isOver?: true } = {};
		void work.then(
			(answer) => Object.assign(end, { answer, isOver: true }),
			(error: ExchangeError) => Object.assign(end, { error, isOver: true }),
		);
		while (!end.isOver) await time.run(time.now() + SECOND);
		return end;
	};
	return { placed, client, ended, time };
}

const other = (id: string, more: Item = {}): Item => ({
	...{ id, ...fields, client_order_id: `of ${id}`, quantity: '3.00', status: 'filled' },
	...{ created_at: '2020-01-01T00:00:00Z', ...more },
});
const without =
	(...names: string[]) =>
	(order: Item): Item =>
		Object.fromEntries(Object.entries(order).filter(([name]) => !names.includes(name)));
const some = [other('a'), other('b')];

/** What a service may do to the order whose reply it lost. */
const cases: [string, Habits][] = [
	['shows its ID as `order_id`', { shows: ({ id, ...order }) => ({ ...order, order_id: id }), others: some }],
	['shows no ID', { shows: without('id'), others: some }],
	['spells its pair without a slash', { shows: (order) => ({ ...order, pair_id: 'USDNGN' }), others: some }],
	[
		'spells its pair with a dash and no name',
		{ shows: (order) => ({ ...without('client_order_id')(order), pair_id: 'usd-ngn' }), others: some },
	],
	['calls its side a bid', { shows: (order) => ({ ...order, side: 'bid' }), others: some }],
	['shows amounts as numbers', { shows: (order) => ({ ...order, quantity: 10, price: 1500 }), others: some }],
	[
		'writes amounts with an exponent and no name',
		{ shows: (order) => ({ ...order, client_order_id: null, quantity: '1.0E+1', price: '1.5E+3' }), others: some },
	],
	[
		'writes amounts with separators and no name',
		{ shows: (order) => ({ ...order, client_order_id: null, price: '1,500.00' }), others: some },
	],
	[
		'names its fields in another style',
		{
			shows: (order) => ({
				id: order.id,
				clientOrderId: order.client_order_id,
				pairId: order.pair_id,
				qty: order.quantity,
				status: order.status,
			}),
			others: some,
		},
	],
	[
		'dates it by local time, an hour behind',
		{
			shows: (order) => ({
				...order,
				created_at: new Date(Date.parse(String(order.created_at)) - 60 * MINUTE).toISOString(),
			}),
			others: some,
		},
	],
	[
		'dates it by local time and shows no name',
		{
			shows: (order) => ({
				...order,
				client_order_id: null,
				created_at: new Date(Date.parse(String(order.created_at)) - 60 * MINUTE).toISOString(),
			}),
			others: some,
		},
	],
	[
		'counts its orders in text',
		{
			lists: (rows, all) => ({ count: String(all.length), orders: rows.filter(({ status }) => status === 'filled') }),
			others: some,
		},
	],
	[
		'lists all orders but the latest, and says how many there are elsewhere',
		{
			lists: (rows, all) => ({
				orders: rows.filter(({ status }) => status === 'filled'),
				pagination: { total: all.length },
			}),
			others: some,
		},
	],
	[
		'takes the offset as the number of a page',
		{
			lists: (_, all, query) => ({
				has_more: query.get('offset') === '0',
				orders: all.toReversed().slice(Number(query.get('offset')) * 100, Number(query.get('offset')) * 100 + 100),
			}),
			others: Array.from({ length: 120 }, (_, index) => other(`o${index}`)),
		},
	],
	[
		'pages by a cursor alone',
		{
			lists: (_, all, query) =>
				query.get('offset') === '0'
					? { orders: all.toReversed().slice(0, 2), next_cursor: 'n' }
					: { orders: [], next_cursor: null },
			others: some,
		},
	],
	[
		'shows it under the name of its business key alone',
		{
			shows: (order) => ({ ...order, client_order_id: String(order.client_order_id).split('_').at(-1) }),
			others: some,
		},
	],
	[
		'puts quotes around its name',
		{ shows: (order) => ({ ...order, client_order_id: `"${String(order.client_order_id)}"` }), others: some },
	],
	[
		'answers success without an order',
		{ reply: { status: 200, data: {} }, shows: without('client_order_id'), others: some },
	],
	[
		'answers another order',
		{ reply: { status: 200, data: { order_id: 'a', client_order_id: 'of a', status: 'filled' } }, others: some },
	],
	[
		'dates its answers a day ahead and shows no name',
		{ dateMs: 24 * 60 * MINUTE, shows: without('client_order_id'), others: some },
	],
];

describe('an order whose reply was lost by a service that forgets keys', () => {
	it.each(cases)('is placed once and never denied where the service %s', async (_, habits) => {
		for (const options of [{}, { business_key: 'invoice-7' }]) {
			const { placed, client, ended } = service(habits);
			const { error } = await ended(
				client().order.create(fields, { options: { check_market: false, ...options } }) as never,
			);
			expect([placed.length <= 1, error?.done ?? 'told']).toEqual([true, error ? 'unknown' : 'told']);
			if (!('business_key' in options) || placed.length === 0) continue;
			// Another process is asked for the same order again.
			const again = await ended(
				client().order.create(fields, { options: { check_market: false, ...options } }) as never,
			);
			expect([placed.length, again.error?.done ?? 'told']).toEqual([1, again.error ? 'unknown' : 'told']);
			const [order] = placed;
			// Asked by the name alone, an order without one among named ones is what somebody placed by hand.
			if (!(habits.shows?.(order!) ?? order!).client_order_id) continue;
			const input = { client_order_id: String(order!.client_order_id) };
			const match = await ended(client().order.resolve(input, { options: { wait_certain: true } }) as never);
			expect(match.answer?.outcome ?? 'not told').not.toBe('not_found');
		}
	});
});
