/** Orders placed by n8n's current agent: the real node and its loop; only the language model is a stand-in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultRequest } from '@partner-exchange/sandbox';
import { isN8n1 } from '../../../scripts/hosts/versions';
import { startChatModel, type ChatModel, type ToolCall } from '../../support/chat-model';
import { ordersIn } from '../../support/placing';
import { buying, byHand, isOrder, type Bench } from './bench';
import { openCommonBench } from './common-bench';
import { forAll } from '../../support/opened';

jest.setTimeout(600_000);

const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
const TOOL = 'n8n-nodes-partner-exchange.partnerExchangeTool';

type Node = Parameters<Bench['save']>[1][number];

const root = join(__dirname, '..', '..', '..');
const guide = readFileSync(join(root, 'docs/guides/agents.md'), 'utf8');
const example = JSON.parse(readFileSync(join(root, 'examples/n8n/agent-approval.json'), 'utf8')) as { nodes: Node[] };
/** The tools that the guide tells users to take: those of its example, and what is pasted from its page. */
const guided = [
	...example.nodes.filter(({ type }) => type === TOOL),
	...[...guide.matchAll(/```json\n(.*?)```/gs)].flatMap(([, json]) => (JSON.parse(json!) as { nodes: Node[] }).nodes),
];

describe('an agent of n8n', () => {
	const bench = forAll(() => openCommonBench({ settings: { keyRetentionMs: 1 } }));
	const model = forAll(() => startChatModel());
	let credential: object;
	let before: number;
	let requests: number;

	beforeAll(async () => {
		const data = { apiKey: 'model-key', url: model.url };
		credential = await bench.n8n.saveCredential({ name: 'Model', type: 'openAiApi', data });
	});
	beforeEach(() => {
		bench.sandbox().faults.disarm();
		before = ordersIn(bench.sandbox()).length;
		requests = bench.sandbox().requests.length;
	});

	const placed = () => ordersIn(bench.sandbox()).slice(before);
	const sent = () => bench.sandbox().requests.slice(requests).filter(isOrder);
	const arm = (...faults: FaultRequest[]): void => faults.forEach((fault) => void bench.sandbox().faults.arm(fault));
	const lost: FaultRequest = { kind: 'commit-then-drop', operation: 'order.create' };
	const unreadable: FaultRequest = { kind: 'forbidden', operation: 'order.list', times: 100 };
	const buy = (quantity: string, more: Record<string, unknown> = {}): ToolCall => ({
		tool: 'Buy',
		args: { quantity, ...more },
	});

	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const quantities = () => placed().map(({ quantity }) => quantity);
	const toldItems = (call: number): unknown => JSON.parse(model.told()[call]!);
	const tool = (name: string, parameters: Record<string, unknown>, settings = {}): Node => ({
		...{ name, type: TOOL, parameters: { ...parameters } },
		...settings,
	});

	/** An agent with a tool that buys as instructed by the model, and optionally more tools. */
	async function agentWith(settings = {}, options = {}, tools: Node[] = []): Promise<string> {
		const buys = {
			...buying({ quantity: "={{ $fromAI('quantity', 'amount in USD') }}", options }).parameters!,
			toolDescription: 'Buys USD. Takes the quantity as text.',
		};
		const nodes = [
			byHand,
			{
				...{ name: 'Agent', type: `${LANGCHAIN}agent`, typeVersion: 3 },
				parameters: { promptType: 'define', text: 'Buy.', options: { maxIterations: 6 } },
			},
			{
				...{ name: 'Model', type: `${LANGCHAIN}lmChatOpenAi`, typeVersion: 1.2 },
				parameters: { model: { __rl: true, mode: 'id', value: 'stand-in' }, options: {} },
				credentials: { openAiApi: credential },
			},
			tool('Buy', buys, settings),
			...tools,
		];
		const to = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
		return await bench.save('Agent', nodes, {
			Go: to('main'),
			Model: to('ai_languageModel'),
			Buy: to('ai_tool'),
			...Object.fromEntries(tools.map(({ name }) => [name, to('ai_tool')])),
		});
	}

	/** Runs an agent with this script of model replies to completion. */
	async function ask(id: string, ...says: Parameters<ChatModel['say']>): Promise<void> {
		model.say(...says);
		const { status, data } = await bench.n8n.runManually(id, 'Go');
		expect([status, data.resultData.error?.message]).toEqual(['success', undefined]);
	}

	it('an agent places an order for each call, also for equal ones, in one batch and one after the other, and tells the model their IDs', async () => {
		await ask(await agentWith(), [buy('1.00'), buy('1.00'), buy('2.00')], [buy('1.00')], 'Done.');
		// n8n 1 runs the calls of a batch from the last to the first.
		expect(quantities().sort()).toEqual([100n, 100n, 100n, 200n]);
		expect(new Set(placed().map(({ clientOrderId }) => clientOrderId)).size).toBe(4);
		expect(toldItems(3)).toEqual([expect.objectContaining({ order_id: placed()[3]!.id })]);
	});

	it('an agent places one order under a business key, however often it calls and is asked', async () => {
		const id = await agentWith({}, { business_key: "={{ $fromAI('invoice') }}" });
		const call = buy('1.00', { invoice: 'invoice 9' });
		await ask(id, [call, call], [call], 'Done.');
		await ask(id, [call], 'Done.');
		expect(quantities()).toEqual([100n]);
	});

	it('an agent places no order where its model says what the workflow decides, and says it otherwise', async () => {
		// n8n 1 may hand over the arguments of the tool alone.
		const others = isN8n1() ? [] : [[buy('1.00', { dry_run: true })], [buy('1.00', { side: 'sell' })]];
		await ask(await agentWith(), ...others, [buy('1.00', { side: 'buy', note: 'for invoice 7' })], 'Done.');
		expect(quantities()).toEqual([100n]);
		const refused = expect.stringMatching(/says (dry_run|side), which the workflow decides.*no order was placed/s);
		expect(model.told().slice(0, -1)).toEqual(others.map(() => refused as string));
	});

	it("an agent reads prices and balances, estimates and tries an order out with the guide's tools, and sends nothing", async () => {
		const id = await agentWith({}, {}, guided);
		const order = { side: 'buy', quantity: '2.00', price: '1400.00' };
		await ask(
			id,
			[
				{ tool: 'Read_the_Ticker', args: {} },
				{ tool: 'Read_the_Balances', args: {} },
				{ tool: 'Try_the_Order_Out', args: { ...order, price: '1400.001' } },
				{ tool: 'Try_the_Order_Out', args: { ...order, quantity: '1000.01' } },
				{ tool: 'Try_the_Order_Out', args: order },
				{ tool: 'Estimate_the_Order', args: { side: 'buy', quote_amount: '500000.00' } },
			],
			'Done.',
		);
		expect(toldItems(0)).toEqual([expect.objectContaining({ pair_id: 'USD/NGN', trade_count_24h: 0 })]);
		expect((toldItems(1) as { currency: string }[]).map(({ currency }) => currency)).toEqual(['NGN', 'USD']);
		expect(model.told()[2]).toContain('The nearest valid values are 1400 and 1400.01; no order was placed');
		expect(model.told()[3]).toContain('above the maximum of 1000.00');
		expect(toldItems(4)).toEqual([expect.objectContaining({ dry_run: true })]);
		// Nobody offers anything, so nothing would be bought, and the model is told why.
		expect(toldItems(5)).toEqual([
			expect.objectContaining({ quantity: '0', left_over: '500000.00', problems: [expect.any(String)] }),
		]);
		expect(sent()).toEqual([]);
	});

	// In n8n 1, an error in a tool not set to continue ends the workflow.
	const settings = isN8n1() ? { onError: 'continueRegularOutput' } : {};

	describe('with a tool as it comes from the palette', () => {
		it("an agent's order stays one when the reply is lost and Retry On Fail calls the tool again", async () => {
			const id = await agentWith({ ...retrying, ...settings });
			arm(lost, { ...unreadable, times: 1 });
			await ask(id, [buy('1.00')], 'Done.');
			expect(quantities()).toEqual([100n]);
			expect(sent()).toHaveLength(1);
			expect(toldItems(0)).toEqual([expect.objectContaining({ order_id: placed()[0]!.id })]);
		});

		it('an agent learns what resolves an unknown outcome, and may not repeat the same values until then', async () => {
			const id = await agentWith(settings, {}, guided);
			arm(lost, unreadable);
			const resolve = (reports: string[]): ToolCall[] => {
				bench.sandbox().faults.disarm();
				const [, name] = /client.order.id\W+([\w-]{36})/i.exec(reports.at(-1)!)!;
				return [{ tool: 'Resolve_the_Order', args: { client_order_id: name } }];
			};
			await ask(id, [buy('1.00')], [buy('1.00')], resolve, 'It exists.');
			const [first, second] = model.told();
			expect(first).toMatch(/is unknown whether the order was placed.*Do not place it as a new order.*Resolve Order/s);
			expect(second).toMatch(/outcome of an earlier call with the same values is unknown.*Resolve Order/s);
			expect(toldItems(2)).toEqual([expect.objectContaining({ outcome: 'accepted' })]);
			expect(quantities()).toEqual([100n]);
			expect(sent()).toHaveLength(1);
		});

		it('an agent learns the nearest valid value, and corrects itself with it', async () => {
			const corrected = (reports: string[]): ToolCall[] => [
				buy(/nearest valid[^\d]*([\d.]*\d)/i.exec(reports[0]!)![1]!),
			];
			await ask(await agentWith(settings), [buy('1.005')], corrected, 'Done.');
			expect(model.told()[0]).toMatch(/quantity/i);
			expect(sent()).toHaveLength(1);
			expect(quantities()).toHaveLength(1);
		});

		it("an agent's order is not placed again when the execution fails later and is retried by hand", async () => {
			const id = await agentWith(settings);
			model.say([buy('1.00')], { status: 400 });
			const failed = await bench.n8n.runManually(id, 'Go');
			expect(failed.status).toBe('error');
			expect(quantities()).toEqual([100n]);
			model.say([buy('1.00')], 'It is there already.');
			await bench.n8n.retry(failed.id);
			expect(model.told().at(-1)).toMatch(/already done this.*Read the orders/s);
			expect(quantities()).toEqual([100n]);
		});
	});
});
