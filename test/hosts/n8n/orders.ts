/** Orders in a complete n8n under lost replies, manual retries and process kills. */
import type { FaultRequest } from '@partner-exchange/sandbox';
import { until } from '../../support/condition';
import type { Execution } from '../../support/n8n';
import { ordersIn } from '../../support/placing';
import { buying, byHand, called, isOrder, type Bench } from './bench';
import { openCommonBench } from './common-bench';

/**
 * The service forgets idempotency keys at once, so only the client keeps a second request from placing a second order.
 */
const KEY_RETENTION_MS = 1;

describe('orders placed by a complete n8n', () => {
	let bench: Bench;
	let before: { orders: number; requests: number };

	beforeAll(async () => {
		bench = await openCommonBench({ settings: { keyRetentionMs: KEY_RETENTION_MS } });
	});
	afterAll(async () => await bench.close());
	beforeEach(() => {
		bench.sandbox().faults.disarm();
		before = { orders: ordersIn(bench.sandbox()).length, requests: bench.sandbox().requests.length };
	});

	const placed = () => ordersIn(bench.sandbox()).slice(before.orders);
	const queries = () => bench.sandbox().requests.slice(before.requests).filter(isOrder);
	const arm = (...faults: FaultRequest[]): void => faults.forEach((fault) => void bench.sandbox().faults.arm(fault));
	const failure = ({ data }: Execution) => data.resultData.error!;
	const lost: FaultRequest = { kind: 'commit-then-drop', operation: 'order.create' };
	const unreadable: FaultRequest = { kind: 'forbidden', operation: 'order.list', times: 100 };
	const patient = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

	/** Places one order whose reply is lost and whose outcome cannot be read. */
	async function failUnknown(workflowId: string): Promise<Execution> {
		arm(lost, unreadable);
		const execution = await bench.n8n.runManually(workflowId, 'Go');
		bench.sandbox().faults.disarm();
		expect(execution.status).toBe('error');
		expect(failure(execution)).toMatchObject({ httpCode: 'outcome_unknown' });
		return execution;
	}

	it('places one order when Retry On Fail runs a node again whose reply was lost', async () => {
		const id = await bench.save('Retried', [byHand, buying({}, patient)]);
		const limited: FaultRequest = { kind: 'too-many-requests', operation: 'order.create', times: 2, retryAfter: '0' };
		arm(limited, lost, { ...unreadable, times: 1 });
		const execution = await bench.n8n.runManually(id, 'Go');
		expect(execution.status).toBe('success');
		expect(execution.data.resultData.runData['Buy']).toHaveLength(1);
		const [order, ...more] = placed();
		expect(more).toEqual([]);
		expect(execution.itemsOf('Buy')[0]!.json).toMatchObject({ order_id: order!.id });
		const attempts = queries();
		expect(attempts).toHaveLength(3);
		expect(new Set(attempts.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1);
	});

	it('reports an order as unknown, with what resolves it, when every try leaves the outcome in doubt', async () => {
		const id = await bench.save('Unknown', [byHand, buying({}, { ...patient, maxTries: 2 })]);
		const error = failure(await failUnknown(id));
		const [order, ...more] = placed();
		expect(more).toEqual([]);
		expect(queries()).toHaveLength(1);
		expect(`${error.message} ${error.description}`).toMatch(/It is unknown whether the order was placed/);
		expect(error.description).toContain(order!.clientOrderId);
	});

	it('sends an unknown outcome to the error output, where a flow can resolve it', async () => {
		const id = await bench.save('Settled', [byHand, buying({}, { onError: 'continueErrorOutput' })]);
		arm(lost, unreadable);
		const execution = await bench.n8n.runManually(id, 'Go');
		expect(execution.status).toBe('success');
		expect(execution.itemsOf('Buy')).toEqual([]);
		const [items] = execution.data.resultData.runData['Buy']!.map(({ data }) => data!['main']![1]!);
		const [order] = placed();
		expect(items![0]!.json).toMatchObject({
			details: { code: 'outcome_unknown', client_order_id: order!.clientOrderId },
		});
	});

	it('finds the one order when the failed execution is retried by hand', async () => {
		const id = await bench.save('By hand', [byHand, buying()]);
		const again = await bench.n8n.retry((await failUnknown(id)).id);
		expect(again).toMatchObject({ status: 'success', mode: 'retry' });
		const [order, ...more] = placed();
		expect(more).toEqual([]);
		expect(again.itemsOf('Buy')[0]!.json).toMatchObject({ order_id: order!.id });
		expect(queries()).toHaveLength(1);
	});

	it('goes on after one of five items fails, and names it', async () => {
		const list = ['1.00', '2.00', '1e3', '4.00', '5.00'].map((quantity) => ({ quantity }));
		const id = await bench.save('Five', [
			byHand,
			{
				name: 'List',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: JSON.stringify({ list }) },
			},
			{ name: 'Each', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'list' } },
			buying({ quantity: '={{ $json.quantity }}' }, { onError: 'continueRegularOutput' }),
		]);
		const execution = await bench.n8n.runManually(id, 'Go');
		expect(execution.status).toBe('success');
		const items = execution.itemsOf('Buy');
		expect(items.map(({ json }) => ('error' in json ? 'failed' : 'placed'))).toEqual([
			...['placed', 'placed', 'failed', 'placed', 'placed'],
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
		expect(items[2]!.json).toMatchObject({ error: expect.stringMatching(/quantity/i) as string });
		const rows = placed().map(({ id: orderId }) => orderId);
		const reports = items.flatMap(({ json }) => (typeof json['order_id'] === 'string' ? [json['order_id']] : []));
		expect(new Set(reports)).toEqual(new Set(rows));
		expect(rows).toHaveLength(4);
	});

	describe('after it was killed', () => {
		const webhooks = [
			{ what: 'the order had been placed when n8n died', kind: 'commit-then-hang', requests: 1 },
			{ what: 'nothing had been done when n8n died', kind: 'hang', requests: 2 },
		] as const;
		let failed: Execution;
		const workflows = new Map<string, string>();

		const requestsOf = (clientOrderId: string) => {
			const all = bench.sandbox().requests.filter(isOrder);
			return all.filter(({ body }) => body.includes(clientOrderId));
		};
		const oneOrderOf = ({ itemsOf, status }: Execution) => {
			expect(status).toBe('success');
			const { client_order_id: name, order_id: id } = itemsOf('Buy')[0]!.json as Record<string, string>;
			const orders = ordersIn(bench.sandbox()).filter(({ clientOrderId }) => clientOrderId === name);
			expect(orders.map((order) => order.id)).toEqual([id]);
			return name!;
		};

		beforeAll(async () => {
			failed = await failUnknown(await bench.save('Forgotten', [byHand, buying()]));
			for (const { kind } of webhooks) {
				const options = { business_key: `invoice ${kind}` };
				const id = await bench.save(kind, [called(kind), buying({ options })]);
				workflows.set(kind, id);
				await bench.n8n.publish(id);
				arm({ kind, operation: 'order.create' });
				const asking = bench.sandbox().requests.filter(isOrder).length;
				expect((await fetch(`${bench.n8n.url()}/webhook/${kind}`)).status).toBe(200);
				const sent = (): boolean => bench.sandbox().requests.filter(isOrder).length > asking;
				await until(sent, { what: 'the order at the service' });
			}
			await bench.n8n.kill();
			await bench.n8n.restart();
		});

		it('finds the one order of a failed execution after a kill that made n8n forget it', async () => {
			const name = oneOrderOf(await bench.n8n.retry(failed.id));
			expect(requestsOf(name)).toHaveLength(1);
		});

		it.each(webhooks)('places one order under a business key after a kill: $what', async ({ kind, requests }) => {
			const [crashed] = await bench.n8n.waitForExecutions(workflows.get(kind)!, 1);
			expect(crashed!.status).toBe('crashed');
			const name = oneOrderOf(await bench.n8n.retry(crashed!.id));
			expect(requestsOf(name)).toHaveLength(requests);
		});
	});
});
