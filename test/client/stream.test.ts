import {
	createClient,
	createStream,
	ExchangeError,
	type Account,
	type Consumer,
	type Stream,
	type StoredCheckpoint,
	type StreamEvent,
} from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';
import { forEach } from '../support/opened';

const RESTING = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' } as const;

describe('the stream over real sockets', () => {
	const sandbox = forEach(() => startSandbox({ marketMaker: true }));
	const streams: Stream[] = [];
	afterEach(async () => await Promise.all(streams.splice(0).map((stream) => stream.close())));

	const account = (more: Partial<Account> = {}): Account => ({
		environment: 'sandbox',
		baseUrl: sandbox.baseUrl,
		wsUrl: sandbox.wsUrl,
		apiKey: 'sandbox-key',
		...more,
	});

	function connect(value = account()) {
		const client = createClient(value, nodePorts());
		const stream = createStream({ ...nodePorts(), account: value, client });
		streams.push(stream);
		return { client, stream };
	}

	function listen(stream: Stream, consumer: Partial<Consumer> & Pick<Consumer, 'topics'>) {
		const seen = { events: [] as StreamEvent[], positions: undefined as StoredCheckpoint | undefined };
		const subscription = stream.subscribe({
			deliver: async (events) => void seen.events.push(...events),
			onCheckpoint: (positions) => (seen.positions = positions),
			...consumer,
		});
		const statuses = (orderId: string) =>
			seen.events
				.map(({ data }) => data as { id: string; status: string })
				.flatMap(({ id, status }) => (id === orderId ? [status] : []));
		const got = (orderId: string, status: string) =>
			until(() => statuses(orderId).includes(status), {
				what: `order ${orderId} ${status}`,
				seen: () => seen.events,
			});
		return Object.assign(seen, { subscription, statuses, got });
	}

	/** An order that is filled at once, wherever the market has moved. */
	const fillable = async (client: ReturnType<typeof connect>['client']) => {
		const asks = async () => (await client.market.orderBook({ pair_id: 'USD/NGN' })).asks;
		await until(async () => (await asks()).length > 0, { what: 'somebody who sells' });
		return { ...RESTING, price: '2000.00' };
	};

	it('delivers the life of an order and its fills', async () => {
		const { client, stream } = connect();
		const seen = listen(stream, { topics: ['user.orders', 'user.fills'] });
		await seen.subscription.ready;
		const { order_id } = await client.order.create(await fillable(client));
		await seen.got(order_id, 'filled');
		await until(() => seen.events.some(({ topic }) => topic === 'user.fills'), { what: 'a fill' });
		expect(seen.statuses(order_id).slice(0, 2)).toEqual(['pending', 'accepted']);
		expect(new Set(seen.events.map(({ eventKey }) => eventKey)).size).toBe(seen.events.length);
	});

	it('replays after a restart of the process what it missed', async () => {
		const first = connect();
		const before = listen(first.stream, { topics: ['user.orders'] });
		await before.subscription.ready;
		await first.stream.close();
		const { order_id } = await first.client.order.create({ ...RESTING });
		await until(() => sandbox.engine.state.orders.get(order_id)?.status === 'accepted', {
			what: 'the order',
		});
		const after = listen(connect().stream, { topics: ['user.orders'], checkpoint: before.positions });
		await after.got(order_id, 'accepted');
		expect(after.statuses(order_id)).toEqual(['pending', 'accepted']);
		expect(after.events.every(({ delivery }) => delivery === 'replayed')).toBe(true);
	});

	it('backfills what the service cannot replay', async () => {
		const first = connect();
		const before = listen(first.stream, { topics: ['user.orders', 'user.fills'] });
		await before.subscription.ready;
		await first.stream.close();
		const { order_id } = await first.client.order.create(await fillable(first.client));
		await until(() => sandbox.engine.state.orders.get(order_id)?.status === 'filled', {
			what: 'the fill',
		});
		sandbox.faults.arm({ kind: 'refuse-resume' });
		const after = listen(connect().stream, { topics: ['user.orders', 'user.fills'], checkpoint: before.positions });
		await after.got(order_id, 'filled');
		await until(() => after.events.some(({ topic }) => topic === 'user.fills'), {
			what: 'the fill',
		});
		expect(after.events.every(({ delivery }) => delivery === 'reconciled')).toBe(true);
	});

	it('delivers after a dropped connection what happened without one', async () => {
		const { client, stream } = connect();
		const seen = listen(stream, { topics: ['user.orders'] });
		await seen.subscription.ready;
		const { id } = sandbox.faults.arm({ kind: 'refuse-stream', times: 1_000 });
		sandbox.faults.arm({ kind: 'drop-stream' });
		const isAway = () => stream.status().connections.every(({ state }) => state !== 'live');
		await until(isAway, { what: 'the connection to break' });
		const { order_id } = await client.order.create({ ...RESTING });
		const isAccepted = () => sandbox.engine.state.orders.get(order_id)?.status === 'accepted';
		await until(isAccepted, { what: 'the order to be accepted' });
		expect(seen.statuses(order_id)).not.toContain('accepted');
		sandbox.faults.disarm(id);
		await seen.got(order_id, 'accepted');
		expect(seen.subscription.counters().reconnects).toBeGreaterThan(0);
	});

	it.each(['duplicate-event', 'reorder-events', 'skip-event'] as const)(
		'delivers everything once in spite of %s',
		async (kind) => {
			const { client, stream } = connect();
			const seen = listen(stream, { topics: ['user.orders'] });
			await seen.subscription.ready;
			sandbox.faults.arm({ kind, topic: 'user.orders' });
			const orders = [
				(await client.order.create({ ...RESTING })).order_id,
				(await client.order.create({ ...RESTING })).order_id,
			];
			for (const id of orders) await seen.got(id, 'accepted');
			expect(new Set(seen.events.map(({ eventKey }) => eventKey)).size).toBe(seen.events.length);
		},
	);

	it.each([
		['a wrong key', { apiKey: 'CANARY-key' }, 'unauthorized'],
		['a wrong address', { baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' }, 'unreachable'],
	])('says what is wrong with %s, without showing the key', async (_, wrong, code) => {
		const { stream } = connect(account({ ...wrong, apiKey: 'CANARY-key' }));
		const error = await listen(stream, { topics: ['user.orders'] }).subscription.ready.catch(
			(thrown: ExchangeError) => thrown,
		);
		expect(error).toBeInstanceOf(ExchangeError);
		expect(error).toMatchObject({ code });
		expect(`${(error as ExchangeError).stack} ${JSON.stringify(error)}`).not.toContain('CANARY');
	});
});
