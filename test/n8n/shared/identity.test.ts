import { ExchangeError } from '@partner-exchange/core';
import type { IExecuteFunctions } from 'n8n-workflow';
import { withIntent, type Intent } from '../../../nodes/shared/action/intent';
import type { NodeParameters } from '../../../nodes/shared/form/parameters';
import { assertOwnArguments, digestOf, toolCallName, type ToolCall } from '../../../nodes/shared/action/tool-call';

interface Setting {
	execution?: string;
	context?: object;
	runIndex?: number;
	node?: string;
	type?: string;
	isTool?: boolean;
	json?: unknown;
	/** The arguments of the tool call, as n8n reads them. */
	read?: Record<string, unknown>;
	/** The form as it is stored. */
	form?: object;
}

/** The part of the execution that n8n exposes to a node and that an identity is derived from. */
const hostOf = ({ context = {}, json = {}, read = {}, ...setting }: Setting = {}): IExecuteFunctions =>
	({
		getContext: () => context,
		getExecutionId: () => setting.execution ?? 'execution-1',
		// As in a run of the editor, of which nothing is stored before its end.
		getExecutionDataById: () => Promise.resolve(undefined),
		getMode: () => 'manual',
		getInstanceId: () => 'instance-1',
		getWorkflow: () => ({ id: 'workflow-1' }),
		getNode: () => ({
			...{ name: setting.node ?? 'node-1', type: setting.type ?? 'partnerExchange' },
			parameters: setting.form ?? {},
		}),
		getInputData: () => [{ json }],
		evaluateExpression: (text: string) => {
			const [, name] = /\$fromAI\('([^']*)'\)/.exec(text) ?? [];
			return name === undefined ? (setting.runIndex ?? 0) : read[name];
		},
		...(setting.isTool === undefined ? {} : { isToolExecution: () => setting.isTool }),
	}) as unknown as IExecuteFunctions;

const create: NodeParameters = {
	id: 'order.create',
	input: { quantity: '1.00' },
	options: {},
	production: false,
	leftOut: [],
};
const refused = new ExchangeError('forbidden', { what: 'The key may not trade' });
const unknown = new ExchangeError('outcome_unknown', {
	what: 'It may have been placed',
	details: { client_order_id: 'c-1' },
});

interface Options {
	item?: number;
	parameters?: NodeParameters;
	fails?: Error;
}

/** Requests an order with these settings and returns the identity passed to the core. */
async function ask(setting: Setting, { item = 0, parameters = create, fails }: Options = {}) {
	let value: Intent | undefined;
	const done = withIntent(hostOf(setting), item, parameters, async (intent) => {
		value = intent;
		if (fails !== undefined) throw fails;
		return await Promise.resolve('placed');
	});
	await done.catch((error: unknown) => {
		if (error !== fails) throw error;
	});
	return value;
}

