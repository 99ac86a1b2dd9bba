/** What the action node makes of the items of a workflow, and what it says of each. */
import { ExchangeError } from '@partner-exchange/core';
import { operationOf, optionOf, pickers, type PickerId } from '@partner-exchange/core/catalogue';
import { startSandbox } from '@partner-exchange/sandbox';
import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { formOperations } from '../../nodes/shared/form/names';
import { listSearch, searchMethod } from '../../nodes/shared/form/pickers';
import { nodeError } from '../../nodes/shared/host/errors';
import { anything, answer, credentialFor, fetchingHost, limitOrder, NODE, pick, run } from './exchange';
import { forAll } from '../support/opened';

const perItem = { ...limitOrder, quantity: '={{ $json.quantity }}' };
const three = [{ quantity: '1.00' }, { quantity: '0' }, { quantity: '3.00' }];
const continuing = { onError: 'continueRegularOutput' };
const cheap = { price: '1000.00' };

describe('the action node', () => {
	const sandbox = forAll(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	beforeEach(() => {
		sandbox.reset();
		sandbox.requests.splice(0);
	});

	const orders = () => [...sandbox.engine.state.orders.values()];
	const hints = async (parameters: IDataObject): Promise<string[]> =>
		(await run(sandbox, parameters)).runsOf(NODE)[0]!.hints!.map(({ message }) => message);

	describe('and its items', () => {
		it('cancels, reads and resolves an order as it comes out of a list, by whichever name its identifier has', async () => {
			const placed = await run(sandbox, { ...limitOrder, ...cheap }, { items: [{}, {}] });
			const listed = await run(sandbox, { resource: 'order', operation: 'getAll', returnAll: true });
			const [first] = listed.items.map(({ json }) => json);
			const items = [first!, placed.items.find(({ json }) => json['order_id'] !== first!['id'])!.json];
			const target = { resource: 'order', pair_id: 'USD/NGN', order_id: '={{ $json.order_id }}' };
			for (const operation of ['get', 'cancel']) {
				const made = await run(sandbox, { ...target, operation }, { items });
				expect(made.error).toBeUndefined();
				expect(made.items.map(({ json }) => json['order_id'] ?? json['id'])).toEqual(
					items.map(({ id, order_id }) => order_id ?? id),
				);
			}
			const foreign = await run(sandbox, { ...target, operation: 'get' }, { items: [{ id: 17, customer: 'Ada' }] });
			expect(foreign.error?.message).toContain('Order ID is missing');
		});

		it('refuses an option or a filter in the spelling of other nodes, or in the place of the other', async () => {
			for (const name of ['dryRun', 'timeInForce', 'maximumValue', 'max_value', 'maxValue']) {
				const made = await run(sandbox, { ...limitOrder, options: { [name]: 'FOK' } });
				expect(made.error?.message).toContain(`There is no option named ${name}`);
			}
			const filters = [{ pairId: 'USD/NGN' }, { created_after: '2026-01-31' }, { limit: 5 }];
			for (const more of [...filters.map((each) => ({ filters: each })), { options: { status: ['open'] } }]) {
				const { error } = await run(sandbox, { resource: 'order', operation: 'getAll', ...more });
				expect(error?.message).toContain('There is no option named');
			}
			expect(orders()).toEqual([]);
		});

		it('refuses an option that n8n would drop: beside the options, in a collection of other nodes, as text or a list', async () => {
			const beside = [
				{ dry_run: true },
				{ dryRun: true },
				{ maxValue: '1.00' },
				{ businessKey: 'a-1' },
				{ client_order_id: 'a-1' },
			];
			for (const more of [...beside, { additionalFields: { dryRun: true } }, { filters: { dryRun: true } }]) {
				const made = await run(sandbox, { ...limitOrder, ...more });
				expect(made.error?.message).toContain(`${Object.keys(more)[0]} where nothing reads it`);
			}
			for (const options of ['={{ ({ dry_run: true }) }}', '{"dry_run":true}', [{ dry_run: true }]]) {
				const made = await run(sandbox, { ...limitOrder, options: options });
				expect(made.error?.message).toContain('Options are written as text or as a list');
			}
			expect(orders()).toEqual([]);
		});

		it('says of what an earlier choice left behind, and the form no longer shows, how to take it away', async () => {
			const all = { resource: 'order', operation: 'cancelAll', filters: {} };
			const { error } = await run(sandbox, { ...all, options: { dry_run: true } });
			expect(error?.description).toContain('choose that operation again, take it away there, and come back');
			expect((await run(sandbox, all)).error).toBeUndefined();
		});

		it('takes an order whose form held a lookup before, and left there what that begins with', async () => {
			const client_order_id = '={{ $json.details?.client_order_id ?? $json.client_order_id }}';
			expect((await run(sandbox, { ...limitOrder, client_order_id })).error).toBeUndefined();
			expect(orders()).toHaveLength(1);
		});

		it.each<IDataObject>([
			{ options: { pair_id: 'USD/NGN' } },
			{ options: { dry_run: true } },
			...['filters', 'Filters', 'additional_fields'].map((name) => ({ [name]: { pair_id: 'USD/NGN' } })),
			{ filters: '={{ ({ side: "sell" }) }}' },
			{ pairId: 'USD/NGN' },
			{ createdBefore: '2020-01-01' },
		])(
			'cancels no order where the workflow narrows that, or rehearses it, in a way that n8n would drop: %j',
			async (more) => {
				await run(sandbox, { ...limitOrder, ...cheap });
				const made = await run(sandbox, { resource: 'order', operation: 'cancelAll', ...more });
				expect(made.error).toMatchObject({ context: { data: { code: 'invalid_input' } } });
				expect(orders()).toMatchObject([{ status: 'accepted' }]);
			},
		);

		it('cancels no order in place of one that an expression names and does not find', async () => {
			const { items } = await run(sandbox, { ...limitOrder, ...cheap });
			const order_id = '={{ $json.replace.replaces_order_id }}';
			const cancel = { resource: 'order', operation: 'cancel', pair_id: 'USD/NGN', order_id };
			const made = await run(sandbox, cancel, { items: items.map(({ json }) => json) });
			expect(made.error?.message).toContain('Order ID is missing');
			expect(orders()).toMatchObject([{ status: 'accepted' }]);
		});

		it('says above the output that a transaction was not over when the time to wait was', async () => {
			sandbox.exchange.apply({ kind: 'settings', settings: { settlementDelayMs: 3_600_000 } });
			const options = { wait_settled: true, wait_seconds: 1 };
			const deposit = { resource: 'simulation', operation: 'fiatDeposit', amount: '5.00', currency: 'NGN', options };
			expect(await hints({ ...deposit, email: 'second@sandbox.test' })).toContainEqual(
				expect.stringContaining('the transaction is not'),
			);
			sandbox.exchange.apply({ kind: 'settings', settings: { settlementDelayMs: 0, transactionOutcome: 'failed' } });
			expect(await hints({ ...deposit, email: 'trader@sandbox.test' })).toContainEqual(
				expect.stringContaining('ended as failed, so no money moved'),
			);
		});

		it('lists the orders that are open under one filter, and says where a limit cut the list', async () => {
			await run(sandbox, { ...limitOrder, ...cheap }, { items: [{}, {}, {}] });
			const open = { resource: 'order', operation: 'getAll', filters: { status: ['open'] } };
			const all = await run(sandbox, { ...open, returnAll: true });
			expect(all.items.map(({ json }) => json['id']).sort()).toEqual(
				orders()
					.map(({ id }) => id)
					.sort(),
			);
			expect(all.runsOf(NODE)[0]!.hints).toEqual([]);
			expect((await run(sandbox, { ...open, limit: 2 })).items).toHaveLength(2);
			expect(await hints({ ...open, limit: 2 })).toEqual([
				expect.stringContaining('The list ends at the limit of 2, and there may be more'),
			]);
		});

		it('names the item at fault and leaves the others alone on "continue on fail"', async () => {
			const made = await run(sandbox, perItem, { items: three, settings: continuing });
			expect(made.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
			expect(made.items.map(({ json }) => typeof json['order_id'])).toEqual(['string', 'undefined', 'string']);
			expect(made.items[1]!.json).toMatchObject({
				error: expect.stringContaining('Quantity must be greater than zero'),
				details: { code: 'invalid_input', field: 'quantity', retryable: false },
			});
			expect(JSON.stringify(made.items)).not.toContain('sandbox-key');
		});

		/** n8n 1 recognises a failed item by this mark only; n8n 2 also by its message. */
		it('sends a failed item to the error output with its own data, and marks it, with a mark no copy takes along', async () => {
			const marked: INodeExecutionData[] = [];
			const { execute } = PartnerExchange.prototype;
			const spy = jest.spyOn(PartnerExchange.prototype, 'execute').mockImplementation(async function (
				this: IExecuteFunctions,
			) {
				const outputs = await execute.call(this);
				marked.push(...outputs.flat());
				return outputs;
			});
			const made = await run(sandbox, perItem, { items: three, settings: { onError: 'continueErrorOutput' } });
			spy.mockRestore();
			const [done, failed] = made.runsOf(NODE)[0]!.data!['main']!;
			expect(done).toHaveLength(2);
			expect(failed!.map(({ json }) => json)).toEqual([
				expect.objectContaining({ quantity: '0', details: expect.anything() }),
			]);
			expect(marked.map((item) => item.error !== undefined)).toEqual([false, true, false]);
			expect(Object.keys(marked[1]!)).toEqual(['json', 'pairedItem']);
		});

		it('stops the node at the first error, which carries the index of its item', async () => {
			const made = await run(sandbox, perItem, { items: three });
			expect(made.status).toBe('error');
			expect(made.error).toMatchObject({ context: { itemIndex: 1 }, message: expect.stringContaining('Create Order') });
		});

		it('reads the form again for each item, and drops fields that do not apply', async () => {
			const form = { order_type: '={{ $json.type }}', price: '={{ $json.price }}', options: { time_in_force: 'FOK' } };
			const items = [
				{ type: 'limit', price: '1000.00' },
				{ type: 'market', price: 'garbage' },
			];
			const made = await run(sandbox, { ...limitOrder, ...form }, { items });
			expect(made.error).toBeUndefined();
			expect(orders().map(({ type }) => type)).toEqual(['limit', 'market']);
		});

		it('takes a row of a sheet as it is, and gives it back beside the answer', async () => {
			const row = { side: 'Buy', order_type: 'LIMIT', pair_id: 'usd/ngn', quantity: 10.5, price: 1400.25 };
			const byRow = Object.fromEntries(Object.keys(row).map((name) => [name, `={{ $json.${name} }}`]));
			const order = { resource: 'order', operation: 'create', ...byRow, options: { business_key: 'row 7' } };
			const made = await run(sandbox, order, { items: [row] });
			expect(made.error).toBeUndefined();
			expect(made.items[0]!.json).toMatchObject({
				...{ side: 'buy', order_type: 'limit', pair_id: 'USD/NGN', quantity: '10.50', price: '1400.25' },
				business_key: 'row 7',
			});
		});

		it('places no order under a business key that every row without a number of its own would have', async () => {
			const named = { ...limitOrder, options: { business_key: "={{ 'invoice-' + $json.number }}" } };
			const made = await run(sandbox, named, { items: [{ quantity: '1.00' }, { quantity: '1.00' }] });
			expect(made.error).toMatchObject({ message: expect.stringContaining('Business Key holds undefined') });
			expect(orders()).toEqual([]);
		});

		it('gives one item per balance, or the requested one, and refuses a currency without a balance', async () => {
			const balances = (options: object) => run(sandbox, { resource: 'wallet', operation: 'getBalances', options });
			const all = await balances({});
			expect(all.items.map(({ json }) => json['currency'])).toEqual(['NGN', 'USD']);
			expect(all.items[0]!.json).toMatchObject({ available: '50000000.00', credit: expect.anything() });
			const entry = await balances({ currency: 'usd', output_mode: 'simplified' });
			expect(entry.items.map(({ json }) => json['currency'])).toEqual(['USD']);
			expect(entry.items[0]!.json).not.toHaveProperty('credit');
			const none = await balances({ currency: 'NGM' });
			expect(none.error?.message).toContain('There is no wallet currency NGM');
			expect(none.error?.description).toContain('The service offers NGN, USD');
		});

		it('names orders as it is told also beyond Latin-1, and keeps business keys apart', async () => {
			const placed: unknown[] = [];
			for (const business_key of ['заказ-1', 'заказ-2', '注文-1', 'naïve', 'naive'])
				placed.push((await answer(sandbox, { ...limitOrder, options: { business_key } }))['order_id']);
			expect(new Set(placed).size).toBe(5);
		});
	});

	describe('and the end of an order', () => {
		/** The code of the error of an order that costs more than there is, or of one nobody meets. */
		const codeOf = async (order: IDataObject, options: IDataObject): Promise<unknown> => {
			const waiting = { wait: 'final', ...options };
			const { error } = await run(sandbox, { ...limitOrder, ...order, options: waiting });
			return (error as { context?: { data?: { code?: unknown } } } | undefined)?.context?.data?.code;
		};
		const tooCostly = { quantity: '90000.00', price: '1400.00' };

		it('an order that the service takes and then rejects is an error where the form says nothing of waiting', async () => {
			const { error, items } = await run(sandbox, { ...limitOrder, ...tooCostly });
			expect(items).toEqual([]);
			expect(error?.message).toContain('No order was placed: the service took it and then rejected it');
		});

		it('an order nobody waits for is told as one that may still be rejected', async () => {
			expect(await hints({ ...limitOrder, ...cheap, options: { wait: 'none' } })).toEqual([
				expect.stringContaining('the service may still reject it'),
			]);
		});

		it.each([
			['never', undefined, undefined],
			['rejected', 'rejected', undefined],
			['time_limit', 'rejected', 'time_limit'],
		])('Fail When %s makes errors of these ends: rejected %s, too late %s', async (fail_when, rejected, late) => {
			const ends = [await codeOf(tooCostly, { fail_when }), await codeOf(cheap, { fail_when, wait_seconds: 1 })];
			expect(ends).toEqual([rejected, late]);
		});
	});

	describe('and an option whose expression gives nothing, or none of its choices', () => {
		const chosen = formOperations.flatMap(({ id, ...place }) =>
			(operationOf(id).options ?? []).map((option) => {
				const { kind, beside = [] } = optionOf(operationOf(id), option);
				const wrong = kind === 'boolean' ? ['yes', 1] : [];
				const others = operationOf(id).options!.filter((other) => beside.includes(other));
				const set = Object.fromEntries(others.map((other) => [other, other === 'wait' ? 'final' : true]));
				return { ...place, option, set, wrong: ['', null, ...wrong] };
			}),
		);

		it('refuses it by name, in each operation, before anything is sent', async () => {
			for (const { resource, operation, option, set, wrong } of chosen) {
				const parameters = { ...anything, resource, operation, options: { ...set, [option]: '={{ $json.given }}' } };
				const items = [{}, ...wrong.map((given) => ({ given }))];
				const made = await run(sandbox, parameters, { items, settings: continuing });
				const refusal = { details: { code: 'invalid_input', field: option } };
				expect({ option, said: made.items.map(({ json }) => json) }).toMatchObject({
					option,
					said: items.map(() => refusal),
				});
			}
			expect(sandbox.requests).toEqual([]);
		});

		const refused = async (parameters: IDataObject, field: string, item: IDataObject = {}): Promise<void> => {
			const { error } = await run(sandbox, { ...limitOrder, ...parameters }, { items: [item] });
			expect(error).toMatchObject({ context: { data: { code: 'invalid_input', field } } });
			expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		};

		it.each(['={{ true }}', "={{ $fromAI('production') }}", 'yes', 1])(
			'accepts Allow Production only from the form: refuses %j, also in the sandbox',
			async (production) => await refused({ options: { production } }, 'production', { given: true }),
		);

		it.each([
			['status', { operation: 'getAll', returnAll: true, filters: { status: '={{ $json.missing }}' } }],
			['returnAll', { operation: 'getAll', returnAll: "={{ 'yes' }}" }],
			['limit', { operation: 'getAll', limit: "={{ '1e3' }}" }],
			[
				'label',
				{ resource: 'recipient', operation: 'update', recipient_id: pick('x', 'id'), label: '={{ $json.no }}' },
			],
			['idempotency_key', { options: { idempotency_key: 'naïve' } }],
		])('refuses %s where it is not what the form asks for', async (field, parameters) => {
			await refused(parameters, field);
		});

		it('reads words of true and false', async () => {
			const made = await answer(sandbox, { ...limitOrder, options: { dry_run: 'true' } });
			expect(made).toMatchObject({ dry_run: true });
			expect(orders()).toEqual([]);
		});
	});

	describe('and its errors', () => {
		/** The two texts n8n shows of an error: the title, and what is shown below it. */
		it.each<[string, IDataObject, string, string]>([
			[
				'says below a wrong pair what to do, and no name that only a flow needs',
				{ pair_id: pick('XYZ/ABC', 'id') },
				'Create Order: There is no pair XYZ/ABC',
				'The service offers USD/NGN; no order was placed. Code: invalid_input',
			],
			[
				'offers the choices of a field that is missing',
				{ side: '={{ undefined }}' },
				'Create Order: Side is missing',
				'Enter one of buy, sell; no order was placed. Code: invalid_input',
			],
			[
				'says of an operation that does not exist where to choose one',
				{ operation: '{{ "create" }}' },
				'There is no operation "{{ "create" }}" of "order"',
				'Choose the operation from its list, which takes no expression; nothing was sent. Code: invalid_input',
			],
		])('an error in n8n %s', async (_, parameters, title, below) => {
			const { error } = await run(sandbox, { ...limitOrder, ...parameters });
			expect([error!.message, error!['description']]).toEqual([title, below]);
		});

		it('an error in n8n shows what a service says as text, where n8n would make links and pictures of it', () => {
			const serviceMessage = 'Pay <a href="https://evil.test">here</a><img src=x>';
			const error = new ExchangeError('refused', {
				what: 'Refused',
				serviceMessage,
				details: { order_id: '<b>1</b>' },
			});
			const { message, description } = nodeError({ name: 'Create' } as INode, error);
			expect(message).toContain('Pay ‹a href="https://evil.test">here‹/a>');
			expect(`${message}${description}`).not.toContain('<');
		});
	});
});

describe('pickers', () => {
	const sandbox = forAll(() => startSandbox());
	beforeAll(async () => {
		await answer(sandbox, limitOrder);
		const deposit = { resource: 'simulation', operation: 'fiatDeposit', amount: '1.00', currency: 'NGN' };
		await answer(sandbox, { ...deposit, email: 'trader@sandbox.test' });
		await answer(sandbox, {
			...{ resource: 'recipient', operation: 'create', recipient_type: 'crypto', currency: 'USDT' },
			...{ label: 'Treasury', chain: pick('TRON'), crypto_address: `T${'A'.repeat(33)}` },
		});
	});

	/** The list, requested the way the editor does. */
	const search = async (picker: PickerId, filter?: string, more: IDataObject = {}) =>
		(await listSearch[searchMethod(picker)]!.call(fetchingHost(credentialFor(sandbox, more)) as never, filter)).results;

	it.each(Object.keys(pickers) as PickerId[])(
		'a picker offers what the live list of every %s holds',
		async (picker) => {
			const offered = await search(picker);
			expect(offered.length).toBeGreaterThan(0);
			for (const { name, value } of offered) expect([typeof name, String(value).length > 0]).toEqual(['string', true]);
		},
	);

	it('a picker narrows its list to what is typed, and says in one sentence why it is empty', async () => {
		expect(await search('recipient', 'treas')).toHaveLength(1);
		expect(await search('recipient', 'nobody')).toEqual([]);
		await expect(search('order', undefined, { apiKey: 'wrong' })).rejects.toThrow('does not know this key');
	});
});
