import { seal } from '@partner-exchange/core/adapters';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { startTrigger, type Emission, type RunningTrigger, type TriggerOptions } from '../support/engine-trigger';
import { until as eventually } from '../support/condition';
import { answer, credentialFor, limitOrder } from './exchange';
import { loadOptions } from '../../nodes/shared/form/pickers';
import { makeFill } from '../support/fills';

describe('the stream trigger', () => {
	const NODE_DATA = { topics: ['user.orders', 'user.fills'], pairs: [], filters: {}, options: {} };

	let sandbox: Sandbox;

	const open: RunningTrigger[] = [];

	/** Executions that end when the test ends them, or when the test is over. */
	const pending: Emission[] = [];

	let isOver = false;

	let workflows = 0;

	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: false });
		isOver = false;
		workflows += 1;
	});

	afterEach(async () => {
		isOver = true;
		pending.splice(0).forEach((emission) => emission.finish());
		await Promise.all(open.splice(0).map((trigger) => trigger.close()));
		await sandbox.close();
	});

	async function listenTo(
		parameters: IDataObject,
		options: TriggerOptions = {},
		credential: IDataObject = {},
	): Promise<RunningTrigger> {
		const trigger = await startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox, credential),
			parameters: { ...NODE_DATA, ...parameters },
			workflowId: `workflow-${workflows}`,
			...options,
		});
		open.push(trigger);
		return trigger;
	}

	const place = (more: IDataObject = {}) => answer(sandbox, { ...limitOrder, ...more });

	const until = (condition: () => boolean) => eventually(condition, { what: String(condition) });

	const settled = async ({ order_id }: IDataObject) =>
		await until(() => sandbox.engine.state.orders.get(String(order_id))?.status === 'accepted');

	const statuses = (trigger: RunningTrigger) => trigger.items().map(({ data }) => (data as IDataObject)['status']);

	const keys = (trigger: RunningTrigger) => trigger.items().map(({ eventKey }) => eventKey);

	/** n8n knows the key of an emit without items, which only stores the position. */
	const hold = (each: Emission): void => {
		if (each.items.length === 0) each.skip();
		else if (isOver) each.finish();
		else pending.push(each);
	};

	it.each([
		[{ filters: { pair_id: 'USD/NGM' } }, 'There is no pair USD/NGM'],
		[{ topics: ['trades'], pairs: ['USDNGM'] }, 'There is no pair USDNGM'],
		[{ filters: { min_quantity: '1,000' } }, 'Minimum Quantity must be digits with at most one point'],
	])('the stream trigger refuses %j by name instead of waiting for it without end', async (parameters, what) => {
		await expect(listenTo(parameters)).rejects.toThrow(what);
	});

	it('the stream trigger takes a pair and an amount as a sheet writes them', async () => {
		const filters = { pair_id: 'usdngn', min_quantity: 5.5 };
		const trigger = await listenTo({ topics: ['user.orders'], filters });
		await place({ quantity: '5.00' });
		await place({ quantity: '6.00' });
		const [first] = await trigger.waitForItems(1);
		expect(first!['data']).toMatchObject({ quantity: '6.00' });
	});

	it('the stream trigger delivers each order update with its position on the stream', async () => {
		const trigger = await listenTo({ topics: ['user.orders'] });
		const { order_id } = await place();
		await until(() => statuses(trigger).includes('accepted'));
		const [first] = trigger.items();
		expect(first).toMatchObject({ topic: 'user.orders', delivery: 'live' });
		expect(first).toEqual(expect.objectContaining({ seq: expect.any(Number), ts: expect.any(String) }));
		expect(String(first!['eventKey'])).toContain(String(order_id));
	});

	it('the stream trigger tells an order and its fill with the business key the order was placed under', async () => {
		const trigger = await listenTo({ topics: ['user.orders', 'user.fills'] });
		await place({ price: '1000.00', options: { business_key: 'invoice-17', wait: 'none' } });
		await settled(await place({ price: '1500.00', options: { business_key: 'invoice-18' } }));
		await makeFill(sandbox);
		await until(() => trigger.items().some(({ topic }) => topic === 'user.fills'));
		const told = trigger.items().map(({ topic, data }) => [topic, (data as IDataObject)['business_key']].join(' '));
		expect(told).toEqual(
			expect.arrayContaining(['user.orders invoice-17', 'user.orders invoice-18', 'user.fills invoice-18']),
		);
	});

	it('the stream trigger hands over the fields of an order where an item has its fields, unless asked for the whole', async () => {
		const trigger = await listenTo({ topics: ['user.orders'], output: 'simple' });
		const { order_id } = await place();
		const [first] = await trigger.waitForItems(1);
		expect(first).toMatchObject({ id: order_id, side: 'buy', quantity: '10.00', topic: 'user.orders' });
		expect(first).toEqual(expect.objectContaining({ eventKey: expect.stringContaining(String(order_id)) }));
		for (const name of ['data', 'seq', 'epoch', 'ts']) expect(first).not.toHaveProperty(name);
		const { properties } = new PartnerExchangeTrigger().description;
		expect(properties.find(({ name }) => name === 'output')).toMatchObject({ default: 'simple' });
	});

	it.each([
		['user.fills', { side: 'sell' }],
		['user.orders', { side: 'sell', status: ['filled'] }],
	])(
		'a test of %s on an account without any shows an example, marked as one, that passes the filters',
		async (topic, filters) => {
			const trigger = await listenTo({ topics: [topic], filters, output: 'simple' }, { mode: 'manual' });
			const [shown] = await trigger.waitForItems(1);
			expect(shown).toMatchObject({ example: true, topic, side: 'sell', eventKey: `example:${topic}` });
		},
	);

	it('the stream trigger gathers what arrives while the workflow is busy into one execution', async () => {
		const trigger = await listenTo({ topics: ['user.orders'] }, { onEmit: hold });
		const witness = await listenTo({ topics: ['user.orders'] }, { workflowId: 'another' });
		await place();
		await until(() => pending.length === 1);
		await place();
		await witness.waitForItems(4);
		expect(trigger.emissions).toHaveLength(1);
		pending[0]!.finish();
		await until(() => pending.length === 2);
		expect(pending[1]!.items.length).toBeGreaterThan(1);
	});

	it('the stream trigger gives each event an execution of its own where asked', async () => {
		const trigger = await listenTo({ topics: ['user.orders'], options: { eventsPerExecution: 1 } });
		await Promise.all([place(), place()]);
		await trigger.waitForItems(4);
		expect(Math.max(...trigger.emissions.map(({ items }) => items.length))).toBe(1);
		expect(new Set(keys(trigger)).size).toBe(keys(trigger).length);
	});

	it('the stream trigger does not move its position before the workflow has run (checklist 127)', async () => {
		const trigger = await listenTo({ topics: ['user.orders'] }, { onEmit: hold });
		const before = JSON.stringify(positionsIn(trigger.staticData()));
		await place();
		await until(() => pending.length === 1);
		expect(JSON.stringify(positionsIn(pending[0]!.staticData))).toBe(before);
		pending[0]!.finish();
		await until(() => JSON.stringify(positionsIn(trigger.staticData())) !== before);
	});

	it('the stream trigger skips missed events where asked', async () => {
		const first = await listenTo({ topics: ['user.orders'] });
		await place();
		await until(() => statuses(first).includes('accepted'));
		await first.close();
		// What is still under way when the second begins is not missed, and the sandbox is ahead of its stream.
		const witness = await listenTo({ topics: ['user.orders'] }, { workflowId: 'another' });
		await place();
		await until(() => statuses(witness).includes('accepted'));
		const options = { deliverMissed: false };
		const second = await listenTo({ topics: ['user.orders'], options }, { nodeStaticData: first.staticData() });
		const { order_id } = await place();
		await until(() => statuses(second).includes('accepted'));
		expect(keys(second).every((key) => String(key).includes(String(order_id)))).toBe(true);
	});

	it('the stream trigger hands events over again while the workflow fails, as often as its form says', async () => {
		const trigger = await listenTo(
			{ topics: ['user.orders'], options: { tries: 2 } },
			{ onEmit: (each) => (pending.push(each), each.finish({ status: pending.length === 1 ? 'error' : 'success' })) },
		);
		await place();
		await until(() => trigger.emissions.length >= 2);
		const [once, twice] = trigger.emissions;
		expect(twice!.items).toEqual(once!.items);
		expect(twice!.deduplicationKey).not.toBe(once!.deduplicationKey);
	});

	it('the stream trigger starts executions only for events that match its filters', async () => {
		const trigger = await listenTo({ topics: ['user.orders'], filters: { status: ['accepted'], min_quantity: '5' } });
		await place({ quantity: '1.00' });
		const { order_id } = await place({ quantity: '20.00' });
		await until(() => trigger.items().length > 0);
		expect(trigger.items().map(({ data }) => data as IDataObject)).toEqual([
			expect.objectContaining({ status: 'accepted', quantity: '20.00' }),
		]);
		expect(keys(trigger)[0]).toContain(String(order_id));
	});

	it('the stream trigger counts what its filters drop, and Stream Status shows the count', async () => {
		const witness = await listenTo({ topics: ['user.orders'] }, { workflowId: 'another' });
		await listenTo({ topics: ['user.orders'], filters: { min_quantity: '5' } });
		await place({ quantity: '1.00' });
		await until(() => statuses(witness).includes('accepted'));
		const { totals, topics } = await answer(sandbox, { resource: 'stream', operation: 'status' });
		expect((totals as IDataObject)['filtered']).toBe(witness.items().length);
		expect(topics).toEqual([
			expect.objectContaining({ topic: 'user.orders', subscribers: 2, filtered: expect.any(Number) }),
		]);
	});

	it('the stream trigger forgets positions that belong to another account', async () => {
		const foreign = seal(
			{
				owner: 'someone@else',
				positions: { version: 1, topics: { 'user.orders': { epoch: 'x', seq: 9e9 } } },
			},
			1,
		) as unknown as IDataObject;
		const trigger = await listenTo({ topics: ['user.orders'] }, { nodeStaticData: foreign });
		expect(JSON.stringify(trigger.staticData())).not.toContain('9000000000');
	});
});