describe('the identity of an order in n8n', () => {
	it("derives an order's identity from instance, workflow, node, execution, run and item, and keeps it", async () => {
		expect(await ask({})).toEqual({
			intent: 'n8n:instance-1:workflow-1:node-1:execution-1:0:0',
			repeated: false,
		});
		const names = await Promise.all([
			ask({ runIndex: 1 }),
			ask({}, { item: 1 }),
			ask({ node: 'node-2' }),
			ask({ execution: 'execution-2' }),
		]);
		expect(names.map((each) => each?.intent)).toEqual([
			'n8n:instance-1:workflow-1:node-1:execution-1:1:0',
			'n8n:instance-1:workflow-1:node-1:execution-1:0:1',
			'n8n:instance-1:workflow-1:node-2:execution-1:0:0',
			'n8n:instance-1:workflow-1:node-1:execution-2:0:0',
		]);
	});

	it('derives no identity where nothing is ordered or a business key names the order', async () => {
		const context = {};
		expect(await ask({ context }, { parameters: { ...create, id: 'wallet.balances' } })).toEqual({});
		expect(await ask({ context }, { parameters: { ...create, options: { business_key: 'invoice-7' } } })).toEqual({});
		expect(context).toEqual({});
	});

	it('keeps the identity of the first execution in a retry by hand, which looks the order up first', async () => {
		const context = {};
		const first = await ask({ context }, { fails: unknown });
		const again = await ask({ context, execution: 'execution-2' });
		expect(again).toEqual({ intent: first?.intent, repeated: true });
	});

	it('sends an item at once that was certainly not sent', async () => {
		const context = {};
		await ask({ context }, { fails: refused });
		expect(await ask({ context, execution: 'execution-2' })).toMatchObject({ repeated: false });
		expect(await ask({ context, execution: 'execution-2' }, { item: 1 })).toMatchObject({ repeated: false });
	});

	it.each(['time_limit', 'unfilled', 'rejected'] as const)(
		'looks an order up first in a retry after it ended as %s',
		async (code) => {
			const context = {};
			await ask({ context }, { fails: new ExchangeError(code, { what: 'It ended so', details: { order_id: 'o-1' } }) });
			expect(await ask({ context, execution: 'execution-2' })).toMatchObject({ repeated: true });
		},
	);

	it('looks an order up first after any error that does not prove that nothing was sent', async () => {
		const context = {};
		await ask({ context }, { fails: new Error('out of memory') });
		expect(await ask({ context, execution: 'execution-2' })).toMatchObject({ repeated: true });
	});

	it('keeps looking an order up first when a refusal follows an unknown outcome', async () => {
		const context = {};
		await ask({ context }, { fails: unknown });
		await ask({ context }, { fails: refused });
		expect(await ask({ context, execution: 'execution-2' })).toMatchObject({ repeated: true });
	});

	it('looks an order up first after a success as well, and not where the same execution tries again', async () => {
		const context = {};
		await ask({ context });
		expect(await ask({ context })).toMatchObject({ repeated: false });
		expect(await ask({ context, execution: 'execution-2' })).toMatchObject({ repeated: true });
	});

	it('stores identity and names before the work begins, because n8n stores a cancelled execution without waiting', async () => {
		const context: { tried?: Record<string, object>; origin?: string } = {};
		const parameters = { ...create, input: { ...create.input, client_order_id: 'ord-1' } };
		await withIntent(hostOf({ context }), 0, parameters, async () => {
			expect(context).toMatchObject({ origin: 'execution-1', tried: { '0:0': { client_order_id: 'ord-1' } } });
			return await Promise.resolve();
		});
		expect(context.tried).toEqual({ '0:0': { client_order_id: 'ord-1' } });
	});

	it('sends the names of the first try until that was certainly not sent, and all else as it is now', async () => {
		const context = {};
		const sent = async (input: NodeParameters['input'], fails?: Error): Promise<unknown> => {
			let named: unknown;
			await withIntent(hostOf({ context }), 0, { ...create, input }, async (_, given) => {
				named = given;
				return await (fails ? Promise.reject(fails) : Promise.resolve());
			}).catch(() => undefined);
			return named;
		};
		const first = { quantity: '1.00', client_order_id: 'ord-1' };
		expect(await sent(first, refused)).toEqual(first);
		const second = { ...first, client_order_id: 'ord-2' };
		expect(await sent(second, unknown)).toEqual(second);
		expect(await sent({ quantity: '1.5', client_order_id: 'ord-3', idempotency_key: 'key-3' })).toEqual({
			quantity: '1.5',
			client_order_id: 'ord-2',
		});
	});
});

