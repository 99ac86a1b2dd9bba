import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { ExchangeError } from '@partner-exchange/core';
import { errorItem, nodeError } from '../../nodes/shared/host/errors';
import { until } from '../support/condition';
import { limitOrder, run } from './exchange';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(async () => await sandbox.close());

const orders = () => [...sandbox.engine.state.orders.values()];
const sent = () => sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'));
const keys = () => sent().map(({ headers }) => headers['idempotency-key']);
/** The first retry comes within this time. */
const FIRST_BACKOFF_MS_MAX = 1_500;
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const items = [{ quantity: '1.00' }, { quantity: '2.00' }, { quantity: '3.00' }];
const perItem = { ...limitOrder, quantity: '={{ $json.quantity }}' };

describe('an order in n8n is placed once', () => {
	it('places an order once when its reply is lost and the node retries (checklist 59)', async () => {
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		const made = await run(sandbox, limitOrder);
		expect(made.error).toBeUndefined();
		expect(orders().map(({ id }) => id)).toEqual([made.items[0]!.json['order_id']]);
		expect(new Set(keys()).size).toBe(1);
	});

	it('places an order once when Retry On Fail runs all items again because one failed (checklist 68)', async () => {
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.create', after: 1 });
		const made = await run(sandbox, perItem, { items, settings: retrying });
		expect(made.status).toBe('success');
		expect(orders()).toHaveLength(3);
		expect(new Set(keys()).size).toBe(3);
	});

	it('places an order once when a failed execution is retried by hand (checklist 69)', async () => {
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.create', after: 2 });
		const made = await run(sandbox, perItem, { items });
		expect(made.status).toBe('error');
		const again = await made.retry('execution-by-hand');
		expect(again.status).toBe('success');
		expect(orders()).toHaveLength(3);
		expect(new Set(keys()).size).toBe(3);
	});

	it('places one order per execution, item and business key', async () => {
		await run(sandbox, perItem, { items });
		await run(sandbox, perItem, { items });
		expect(orders()).toHaveLength(6);
		const named = { ...limitOrder, options: { business_key: 'invoice-7' } };
		const [first, second] = [await run(sandbox, named), await run(sandbox, named)];
		expect(second.items[0]!.json['order_id']).toBe(first.items[0]!.json['order_id']);
		expect(orders()).toHaveLength(7);
	});

	it('places one order per business key, whatever client order ID each execution adds', async () => {
		await sandbox.close();
		sandbox = await startSandbox({ settings: { orderDelayMs: 0, keyRetentionMs: 0 } });
		const named = (client_order_id: string) => ({
			...{ ...limitOrder, additionalFields: { client_order_id }, options: { business_key: 'invoice-7' } },
		});
		const first = await run(sandbox, named('execution 1'));
		const again = await run(sandbox, named('execution 2'));
		expect(again.items[0]!.json).toMatchObject({ order_id: first.items[0]!.json['order_id'], repeated: true });
		expect(orders()).toHaveLength(1);
		const additionalFields = { idempotency_key: 'execution 3' };
		const refused = await run(sandbox, { ...named(''), additionalFields });
		expect(refused.error).toMatchObject({ message: expect.stringContaining('not both') as string });
		expect(orders()).toHaveLength(1);
	});

	it('refuses one business key for two different orders', async () => {
		const named = (quantity: string) => ({ ...limitOrder, quantity, options: { business_key: 'invoice-8' } });
		await run(sandbox, named('1.00'));
		const other = await run(sandbox, named('2.00'));
		expect(other.error?.message).toMatch(/already stands for the order .* which has other values/);
		expect(orders()).toHaveLength(1);
	});

	it('sends an order no more once the execution is stopped (checklist 67)', async () => {
		sandbox.faults.arm({ kind: 'drop-before-commit', operation: 'order.create', times: 99 });
		let stop = (): void => undefined;
		const running = run(sandbox, limitOrder, { started: (button) => (stop = button) });
		await until(() => sent().length > 0, { what: 'a first attempt' });
		stop();
		expect((await running).error).toMatchObject({ context: { data: { code: 'outcome_unknown' } } });
		const attempts = sent().length;
		const stoppedAt = Date.now();
		await until(() => Date.now() - stoppedAt > FIRST_BACKOFF_MS_MAX, { what: 'the time of a retry' });
		expect(sent()).toHaveLength(attempts);
		expect(orders()).toEqual([]);
	});
});

describe('an order of unknown outcome', () => {
	it('gives an unknown order a code of its own with what to do, and never calls it a failure (checklist 61)', () => {
		const unknown = new ExchangeError('outcome_unknown', {
			operation: 'Create Order',
			what: 'It may or may not have been done',
			details: { client_order_id: 'desk-9', idempotency_key: 'key-9' },
		});
		const made = nodeError({ name: 'Buy', type: 'x', parameters: {} } as never, unknown, 4);
		expect(made.context).toMatchObject({ itemIndex: 4, data: { code: 'outcome_unknown' } });
		const { error, details } = errorItem(made);
		expect(details).toMatchObject({ code: 'outcome_unknown', client_order_id: 'desk-9', retryable: false });
		expect(`${error} ${String(details['description'])}`).not.toMatch(/fail|refused|rejected|not placed/i);
		expect(details['description']).toContain('Resolve Order');
	});
});
