import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { until } from '../support/condition';
import { runNode } from '../support/engine';
import { accountOf, quickClient, resting } from '../support/placing';
import { credentialFor, limitOrder, run } from './exchange';

// Limits belong to a credential at an address and last as long as the process, so each test uses its own address.
let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
});
afterEach(async () => await sandbox.close());

const orders = () => [...sandbox.engine.state.orders.values()];
const writes = () => sandbox.requests.filter(({ method }) => method !== 'GET');

describe('the limits of a credential', () => {
	it('stop a loop that goes wild, over executions, and nothing more is sent', async () => {
		const credential = { ordersPerMinute: '2' };
		for (let times = 0; times < 2; times += 1)
			expect((await run(sandbox, limitOrder, { credential })).error).toBeUndefined();
		const { error } = await run(sandbox, limitOrder, { credential });
		expect(error).toMatchObject({ context: { data: { code: 'limit_reached' } } });
		expect(writes()).toHaveLength(2);
		const raised = await run(sandbox, limitOrder, { credential: { ordersPerMinute: 'none' } });
		expect(raised.error).toBeUndefined();
	});

	it('stop one execution with many items too', async () => {
		const items = [{}, {}, {}, {}];
		const made = await run(sandbox, limitOrder, {
			...{ items, credential: { ordersPerDay: '3' } },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(made.items.filter(({ json }) => 'order_id' in json)).toHaveLength(3);
		expect(orders()).toHaveLength(3);
	});

	it('count what other programs placed, and refuse while the list cannot be read', async () => {
		await quickClient(accountOf(sandbox)).order.create(resting);
		const { error } = await run(sandbox, limitOrder, { credential: { ordersPerDay: '1' } });
		expect(error).toMatchObject({ context: { data: { code: 'limit_reached' } } });
		const other = await startSandbox({ settings: { orderDelayMs: 0 } });
		other.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const unread = await run(other, limitOrder, { credential: { ordersPerDay: '1' } });
		expect(unread.error).toMatchObject({ context: { data: { code: 'not_available' } } });
		expect([...writes(), ...other.requests.filter(({ method }) => method !== 'GET')]).toHaveLength(1);
		await other.close();
	});

	it('hold the value of orders', async () => {
		const { error } = await run(sandbox, limitOrder, { credential: { valuePerDay: '9999.99' } });
		expect(error).toMatchObject({ context: { data: { code: 'limit_reached' } } });
		expect(writes()).toEqual([]);
		expect((await run(sandbox, limitOrder, { credential: { valuePerDay: '10000' } })).error).toBeUndefined();
	});

	it.each(['', ' ', null, 'many', '-1', '1.5', '${ORDERS}', true])(
		'are refused by name when they are %j',
		async (given) => {
			const { error } = await run(sandbox, limitOrder, { credential: { ordersPerMinute: given } });
			expect(error).toMatchObject({
				message: expect.stringContaining('Orders per Minute'),
				context: { data: { code: 'invalid_account', field: 'ordersPerMinute' } },
			});
			expect(sandbox.requests).toEqual([]);
		},
	);

	it('are read when the credential is tested', async () => {
		const { testCredential } = new PartnerExchange().methods.credentialTest;
		const data = credentialFor(sandbox, { valuePerDay: 'much' }).credentials.partnerExchangeApi;
		const told = await testCredential.call({ helpers: {} } as never, { data } as never);
		expect(told).toEqual({ status: 'Error', message: expect.stringContaining('Value per Day') });
	});
});

describe('the stop switch of a credential', () => {
	it('lets no order through until it is released, and says why', async () => {
		const { error } = await run(sandbox, limitOrder, { credential: { stopAllOrders: true } });
		expect(error).toMatchObject({
			message: expect.stringContaining('Stop All Orders'),
			context: { data: { code: 'not_available' } },
		});
		expect(writes()).toEqual([]);
		expect((await run(sandbox, limitOrder, { credential: { stopAllOrders: false } })).error).toBeUndefined();
	});

	it('lets a cancel through', async () => {
		await run(sandbox, limitOrder);
		const { id } = orders()[0]!;
		const cancel = { resource: 'order', operation: 'cancel', order_id: id, pair_id: 'USD/NGN' };
		const { error } = await run(sandbox, cancel, { credential: { stopAllOrders: true } });
		expect(error).toBeUndefined();
	});

	it('is seen by an execution that is under way', async () => {
		// The operator saves the credential while the node processes items: five at a time, and the switch is set after the
		// first.
		class Stopped extends PartnerExchange {
			override async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
				const stored = await this.getCredentials('partnerExchangeApi');
				const read = () => Promise.resolve({ ...stored, stopAllOrders: orders().length > 0 });
				Object.defineProperty(this, 'getCredentials', { value: read });
				return await PartnerExchange.prototype.execute.call(this);
			}
		}
		const made = await runNode(Stopped, {
			...{ ...credentialFor(sandbox), parameters: limitOrder, items: Array.from({ length: 8 }, () => ({})) },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(made.items).toHaveLength(8);
		expect(JSON.stringify(made.items.at(-1)!.json)).toContain('Stop All Orders');
		expect(orders().length).toBeGreaterThan(0);
		expect(orders().length).toBeLessThan(8);
	});

	it.each(['yes', 1, '', null])('is refused by name when it is %j', async (given) => {
		const { error } = await run(sandbox, limitOrder, { credential: { stopAllOrders: given } });
		expect(error).toMatchObject({ context: { data: { code: 'invalid_account', field: 'stopAllOrders' } } });
		expect(sandbox.requests).toEqual([]);
	});
});

describe('an order of unknown outcome', () => {
	it('is looked for after its execution, and the log of the node says what was found', async () => {
		const warnings: string[] = [];
		class Logged extends PartnerExchange {
			override async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
				Object.defineProperty(this, 'logger', { value: { warn: (text: string) => warnings.push(text) } });
				return await PartnerExchange.prototype.execute.call(this);
			}
		}
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const parameters = { ...limitOrder, options: { unknown_after_seconds: 1, check_market: false } } as never;
		const { error } = await runNode(Logged, { ...credentialFor(sandbox), parameters });
		expect(error).toMatchObject({ context: { data: { code: 'outcome_unknown' } } });
		sandbox.faults.disarm();
		const told = await until(() => warnings[0], { what: 'a line in the log' });
		expect(told).toContain(`it was done (order ${orders()[0]!.id})`);
		expect(told).not.toContain('sandbox-key');
		expect(writes()).toHaveLength(1);
	}, 60_000);
});