describe('the identity of an order that an agent places', () => {
	const tool: Setting = { type: 'partnerExchangeTool', isTool: true };
	const calls = (context: { toolCalls?: Record<string, ToolCall> }) => Object.values(context.toolCalls ?? {});

	it("keeps an agent's order identity through the tries of a call, and derives another for the next call", async () => {
		const json = {};
		const first = await ask({ ...tool, json });
		expect(first).toEqual({
			intent: expect.stringMatching(/^n8n:instance-1:workflow-1:node-1:execution-1:tool-call-[0-9a-f-]{36}$/) as string,
			repeated: false,
		});
		expect(await ask({ ...tool, json, runIndex: 4 })).toEqual(first);
		expect(await ask({ ...tool, json: {} })).not.toEqual(first);
	});

	it('derives the identity of a node where n8n runs the tool as one', async () => {
		expect(toolCallName(hostOf({ type: 'partnerExchangeTool' }), 0)).toBeUndefined();
		expect(toolCallName(hostOf({ isTool: false }), 0)).toBeUndefined();
		expect(await ask({ type: 'partnerExchangeTool' })).toMatchObject({
			intent: expect.stringMatching(/:0:0$/) as string,
		});
	});

	it('asks for a business key where a tool call has no arguments', () => {
		for (const json of [null, 'text', 7])
			expect(() => toolCallName(hostOf({ ...tool, json }), 0)).toThrow(/no arguments.*Business Key/s);
	});

	it('stores an unknown outcome also where the order has no identity', async () => {
		for (const fails of [new Error('out of memory'), new ExchangeError('outcome_unknown', { what: 'Nobody knows' })]) {
			const context = {};
			await ask({ ...tool, context }, { fails });
			expect(calls(context)[0]).toMatchObject({ outcome: 'unknown' });
			expect(calls(context)[0]).not.toHaveProperty('client_order_id');
		}
	});

	it('keeps the entry of another tool call when one is refused', async () => {
		const context: { toolCalls?: Record<string, ToolCall> } = {};
		const other: ToolCall = { name: 'tool-call-other', execution: 'execution-1', outcome: 'open' };
		await withIntent(hostOf({ ...tool, context }), 0, create, async () => {
			context.toolCalls![digestOf(create)] = other;
			return await Promise.reject(refused);
		}).catch(() => undefined);
		expect(calls(context)).toEqual([other]);
	});

	it('stores nothing of a dry run, nor of a node that no agent calls', async () => {
		const context = {};
		await ask({ ...tool, context }, { parameters: { ...create, options: { dry_run: true } } });
		await ask({ context });
		expect(calls(context)).toEqual([]);
		await ask({ ...tool, context }, { parameters: { ...create, options: { dry_run: false } } });
		expect(calls(context)).toHaveLength(1);
	});
});

describe('the arguments of a call', () => {
	const tool = { isTool: true, json: { quantity: '1.00', note: { a: 1 } } };

	it('compares no arguments where no agent calls, nor under names that no form can ask for', () => {
		expect(() => assertOwnArguments(hostOf({ ...tool, isTool: false }), 0)).not.toThrow();
		const json = { query: 'buy', 'two words': 1, [`x${'y'.repeat(64)}`]: 1 };
		expect(() => assertOwnArguments(hostOf({ isTool: true, json }), 0)).not.toThrow();
		expect(() => assertOwnArguments(hostOf({ isTool: true, json: { [`y`.repeat(64)]: 1 } }), 0)).toThrow();
		expect(() => assertOwnArguments(hostOf({ isTool: true, json: null }), 0)).not.toThrow();
	});

	it('refuses a call of a model that gives another value than the form, where n8n hands over all it gives', async () => {
		const form = { quantity: "={{ $fromAI('quantity') * 2 }}", side: 'buy' };
		const parameters = { ...create, input: { quantity: '2.00', side: 'buy' } };
		const call = async (json: object, type = 'partnerExchangeTool') => await ask({ type, form, json }, { parameters });
		for (const json of [{ quantity: '1.00' }, { side: ' Buy', price: '' }, { note: 'x' }, { dry_run: false }, {}, null])
			await expect(call(json as object)).resolves.toMatchObject({ repeated: false });
		for (const [field, json] of [
			['dry_run', { dry_run: true }],
			['side', { side: 'sell' }],
			['price', { price: '1400.00' }],
			['dry_run', { options: { dry_run: 'true' } }],
		] as const) {
			await expect(call(json)).rejects.toMatchObject({ code: 'invalid_input', field });
			await expect(call(json, 'partnerExchange')).resolves.toMatchObject({ repeated: false });
		}
	});

	it('tells two orders apart by operation and values, however their arguments are sorted', () => {
		const digest = digestOf({ ...create, input: { side: 'buy', quantity: '1.00' } });
		expect(digestOf({ ...create, input: { quantity: '1.00', side: 'buy' } })).toBe(digest);
		expect(digest).toMatch(/^[\w-]{22}$/);
		const others: NodeParameters[] = [
			{ ...create, input: { side: 'buy', quantity: '2.00' } },
			{ ...create, id: 'order.replace', input: { side: 'buy', quantity: '1.00' } },
		];
		for (const other of others) expect(digestOf(other)).not.toBe(digest);
	});
});