describe('a stream trigger of all pairs (checklist 125)', () => {
	let sandbox: Sandbox;
	let trigger: RunningTrigger | undefined;
	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } });
	});
	afterEach(async () => {
		await trigger?.close();
		trigger = undefined;
		await sandbox.close();
	});
	const listen = (pairs: string[]) =>
		startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox),
			parameters: { topics: ['trades'], pairs, filters: {}, options: { notices: true } },
		});

	it('all pairs is the first choice of the pairs, and says that it is live only', async () => {
		const { credentials } = credentialFor(sandbox);
		const httpRequest = async ({ url, headers }: { url: string; headers: Record<string, string> }) => {
			const response = await fetch(url, { headers });
			return { statusCode: response.status, headers: {}, body: await response.text() };
		};
		const host = {
			getCredentials: () => Promise.resolve(credentials.partnerExchangeApi),
			getNode: () => ({ name: 'n' }),
			helpers: { httpRequest },
		};
		expect(await loadOptions.loadPairs.call(host as never)).toEqual([
			{ name: 'All Pairs', value: '*', description: expect.stringContaining('Live only') as string },
			expect.objectContaining({ value: 'USD/NGN' }),
		]);
	});

	it('all pairs starts the workflow with each trade under its exact topic, once where its pair is chosen too', async () => {
		trigger = await listen(['*', 'USD/NGN']);
		await makeFill(sandbox);
		await makeFill(sandbox);
		const items = await trigger.waitForItems(2);
		expect(items.map(({ topic }) => topic)).toEqual(['trades.USD_NGN', 'trades.USD_NGN']);
		expect(new Set(items.map(({ eventKey }) => eventKey)).size).toBe(2);
	});

	it('all pairs activates the trigger with an error in words where the service refuses the pattern', async () => {
		await expect(listen(['#'])).rejects.toThrow('The service refuses the wildcard topic trades.#');
	});
});

/** The positions in what n8n stores for a trigger. */
const positionsIn = (stored: IDataObject): unknown => (stored['value'] as IDataObject | undefined)?.['positions'];
