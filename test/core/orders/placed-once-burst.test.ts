import { createClient, isExchangeError, createStream, type Stream } from '@partner-exchange/core';
import { startSandbox, type FaultKind, type Sandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../../support/idle-time';
import { accountOf, ordersIn, resting } from '../../support/placing';
import { nodePorts } from '@partner-exchange/core/node';
import { forAll } from '../../support/opened';

const ORDERS = 200;

/** Waiting intents share their lookups: a few are read at once, the rest at a fixed number of pages per second. */
const PAGES_AHEAD = 60;

const PAGES_PER_SECOND = 10;

/** More orders than one page holds, so that the list grows during the lookup. */
const OLDER = 130;

const faults: readonly FaultKind[] = [
	'commit-then-drop',
	'drop-before-commit',
	'html-502',
	'commit-then-502',
	'server-error',
	'truncate',
	'too-many-requests',
];

const FAULTS = 15;

/** Fewer than the tries of one order: on a slow machine one order may meet all of them, and then they refuse it. */
const LIMITED = 5;

describe('200 orders at once, each with a name of its own', () => {
	let sandbox: Sandbox;
	afterEach(() => sandbox.close());

	const lists = () => sandbox.requests.filter(({ method, path }) => method === 'GET' && /\/orders(\?|$)/.test(path));

	async function burst(
		names: readonly string[],
		beside: (client: ReturnType<typeof createClient>) => Promise<unknown>,
	) {
		const time = idleTime((byMs) => sandbox.advance(byMs));
		const client = createClient(accountOf(sandbox), time.ports);
		const place = (business_key: string) =>
			client.order.create(resting, { options: { business_key, check_market: false } });
		const others = beside(client);
		const ended = await time.during(Promise.allSettled(names.map(place)));
		await others;
		return ended.map((end) => (end.status === 'fulfilled' ? 'placed' : codeOf(end.reason)));
	}
	const codeOf = (error: unknown): string => (isExchangeError(error) ? error.message : String(error));

	const timesOf = (kind: FaultKind): number => (kind === 'too-many-requests' ? LIMITED : FAULTS);
	const names = Array.from({ length: ORDERS }, (_, at) => `row ${at}`);
	const seeded = async (settings: object) => {
		sandbox = await startSandbox({ seed: 1, clock: 'virtual', settings: { orderDelayMs: 0, ...settings } });
		const client = createClient(accountOf(sandbox), idleTime().ports);
		for (let at = 0; at < OLDER; at += 1) await client.order.create(resting, { options: { check_market: false } });
		sandbox.advance(60_000);
		sandbox.requests.length = 0;
	};

	it('places each of 200 orders once while others grow the list, and shares the list readings', async () => {
		await seeded({});
		const strangers = async (client: ReturnType<typeof createClient>): Promise<void> => {
			for (let at = 0; at < 50; at += 1) await client.order.create(resting, { options: { check_market: false } });
		};
		expect(new Set(await burst(names, strangers))).toEqual(new Set(['placed']));
		expect(ordersIn(sandbox)).toHaveLength(OLDER + 50 + ORDERS);
		expect(lists().length).toBeLessThanOrEqual(PAGES_AHEAD);
	});

	it.each([
		['a list that shows all at once', 0],
		['a list that lags', 8_000],
	])('places each of 200 orders once through faults, with %s', async (_, listLagMs) => {
		await seeded({ listLagMs });
		for (const [at, kind] of faults.entries()) {
			sandbox.faults.arm({ kind, operation: 'order.create', times: timesOf(kind), after: 5 * at });
			sandbox.faults.arm({ kind, operation: 'order.list', times: 1, after: at });
		}
		expect(new Set(await burst(names, () => Promise.resolve()))).toEqual(new Set(['placed']));
		const placed = ordersIn(sandbox).map(({ clientOrderId }) => clientOrderId);
		expect(new Set(placed).size).toBe(OLDER + ORDERS);
		expect(placed).toHaveLength(OLDER + ORDERS);
		const seconds = (lists().at(-1)!.at - lists()[0]!.at) / 1_000;
		expect(lists().length).toBeLessThanOrEqual(PAGES_AHEAD + seconds * PAGES_PER_SECOND);
	});
});

const TOPICS = 50;

describe('a flow that sends everything at once', () => {
	const sandbox = forAll(() => startSandbox({ seed: 1, settings: { orderDelayMs: 0 }, marketMaker: false }));
	let stream: Stream;
	afterAll(async () => await stream?.close());

	it('places 200 orders beside 50 topics, each once, almost without rate limits', async () => {
		const account = {
			environment: 'sandbox' as const,
			baseUrl: sandbox.baseUrl,
			wsUrl: sandbox.wsUrl,
			apiKey: 'sandbox-key',
		};
		const ports = nodePorts();
		const client = createClient(account, ports);
		stream = createStream({ ...ports, account, client });
		const pairs = Array.from({ length: TOPICS - 2 }, (_, at) => `trades.P${at}_NGN`);
		const listening = stream.subscribe({ topics: ['user.orders', 'user.fills'], deliver: async () => undefined });
		stream
			.subscribe({ topics: pairs, retriesFirstConnection: true, deliver: async () => undefined })
			.ready.catch(() => undefined);
		await listening.ready;

		const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1000.00' } as const;
		const placed = await Promise.all(Array.from({ length: ORDERS }, () => client.order.create(order)));
		const ids = placed.map(({ order_id }) => order_id).sort();
		expect(new Set(ids).size).toBe(ORDERS);
		const posts = sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'));
		expect(posts.length - ORDERS).toBeLessThanOrEqual(ORDERS / 100);
		const listed: unknown[] = [];
		for await (const { id } of client.items('order.list', { limit: 100 })) listed.push(id);
		expect(listed.filter((id) => ids.includes(String(id))).sort()).toEqual(ids);
	});
});
