import {
	createClient,
	createAccountMemory,
	type Account,
	type Client,
	type Item,
	type OrderPorts,
	type SendHttp,
} from '@partner-exchange/core';
import { virtualTime } from '../../simulation/support/time';

const MINUTE_MS = 60_000;
const FINAL = 'filled';

export interface ListHabits {
	/** How many orders the account has. One was placed each minute. */
	history: number;
	sorted?: 'newest_first' | 'oldest_first' | 'by_name';
	hasTimes?: boolean;
	/** Says nothing of how long it is. */
	hasNoCount?: boolean;
	/** Shows orders that are over to those who filter by their status. */
	showsOpenAlone?: boolean;
	/** What an order read by its ID leaves out. */
	hides?: readonly string[];
	/** How long the service takes for a request. */
	answerMs?: number;
}

export interface OrderRow {
	id: string;
	name: string;
	at: number;
	status: string;
	/** Mixes names and times up. */
	mixed: number;
	/** When the list shows it. */
	shownAt: number;
	terms?: Item;
}

/** A service with a long history of orders, on virtual time. */
export function longList(habits: ListHabits) {
	const time = virtualTime();
	const orders: OrderRow[] = [];
	const add = (name: string, changes: Partial<OrderRow> = {}): Readonly<OrderRow> => {
		const at = changes.at ?? time.now();
		const number = orders.length;
		const mixed = (number * 7_919) % 65_537;
		const order = { id: `order-${number}`, name, at, mixed, status: FINAL, shownAt: at, ...changes };
		orders.push(order);
		return order;
	};
	for (let age = habits.history; age > 0; age -= 1) add(`of-before-${age}`, { at: time.now() - age * MINUTE_MS });
	const [pages, writes, reads]: [string[], Item[], string[]] = [[], [], []];
	let fails: ((path: string) => boolean) | undefined;

	function row({ id, name, at, status, terms }: OrderRow): Item {
		const dated = habits.hasTimes === false ? {} : { created_at: new Date(at).toISOString() };
		return { id, client_order_id: name, pair_id: 'USD/NGN', quantity: '10.00', status, ...terms, ...dated };
	}

	const inOrder = {
		newest_first: (a: OrderRow, b: OrderRow) => b.at - a.at,
		oldest_first: (a: OrderRow, b: OrderRow) => a.at - b.at,
		by_name: (a: OrderRow, b: OrderRow) => a.mixed - b.mixed,
	}[habits.sorted ?? 'newest_first'];
	/** The orders by the status that is asked for. They are picked out once and not page by page, for lists are long. */
	const picked = new Map<string | undefined, OrderRow[]>();
	let pickedOf = 0;

	function matching(status: string | undefined): OrderRow[] {
		if (pickedOf !== orders.length) picked.clear();
		pickedOf = orders.length;
		const known = picked.get(status);
		if (known) return known;
		const all = orders
			.filter((order) => status === undefined || order.status === status)
			.filter((order) => !habits.showsOpenAlone || status !== undefined || order.status !== FINAL)
			.sort(inOrder);
		const shown = all.filter(({ shownAt }) => shownAt <= time.now());
		// Where one is shown later, the list is another one then.
		if (shown.length === all.length) picked.set(status, shown);
		return shown;
	}

	function listed(query: URLSearchParams): Item {
		const all = matching(query.get('status') ?? undefined);
		const offset = Number(query.get('offset') ?? 0);
		const rows = all.slice(offset, offset + Number(query.get('limit') ?? 50));
		return { ...(habits.hasNoCount ? {} : { count: all.length }), orders: rows.map(row) };
	}

	const answerTo = ({ method, url, body }: Parameters<SendHttp>[0]): { status: number; data: unknown } => {
		const { pathname, searchParams } = new URL(url);
		if (fails?.(pathname + url)) return { status: 503, data: {} };
		if (method === 'POST') {
			const sent = JSON.parse(body!) as Item;
			writes.push(sent);
			const { id } = add(String(sent.client_order_id), { terms: sent, status: 'accepted' });
			return { status: 200, data: { order_id: id, status: 'pending' } };
		}
		if (pathname.endsWith('/orders')) {
			pages.push(searchParams.toString());
			return { status: 200, data: listed(searchParams) };
		}
		const id = pathname.split('/').at(-1)!;
		reads.push(id);
		const order = orders.find((row) => row.id === id);
		if (!order) return { status: 404, data: {} };
		const rows = Object.entries(row(order)).filter(([name]) => !habits.hides?.includes(name));
		return { status: 200, data: Object.fromEntries(rows) };
	};

	const send: SendHttp = (request) =>
		new Promise((resolve) => {
			time.after(habits.answerMs ?? 20, () => {
				const { status, data } = answerTo(request);
				const date = new Date(time.now()).toUTCString();
				resolve({ status, headers: { date }, body: JSON.stringify({ status: 'success', data }) });
			});
		});

	/** A process of an account, which has looked at nothing yet. */
	function process(account: Partial<Account> = {}, host: Partial<OrderPorts> = {}) {
		const opened: Account = {
			...{ environment: 'sandbox', apiKey: 'k', ...account },
			...{ baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' },
		};
		const memory = createAccountMemory();
		let ids = 0;
		const client = (key = opened.apiKey): Client =>
			createClient(
				{ ...opened, apiKey: key },
				{ send, clock: time, random: () => 0.5, newId: () => `id-${(ids += 1)}` },
				{ memory, ...host },
			);
		const place = (name: string, { signal, key }: { signal?: AbortSignal; key?: string } = {}) =>
			client(key).order.create(
				{ pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' },
				{ signal, options: { business_key: name, check_market: false } },
			);
		return { client, place };
	}

	return {
		...{ time, add, pages, writes, reads, process, listed },
		orders: orders as readonly Readonly<OrderRow>[],
		/** A number of orders of other programs, one each millisecond until now. */
		addMany: (count: number) => {
			for (let age = count; age > 0; age -= 1) add(`of others ${orders.length}`, { at: time.now() - age });
		},
		remove: (order: Readonly<OrderRow>) => {
			orders.splice(orders.indexOf(order), 1);
			picked.clear();
		},
		change: (order: Readonly<OrderRow>, changes: Partial<OrderRow>) => {
			Object.assign(order, changes);
			picked.clear();
		},
		failWhere: (matches: typeof fails) => void (fails = matches),
		/** What the work comes to, and how many pages and how much time it took. */
		measure: async <Result>(work: () => Promise<Result>) => {
			const [before, began] = [pages.length, time.elapsed()];
			const end: { result?: Result; error?: unknown; ms?: number } = {};
			void work().then(
				(result) => Object.assign(end, { result, ms: time.elapsed() - began }),
				(error: unknown) => Object.assign(end, { error, ms: time.elapsed() - began }),
			);
			while (end.ms === undefined) await time.run(time.now() + 1_000);
			return { ...end, ms: end.ms, pages: pages.length - before };
		},
	};
}
