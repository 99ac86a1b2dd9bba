import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { ExchangeError } from '@partner-exchange/core';
import { orderStatuses } from '@partner-exchange/core/catalogue';
import { errorItem, nodeError } from '../../nodes/shared/host/errors';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { until } from '../support/condition';
import { runNode, type NodeClass } from '../support/engine';
import { credentialFor, limitOrder, NODE, run } from './exchange';
import { freshNode } from './processes';

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
/** A list without a single order is read whole, and once for each status. */
const LOOK_READS = 1 + Object.keys(orderStatuses).length;
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

	it.each(['by hand after a restart of n8n', 'by Retry On Fail'])(
		'sends a retry %s under the names of the first try, though an expression makes others from the time',
		async (how) => {
			await sandbox.close();
			sandbox = await startSandbox({ settings: { orderDelayMs: 0, keyRetentionMs: 0 } });
			const n8n = restartable();
			const options = {
				client_order_id: "={{ 'ord-' + $now.toMillis() }}",
				idempotency_key: "={{ 'key-' + $now.toMillis() }}",
			};
			// Looked for, and not there. Then its reply is lost, and the list cannot be read, so the try ends without knowing.
			sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
			sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', after: LOOK_READS, times: 1 });
			const made = await runNode(n8n.type, {
				...{
					...credentialFor(sandbox),
					executionId: 'execution-named',
					parameters: { ...limitOrder, options },
				},
				...(how === 'by Retry On Fail' ? { settings: retrying } : {}),
			});
			n8n.restart();
			const again = made.status === 'error' ? await made.retry('execution-by-hand') : made;
			expect(again.items[0]!.json).toMatchObject({ order_id: orders()[0]!.id });
			expect(orders()).toHaveLength(1);
			expect(new Set(keys()).size).toBe(1);
		},
	);

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
			...{ ...limitOrder, options: { client_order_id, business_key: 'invoice-7' } },
		});
		const first = await run(sandbox, named('execution 1'));
		const again = await run(sandbox, named('execution 2'));
		expect(again.items[0]!.json).toMatchObject({ order_id: first.items[0]!.json['order_id'], repeated: true });
		const told = [first, again].map(({ runsOf }) => runsOf(NODE)[0]!.hints!.map(({ message }) => message));
		expect(told).toEqual([[], [expect.stringContaining('was done before')]]);
		expect(orders()).toHaveLength(1);
		const both = { idempotency_key: 'execution 3', business_key: 'invoice-7' };
		const refused = await run(sandbox, { ...limitOrder, options: both });
		expect(refused.error).toMatchObject({ message: expect.stringContaining('not both') as string });
		expect(orders()).toHaveLength(1);
	});

	it('refuses to order again from an error output wired back to the node, when the failed order may exist', async () => {
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', times: 1 });
		const failed = await run(sandbox, limitOrder, { settings: { onError: 'continueRegularOutput' } });
		const [{ json }] = failed.items as [{ json: IDataObject }];
		expect(json).toMatchObject({ details: { code: 'outcome_unknown' } });
		const again = await run(sandbox, limitOrder, { items: [json] });
		expect(again.error?.message).toContain('is the error of an order that may stand');
		expect(orders()).toHaveLength(1);
		const named = { ...limitOrder, options: { business_key: 'invoice-11' } };
		expect((await run(sandbox, named, { items: [json] })).status).toBe('success');
		const over = { ...json, details: { ...(json['details'] as IDataObject), code: 'unfilled' } };
		expect((await run(sandbox, limitOrder, { items: [over] })).status).toBe('success');
	});

	it('says above the output that a sub-workflow places an order each time it is called, unless it has a name', async () => {
		const said = async (parameters: object, mode: 'integrated' | 'trigger') => {
			const { hints } = (await run(sandbox, { ...limitOrder, ...parameters }, { mode })).runsOf(NODE)[0]!;
			return (hints ?? []).map(({ message }) => message);
		};
		expect(await said({}, 'integrated')).toEqual([expect.stringContaining('with a Business Key it is placed once')]);
		expect(await said({}, 'trigger')).toEqual([]);
		expect(await said({ options: { business_key: 'invoice-9' } }, 'integrated')).toEqual([]);
		expect(await said({ options: { client_order_id: 'invoice-10' } }, 'integrated')).toEqual([]);
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

/** The node in an n8n that can be started again, which forgets all that was only in its memory. */
function restartable(): { type: NodeClass; restart(): void } {
	let loaded = PartnerExchange;
	return {
		type: class extends PartnerExchange {
			override execute(this: IExecuteFunctions) {
				return loaded.prototype.execute.call(this);
			}
		},
		restart: () => void (loaded = freshNode('PartnerExchange') as typeof PartnerExchange),
	};
}

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
