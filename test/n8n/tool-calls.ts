import { startSandbox } from '@partner-exchange/sandbox';
import { orderStatuses } from '@partner-exchange/core/catalogue';
import { ExecuteContext } from 'n8n-core';
import { createEmptyRunExecutionData, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { runAsTool, type AgentRun, type Batch } from '../support/engine-agent';
import { additionalDataFor, buildWorkflow } from '../support/engine-host';
import { credentialFor, limitOrder } from './exchange';
import { forEach } from '../support/opened';

/** The earlier agents of n8n; its current one runs in a complete n8n, in test/hosts/n8n/agents.ts. */
describe('a tool of an agent', () => {
	const sandbox = forEach(() => startSandbox());

	const orders = () => [...sandbox.engine.state.orders.values()];
	const keys = () =>
		sandbox.requests
			.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'))
			.map(({ headers }) => headers['idempotency-key']);

	const chosen = { ...limitOrder, quantity: "={{ $fromAI('quantity') }}" };
	/** A list without a single order is read whole, and once for each status. */
	const LOOK_READS = 1 + Object.keys(orderStatuses).length;
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	let executions = 0;
	const call = async (
		batches: Batch[],
		{ parameters = chosen, ...more }: { parameters?: IDataObject; settings?: object; fails?: boolean } = {},
	): Promise<AgentRun> =>
		await runAsTool(PartnerExchange, batches, {
			...credentialFor(sandbox),
			executionId: `execution-${(executions += 1)}`,
			parameters: parameters as INodeParameters,
			...more,
		});

	describe('what an agent reads about its tool', () => {
		it('says what is fixed in the form, and what each value is that the model gives, with unit and example', async () => {
			const { described } = await call([[{ quantity: '1.00' }]]);
			expect(described).toContain('Place an order');
			expect(described).toContain('Side is always buy');
			expect(described).toContain('Order Type is always limit');
			expect(described).toContain('Pair is always USD/NGN');
			expect(described).toContain(
				'Quantity: Amount in the base currency, in the base currency of the pair, which is USD in USD/NGN, such as 100.00',
			);
			expect(described).not.toContain('Price of one unit');
		});

		it('says of a value that the workflow computes that the model does not give it', async () => {
			const parameters = { ...chosen, quantity: '={{ 1 + 1 }}' } as IDataObject;
			const { described } = await call([[{}]], { parameters });
			expect(described).toContain('Quantity is set by the workflow');
			expect(described).not.toContain('Amount in the base currency');
		});

		it('places nothing where neither a person nor the model chose a side', async () => {
			const { side: _, ...unchosen } = chosen as IDataObject;
			const { told } = await call([[{ quantity: '1.00', side: 'sell' }]], { parameters: unchosen });
			expect(told[0]).toMatch(/Side/);
			expect(orders()).toEqual([]);
		});
	});

	it('takes an order only by a name in an agent of n8n itself, which runs it in no execution', async () => {
		const reported = async (more: IDataObject): Promise<string | undefined> => {
			const options = { ...credentialFor(sandbox), parameters: { ...limitOrder, ...more } as INodeParameters };
			const workflow = buildWorkflow([{ type: PartnerExchange, name: 'Tool', ...options }], undefined, options);
			const node = workflow.getNode('Tool')!;
			const items = [{ json: {} }];
			const data = { main: [items] };
			const additional = { ...additionalDataFor(workflow, 'internal', options), executionId: undefined };
			const execution = createEmptyRunExecutionData();
			const own = [execution, 0, items, data, { node, data, source: null }, new Array<never>()] as const;
			const host = new ExecuteContext(workflow, node, additional, 'internal', ...own);
			const failed = (error: { message: string; description: string }) => `${error.message}. ${error.description}`;
			return await new PartnerExchange().execute.call(host).then(() => undefined, failed);
		};
		expect(await reported({})).toMatch(/in no execution.* Set a Business Key .*nothing was sent/);
		expect(await reported({ options: { dry_run: true } })).toBeUndefined();
		expect(keys()).toEqual([]);
		for (const name of [{ business_key: 'ticket-7' }, { client_order_id: 'ticket-8' }])
			for (const options of [name, name]) expect(await reported({ options })).toBeUndefined();
		expect(orders()).toHaveLength(2);
		const named = { resource: 'order', operation: 'cancel', order_id: orders()[0]!.id };
		expect(await reported(named)).toBeUndefined();
	});

	describe('an order placed by an agent', () => {
		it("places an agent's order once when its reply is lost and Retry On Fail calls the tool again", async () => {
			// The reply is lost and the outcome cannot be read, so the tool's first try fails.
			sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
			sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', times: 1 });
			const { told: reports } = await call([[{ quantity: '1.00' }]], { settings: retrying });
			expect(orders()).toHaveLength(1);
			expect(new Set(keys()).size).toBe(1);
			expect(JSON.parse(reports[0]!)).toEqual([expect.objectContaining({ order_id: orders()[0]!.id })]);
		});

		it("refuses an agent's order where the model decides whether production is allowed", async () => {
			const parameters = { ...chosen, options: { production: "={{ $fromAI('production', '', 'boolean') }}" } };
			const { told: reports } = await call([[{ quantity: '1.00', production: true }]], { parameters });
			expect(reports[0]).toContain('Allow Production is for a person to switch on');
			expect(orders()).toEqual([]);
		});

		it("never places an agent's order with the values of its neighbour in a batch", async () => {
			const { told: reports } = await call([[{ quantity: '1.00' }, { quantity: '2.00' }]]);
			const placed = reports.filter((text) => text.startsWith('['));
			expect(orders()).toHaveLength(placed.length);
			expect(reports[0]).toContain('order_id');
			// n8n gives both calls the values of the first; the second must not become an order of 1.00.
			expect(orders().filter(({ quantity }) => quantity === 100n)).toHaveLength(1);
			if (placed.length === 1) expect(reports[1]).toMatch(/another call of the same batch.*no order was placed/s);
		});

		it.each([
			[{ quantity: ' 1.000', price: '1500', side: 'BUY' }],
			[{ order_type: 'Limit', side: ' buy ', pair_id: 'usd/ngn', time_in_force: ' gtc' }],
		])("refuses a model's repeated order in another spelling, such as %j", async (other) => {
			const values = {
				...{ quantity: '1.00', price: '1500.00', side: 'buy', order_type: 'limit' },
				...{ pair_id: 'USD/NGN', time_in_force: 'GTC' },
			};
			const { time_in_force, ...form } = Object.fromEntries(
				Object.keys(values).map((name) => [name, `={{ $fromAI('${name}') }}`]),
			);
			sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create', times: 99 });
			sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', times: 99 });
			const { told: reports } = await call([[values], [{ ...values, ...other }]], {
				parameters: { ...limitOrder, ...form, options: { time_in_force } },
			});
			expect(reports[0]).toMatch(/outcome_unknown/);
			expect(reports[1]).toMatch(/Resolve Order.*client_order_id/s);
			expect(orders()).toHaveLength(1);
		});

		it("refuses a model's repeated order though an expression names each call by its time", async () => {
			sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
			sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', after: LOOK_READS, times: 1 });
			const options = { client_order_id: "={{ 'ord-' + $now.toMillis() }}" };
			const { told: reports } = await call([[{ quantity: '1.00' }], [{ quantity: '1.00' }]], {
				parameters: { ...chosen, options },
			});
			expect(reports[1]).toMatch(/Resolve Order.*client_order_id/s);
			expect(orders()).toHaveLength(1);
		});

		it("refuses a model's repeated order after the first was placed and not filled in time", async () => {
			const waiting = { wait: 'final', wait_seconds: 1, fail_when: 'time_limit' };
			const parameters = { ...chosen, price: '1000.00', options: waiting };
			const { told: reports, retry } = await call([[{ quantity: '1.00' }], [{ quantity: '1.00' }]], {
				parameters,
				fails: true,
			});
			expect(reports[0]).toMatch(/time_limit/);
			expect(reports[1]).toMatch(/placed.*order_id.*this run sent nothing/s);
			expect(reports[1]).toContain(orders()[0]!.id);
			await retry('execution-by-hand');
			expect(orders()).toHaveLength(1);
		});
	});
});
