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
	it('stops a runaway loop at the limit of the credential over executions, and sends nothing more', async () => {
		const credential = { ordersPerMinute: '2' };
		for (let times = 0; times < 2; times += 1)
			expect((await run(sandbox, limitOrder, { credential })).error).toBeUndefined();
		const { error } = await run(sandbox, limitOrder, { credential });
		expect(error).toMatchObject({ context: { data: { code: 'limit_reached' } } });
		expect(writes()).toHaveLength(2);
		const raised = await run(sandbox, limitOrder, { credential: { ordersPerMinute: 'none' } });
		expect(raised.error).toBeUndefined();
	});

	it('stops one execution with many items at the limit of the credential', async () => {
		const items = [{}, {}, {}, {}];
		const made = await run(sandbox, limitOrder, {
			...{ items, credential: { ordersPerDay: '3' } },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(made.items.filter(({ json }) => 'order_id' in json)).toHaveLength(3);
		expect(orders()).toHaveLength(3);
	});

	it('counts what other programs placed, and refuses orders while the list cannot be read', async () => {
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

	it('holds orders to the value limits of the credential', async () => {
		const { error } = await run(sandbox, limitOrder, { credential: { valuePerDay: '9999.99' } });
		expect(error).toMatchObject({ context: { data: { code: 'limit_reached' } } });
		expect(writes()).toEqual([]);
		expect((await run(sandbox, limitOrder, { credential: { valuePerDay: '10000' } })).error).toBeUndefined();
	});

	it.each(['', ' ', null, 'many', '-1', '1.5', '${ORDERS}', true])(
		"refuses the credential's limits %j by name",
		async (value) => {
			const { error } = await run(sandbox, limitOrder, { credential: { ordersPerMinute: value } });
			expect(error).toMatchObject({
				message: expect.stringContaining('Orders per Minute'),
				context: { data: { code: 'invalid_account', field: 'ordersPerMinute' } },
			});
			expect(sandbox.requests).toEqual([]);
		},
	);

	it('reads the limits when the credential is tested', async () => {
		const { testCredential } = new PartnerExchange().methods.credentialTest;
		const data = credentialFor(sandbox, { valuePerDay: 'much' }).credentials.partnerExchangeApi;
		const report = await testCredential.call({ helpers: {} } as never, { data } as never);
		expect(report).toEqual({ status: 'Error', message: expect.stringContaining('Value per Day') });
	});
});

describe('the stop switch of a credential', () => {
	it('refuses every order while the stop switch of the credential is on, and says why', async () => {
		const { error } = await run(sandbox, limitOrder, { credential: { stopAllOrders: true } });
		expect(error).toMatchObject({
			message: expect.stringContaining('Stop All Orders'),
			context: { data: { code: 'not_available' } },
		});
		expect(writes()).toEqual([]);
		expect((await run(sandbox, limitOrder, { credential: { stopAllOrders: false } })).error).toBeUndefined();
	});

	it('lets a cancel through while the stop switch is on', async () => {
		await run(sandbox, limitOrder);
		const { id } = orders()[0]!;
		const cancel = { resource: 'order', operation: 'cancel', order_id: id, pair_id: 'USD/NGN' };
		const { error } = await run(sandbox, cancel, { credential: { stopAllOrders: true } });
		expect(error).toBeUndefined();
	});

	it('applies the stop switch to an execution in progress', async () => {
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

	it.each(['yes', 1, '', null])('refuses the stop switch %j by name', async (value) => {
		const { error } = await run(sandbox, limitOrder, { credential: { stopAllOrders: value } });
		expect(error).toMatchObject({ context: { data: { code: 'invalid_account', field: 'stopAllOrders' } } });
		expect(sandbox.requests).toEqual([]);
	});
});

describe('an order of unknown outcome', () => {
	it('looks an unknown order up after its execution, and logs what it found', async () => {
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
		const report = await until(() => warnings[0], { what: 'a line in the log' });
		expect(report).toContain(`it was done (order ${orders()[0]!.id})`);
		expect(report).not.toContain('sandbox-key');
		expect(writes()).toHaveLength(1);
	});
});
