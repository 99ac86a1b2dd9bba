/** Orders in a complete n8n under lost replies and manual retries; kills.ts kills it. */
import type { FaultRequest } from '@partner-exchange/sandbox';
import type { Execution } from '../../support/n8n';
import { ordersIn } from '../../support/placing';
import { begun, buying, byHand, called, calling, isOrder, KEY } from './bench';
import { openCommonBench } from './common-bench';
import { forAll } from '../../support/opened';

/**
 * The service forgets idempotency keys at once, so only the client keeps a second request from placing a second order.
 */
const KEY_RETENTION_MS = 1;

describe('orders placed by a complete n8n', () => {
	const bench = forAll(() => openCommonBench({ settings: { keyRetentionMs: KEY_RETENTION_MS } }));
	let before: { orders: number; requests: number };
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

	it('reports an order as unknown, with what resolves it, when every try leaves the outcome in doubt, and finds it when that is retried by hand', async () => {
		const id = await bench.save('Unknown', [byHand, buying({}, { ...patient, maxTries: 2 })]);
		const failed = await failUnknown(id);
		const { message, description } = failure(failed);
		expect(`${message} ${description}`).toMatch(/It is unknown whether the order was placed/);
		expect(description).toContain(placed()[0]!.clientOrderId);
		const again = await bench.n8n.retry(failed.id);
		expect(again).toMatchObject({ status: 'success', mode: 'retry' });
		const [order, ...more] = placed();
		expect(more).toEqual([]);
		expect(again.itemsOf('Buy')[0]!.json).toMatchObject({ order_id: order!.id });
		expect(queries()).toHaveLength(1);
	});

	it('places an order of a sub-workflow within a sub-workflow once, when that is tried again, and when a person retries what began it', async () => {
		const fails = {
			name: 'Fails',
			type: 'n8n-nodes-base.stopAndError',
			parameters: { errorMessage: 'Sheet is locked' },
		};
		const lowest = await bench.save('Lowest', [begun, buying(), fails]);
		const between = await bench.save('Between', [begun, calling(lowest)]);
		const root = await bench.save('Root', [called('root'), calling(between, patient)]);
		for (const id of [lowest, between, root]) await bench.n8n.publish(id);
		await fetch(`${bench.n8n.url()}/webhook/root`);
		const [failed] = await bench.n8n.waitForExecutions(root, 1);
		expect(failed!.status).toBe('error');
		expect(placed()).toHaveLength(1);
		const again = await bench.n8n.retry(failed!.id);
		expect(failure(again).message).toContain('has placed an equal order');
		expect(placed()).toHaveLength(1);
		await fetch(`${bench.n8n.url()}/webhook/root`);
		await bench.n8n.waitForExecutions(root, 3);
		expect(placed()).toHaveLength(2);
		// n8n stores nothing of a run of its editor before that ends.
		const inEditor = await bench.n8n.runManually(await bench.save('In the editor', [byHand, calling(between)]), 'Go');
		expect(failure(inEditor).message).toContain('Sheet is locked');
		expect(placed()).toHaveLength(3);
	});

	it('accepts a good key when a credential is saved, and refuses a wrong one in a clear sentence', async () => {
		const { baseUrl, wsUrl } = bench.sandbox();
		const test = async (name: string, apiKey: string): Promise<{ status: string; message: string }> => {
			const data = { environment: 'sandbox', apiKey, baseUrl, wsUrl };
			return await bench.n8n.testCredential({ name, type: 'partnerExchangeApi', data });
		};
		expect(await test('Good', KEY)).toMatchObject({ status: 'OK' });
		const wrong = await test('Wrong', 'no-such-key');
		expect(wrong.status).toBe('Error');
		expect(wrong.message).not.toContain('no-such-key');
	});

	it('reads an order back, keeping the key out of what n8n stores', async () => {
		const action = (name: string, parameters: object) => ({ ...buying(), name, parameters: { ...parameters } });
		const id = await bench.save('Buy', [
			byHand,
			buying(),
			action('Read', { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' }),
			action('Balances', { resource: 'wallet', operation: 'getBalances' }),
		]);
		const execution = await bench.n8n.runManually(id, 'Go');
		expect(execution.status).toBe('success');
		const [bought] = execution.itemsOf('Buy');
		expect(execution.itemsOf('Read')[0]!.json).toMatchObject({ id: bought!.json['order_id'], side: 'buy' });
		expect(execution.itemsOf('Balances')[0]!.json).toHaveProperty('available');
		expect(execution.stored).not.toContain(KEY);
		expect(bench.n8n.log()).not.toContain(KEY);
	});
});
