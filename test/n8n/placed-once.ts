/** Orders of the action node in n8n's engine: each is placed once, in the account of its item, in the order of the items. */
import { createServer, type ServerResponse } from 'node:http';
import { orderStatuses } from '@partner-exchange/core/catalogue';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { openPort } from '../support/loopback';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { until } from '../support/condition';
import { runNode, runWorkflow, type NodeClass } from '../support/engine';
import { credentialFor, limitOrder, NODE, run } from './exchange';
import { freshNodes } from './processes';
import { forAll, forEach } from '../support/opened';

/** A list without a single order is read whole, and once for each status. */
const LOOK_READS = 1 + Object.keys(orderStatuses).length;
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const items = [{ quantity: '1.00' }, { quantity: '2.00' }, { quantity: '3.00' }];
const began = { resumeToken: 'stored-with-an-execution-and-its-retries' };
const perItem = { ...limitOrder, quantity: '={{ $json.quantity }}' };

describe('an order in n8n is placed once', () => {
	// The service forgets idempotency keys at once, so only the client keeps a second request from ordering twice.
	const sandbox = forEach(() => startSandbox({ settings: { orderDelayMs: 0, keyRetentionMs: 0 } }));

	const orders = () => [...sandbox.engine.state.orders.values()];
	const sent = () => sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'));
	const keys = () => sent().map(({ headers }) => headers['idempotency-key']);

	it('places an order once when Retry On Fail runs all items again because one failed', async () => {
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.create', after: 1 });
		const made = await run(sandbox, perItem, { items, settings: retrying });
		expect(made.status).toBe('success');
		expect(orders()).toHaveLength(3);
		expect(new Set(keys()).size).toBe(3);
	});

	it('places the order of each node, though a program gave two nodes one ID', async () => {
		const nodes = ['First', 'Second'].map((name) => ({
			...{ type: PartnerExchange, name, parameters: limitOrder, settings: { id: '1' } },
		}));
		const made = await runWorkflow(nodes, credentialFor(sandbox));
		expect(made.status).toBe('success');
		expect(orders()).toHaveLength(2);
	});

	it('places an order once when a failed execution is retried by hand', async () => {
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.create', after: 2 });
		const made = await run(sandbox, perItem, { items });
		expect(made.status).toBe('error');
		const again = await made.retry('execution-by-hand');
		expect(again.status).toBe('success');
		expect(orders()).toHaveLength(3);
		expect(new Set(keys()).size).toBe(3);
	});

	describe('of an execution that has the number of another', () => {
		const execution = () => ({ ...credentialFor(sandbox), executionId: '1', parameters: limitOrder });
		beforeEach(() => sandbox.exchange.apply({ kind: 'settings', settings: { keyRetentionMs: 86_400_000 } }));

		it.each([
			['raw', {}],
			['simplified', { output_mode: 'simplified' }],
			['chosen', { output_mode: 'selected_fields', output_fields: ['status'] }],
		])('says which order there is, where a restored n8n counts again and shows %s fields', async (_, options) => {
			const n8n = restartable();
			const first = await runNode(n8n.type, execution());
			n8n.restart();
			const { now } = Date;
			const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
			const again = {
				...execution(),
				parameters: { ...limitOrder, options },
				settings: { onError: 'continueRegularOutput' as const, ...retrying },
			};
			const { items: ended } = await runNode(n8n.type, again);
			clock.mockRestore();
			const { order_id } = first.items[0]!.json;
			expect(ended[0]!.json).toMatchObject({ details: { code: 'conflict', order_id } });
			expect(ended[0]!.json['error']).toContain('n8n counts executions again where a backup was restored');
			expect(orders()).toHaveLength(1);
		});

		it('gives the order of a worker that died, whenever n8n says the execution began', async () => {
			const n8n = restartable();
			const first = await runNode(n8n.type, execution());
			n8n.restart();
			const second = await runNode(n8n.type, execution());
			expect(second.items[0]!.json).toMatchObject({ order_id: first.items[0]!.json['order_id'] });
			expect(orders()).toHaveLength(1);
		});
	});

	it.each(['by hand after a restart of n8n', 'by Retry On Fail'])(
		'sends a retry %s under the names of the first try, though an expression makes others from the time',
		async (how) => {
			const n8n = restartable();
			const options = {
				client_order_id: "={{ 'ord-' + $now.toMillis() }}",
				idempotency_key: "={{ 'key-' + $now.toMillis() }}",
			};
			// Looked for, and not there. Then its reply is lost, and the list cannot be read, so the try ends without knowing.
			sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
			sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', after: LOOK_READS, times: 1 });
			const made = await runNode(n8n.type, {
				...{ ...credentialFor(sandbox), executionId: 'execution-named', parameters: { ...limitOrder, options } },
				...(how === 'by Retry On Fail' ? { settings: retrying } : {}),
			});
			n8n.restart();
			const again = made.status === 'error' ? await made.retry('execution-by-hand') : made;
			expect(again.items[0]!.json).toMatchObject({ order_id: orders()[0]!.id });
			expect(orders()).toHaveLength(1);
			expect(new Set(keys()).size).toBe(1);
		},
	);

	it('places one order per execution and item, and one per business key, whatever else each execution adds', async () => {
		await run(sandbox, perItem, { items });
		await run(sandbox, perItem, { items });
		expect(orders()).toHaveLength(6);
		const named = (client_order_id: string) => ({
			...{ ...limitOrder, options: { client_order_id, business_key: 'invoice-7' } },
		});
		const first = await run(sandbox, named('execution 1'));
		const again = await run(sandbox, named('execution 2'));
		expect(again.items[0]!.json).toMatchObject({ order_id: first.items[0]!.json['order_id'], repeated: true });
		const told = [first, again].map(({ runsOf }) => runsOf(NODE)[0]!.hints!.map(({ message }) => message));
		expect(told).toEqual([[], [expect.stringContaining('was done before')]]);
		const both = { idempotency_key: 'execution 3', business_key: 'invoice-7' };
		const refused = await run(sandbox, { ...limitOrder, options: both });
		expect(refused.error).toMatchObject({ message: expect.stringContaining('not both') as string });
		expect(orders()).toHaveLength(7);
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
		// Resolve Order needs no field filled in behind it.
		const resolved = await run(sandbox, { resource: 'order', operation: 'resolve' }, { items: [json] });
		expect(resolved.items[0]!.json).toMatchObject({
			outcome: 'accepted',
			client_order_id: orders()[0]!.clientOrderId,
		});
		const named = { ...limitOrder, options: { business_key: 'invoice-11' } };
		expect((await run(sandbox, named, { items: [json] })).status).toBe('success');
		const over = { ...json, details: { ...(json['details'] as IDataObject), code: 'unfilled' } };
		expect((await run(sandbox, limitOrder, { items: [over] })).status).toBe('success');
	});

	it('places an order of a sub-workflow once for each execution that calls it, however often that tries', async () => {
		const call = async (caller: string, quantity: string, more = {}) =>
			await run(sandbox, { ...limitOrder, quantity, ...more }, { mode: 'integrated', caller });
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', after: LOOK_READS, times: 1 });
		expect((await call('1', '1.00')).error?.message).toContain('unknown whether');
		for (const again of [await call('1', '1.00'), await call('1', '1.0')]) {
			expect(again.error?.message).toContain('has placed an equal order');
			expect(JSON.stringify(again.error)).toContain(orders()[0]!.id);
		}
		expect(orders()).toHaveLength(1);
		for (const other of [await call('1', '2.00'), await call('2', '1.00')]) expect(other.error).toBeUndefined();
		const named = { options: { business_key: 'invoice-12' } };
		for (const keyed of [await call('1', '1.00', named), await call('1', '1.00', named)])
			expect(keyed.error).toBeUndefined();
		expect(orders()).toHaveLength(4);
		for (const client_order_id of ['row-1', 'row-2'])
			expect((await call('1', '1.00', { options: { client_order_id } })).error).toBeUndefined();
		expect(orders()).toHaveLength(6);
		// Two equal items of one call are two orders.
		const both = await run(sandbox, limitOrder, { mode: 'integrated', caller: '3', items: [{}, {}] });
		expect(both.items).toHaveLength(2);
		expect(orders()).toHaveLength(8);
	});

	it('places an order of a sub-workflow once, where a person retries what began it, or a sub-workflow between is tried again', async () => {
		const between = (executionId: string) => ({ parentExecution: { executionId, workflowId: 'root' } });
		const executions = { '1': began, '2': between('1'), '3': between('1'), '4': began, '5': between('4'), '6': {} };
		const n8n = restartable();
		const call = async (caller: string) => {
			const made = {
				...credentialFor(sandbox),
				parameters: limitOrder,
				mode: 'integrated',
				caller,
				executions,
			} as const;
			return (await runNode(n8n.type, made)).error?.message;
		};
		expect(await call('2')).toBeUndefined();
		for (const again of ['3', '5', '4', '1']) {
			expect(await call(again)).toContain('has placed an equal order');
			// Then by another process, of a service that has forgotten the key.
			n8n.restart();
		}
		expect(sent()).toHaveLength(1);
		for (const other of ['6', 'not stored']) expect(await call(other)).toBeUndefined();
		expect(orders()).toHaveLength(3);
	});

	it('places an order once where n8n crashed behind it, and a person retries the execution', async () => {
		const n8n = restartable();
		const call = async (executionId: string, mode: 'webhook' | 'retry', quantity = '10.00') => {
			const executions = { [executionId]: executionId === 'other' ? {} : began };
			const made = { ...credentialFor(sandbox), executionId, mode, executions };
			return await runNode(n8n.type, { ...made, parameters: { ...limitOrder, quantity } });
		};
		const first = await call('1', 'webhook');
		n8n.restart();
		const again = await call('2', 'retry');
		expect(again.items[0]!.json).toMatchObject({ order_id: first.items[0]!.json['order_id'], repeated: true });
		expect(again.stored() + JSON.stringify(orders())).not.toContain(began.resumeToken);
		expect((await call('3', 'retry', '20.00')).error?.message).toContain('which has other values');
		expect(sent()).toHaveLength(1);
		expect((await call('other', 'retry')).items[0]!.json).not.toHaveProperty('repeated');
	});

	it('sends an order no more once the execution is stopped', async () => {
		sandbox.faults.arm({ kind: 'drop-before-commit', operation: 'order.create', times: 99 });
		let stop = (): void => undefined;
		const running = run(sandbox, limitOrder, { started: (button) => (stop = button) });
		await until(() => sent().length > 0, { what: 'a first attempt' });
		stop();
		expect((await running).error).toMatchObject({ context: { data: { code: 'outcome_unknown' } } });
		// The run is over, so nothing is left that would send.
		expect(sent()).toHaveLength(1);
		expect(orders()).toEqual([]);
	});

	it('looks an unknown order up after its execution, and logs what it found', async () => {
		const warnings: string[] = [];
		class Logged extends PartnerExchange {
			override async execute(this: IExecuteFunctions) {
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
		expect(report).toContain(`Done (order ${orders()[0]!.id})`);
		expect(report).not.toContain('sandbox-key');
		expect(sent()).toHaveLength(1);
	});

	it('does not send a simulated deposit again on Retry On Fail when its reply was lost, and says so', async () => {
		const deposit = { resource: 'simulation', operation: 'fiatDeposit', amount: '50000.00', currency: 'NGN' };
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'simulation.fiatDeposit', times: 3 });
		const made = await run(sandbox, { ...deposit, email: 'trader@sandbox.test' }, { settings: retrying });
		expect(sandbox.requests.filter(({ path }) => path.includes('/simulate/'))).toHaveLength(1);
		expect(made.error).toMatchObject({ context: { data: { code: 'outcome_unknown' } } });
		expect(made.error?.message).toContain('this try sent nothing');
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
		restart: () => void (loaded = freshNodes().PartnerExchange),
	};
}

describe('a credential whose fields are expressions of the item', () => {
	const [one, other] = [forAll(startSandbox), forAll(startSandbox)];
	afterEach(() => [one, other].forEach((sandbox) => sandbox.reset()));

	const itemsFor = (sandboxes: Sandbox[]) =>
		sandboxes.map(({ baseUrl, wsUrl }, at) => ({ baseUrl, wsUrl, apiKey: 'sandbox-key', quantity: `${at + 1}.00` }));
	const quantitiesAt = ({ engine }: Sandbox) =>
		[...engine.state.orders.values()].map(({ quantity }) => Number(quantity) / 100);
	const byItem = { baseUrl: '={{ $json.baseUrl }}', wsUrl: '={{ $json.wsUrl }}', apiKey: '={{ $json.apiKey }}' };

	it('places the order of each item in the account of that item, and goes on where one cannot be right', async () => {
		const rows = itemsFor([one, other, one, other, one]).map((row, at) => (at === 4 ? { ...row, apiKey: '' } : row));
		const settings = { onError: 'continueRegularOutput' };
		const made = await run(one, perItem, { items: rows, credential: byItem, settings });
		expect(made.items.map(({ json }) => 'order_id' in json)).toEqual([true, true, true, true, false]);
		expect([quantitiesAt(one), quantitiesAt(other)]).toEqual([
			[1, 3],
			[2, 4],
		]);
	});

	it.each([
		['once for all items where no field is an expression', 1, {}],
		['for each item where the key is one', 5, { apiKey: '={{ $json.apiKey }}' }],
		['for each item where a limit is one', 5, { limits: { valuePerDay: { valuePerDay: '={{ $json.most }}' } } }],
		['for each item where a field is none of the form', 5, { allowedDomains: 'none' }],
	])('is asked for %s', async (_, times, more) => {
		let asked = 0;
		const { credentials, credentialTypes } = credentialFor(one, more);
		const counted = { get: () => (void (asked += 1), credentials.partnerExchangeApi) };
		const made = await runNode(PartnerExchange, {
			...{ credentialTypes, parameters: { resource: 'market', operation: 'getTicker', pair_id: 'USD/NGN' } },
			credentials: Object.defineProperty({}, 'partnerExchangeApi', { ...counted, enumerable: true }),
			items: itemsFor(Array.from({ length: 4 }, () => one)).map((row) => ({ ...row, most: '1000000' })),
		});
		expect(made.error).toBeUndefined();
		// The engine looks once whether there is one.
		expect(asked - 1).toBe(times);
	});

	it('places one order in each account for one business key, and none twice in one', async () => {
		const keyed = { ...limitOrder, options: { business_key: 'signal-17' } };
		const made = await run(one, keyed, { items: itemsFor([one, other, one]), credential: byItem });
		expect(made.error).toBeUndefined();
		expect([quantitiesAt(one), quantitiesAt(other)]).toEqual([[10], [10]]);
	});

	it('holds each item to the limits its own credential says', async () => {
		const credential = { ...byItem, valuePerDay: '={{ $json.most }}' };
		const rows = itemsFor([one, other]).map((row, at) => ({ ...row, most: at === 0 ? '1000000' : '500' }));
		const made = await run(one, perItem, { items: rows, credential, settings: { onError: 'continueRegularOutput' } });
		expect(made.items.map(({ json }) => json)).toMatchObject([
			{ order_id: expect.any(String) },
			{ details: { code: 'limit_reached' } },
		]);
		expect(quantitiesAt(other)).toEqual([]);
	});
});

describe('items that the node works on at once', () => {
	/** Answers once as many wait as may, so that with fewer at a time the test would never end. */
	async function service(allowed: (answered: number) => number) {
		const held: ServerResponse[] = [];
		const seen: string[] = [];
		let answered = 0;
		let beyond = 0;
		const server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request
				.on('data', (chunk: Buffer) => chunks.push(chunk))
				.on('end', () => {
					if (chunks.length > 0)
						seen.push((JSON.parse(Buffer.concat(chunks).toString()) as { quantity: string }).quantity);
					beyond = Math.max(beyond, held.push(response) - allowed(answered));
					while (held.length > 0 && held.length >= allowed(answered)) {
						const next = held.shift()!;
						const id = String(next.req.headers['idempotency-key'] ?? next.req.url?.split('/').at(-1));
						answered += 1;
						next.setHeader('content-type', 'application/json');
						next.end(JSON.stringify({ status: 'success', data: { id, order_id: id, status: 'accepted' } }));
					}
				});
		});
		const address = `127.0.0.1:${await openPort(server)}`;
		const account = { baseUrl: `http://${address}/v1`, wsUrl: `ws://${address}/v1/ws` } as never;
		return { account, seen, beyond: () => beyond, close: () => void server.close() };
	}

	it('reads twenty items at once, one more with each answer up to a hundred, and answers in their order', async () => {
		const ids = Array.from({ length: 200 }, (_, index) => `order-${index}`);
		const reads = await service((answered) => Math.min(100, 20 + answered, ids.length - answered));
		const parameters = { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' };
		const made = await run(reads.account, parameters, { items: ids.map((order_id) => ({ order_id })) });
		reads.close();
		expect(reads.beyond()).toBe(0);
		expect(made.items.map(({ json, pairedItem }) => [json['id'], pairedItem])).toEqual(
			ids.map((id, item) => [id, { item }]),
		);
	});

	const plain = { wait: 'none', check_market: false };
	it.each([
		['one after another', 1, plain],
		['up to five side by side where the option says so', 5, { ...plain, sideBySide: true }],
		['one after another where the option is an expression', 1, { ...plain, sideBySide: '={{ true }}' }],
	])('sends orders %s, and answers in the order of the items', async (_, atOnce, options) => {
		const quantities = Array.from({ length: 10 }, (__, index) => `${index + 1}.00`);
		const orders = await service((answered) => Math.min(atOnce, quantities.length - answered));
		const rows = quantities.map((quantity) => ({ quantity }));
		const made = await run(orders.account, { ...perItem, options }, { items: rows });
		orders.close();
		expect([made.error, orders.beyond()]).toEqual([undefined, 0]);
		if (atOnce === 1) expect(orders.seen).toEqual(quantities);
		expect(made.items.map(({ json }) => json['quantity'])).toEqual(quantities);
	});
});
