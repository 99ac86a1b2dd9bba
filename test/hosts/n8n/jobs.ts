/** The ten whole jobs of examples/n8n, each imported without a change into a complete n8n and done there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IBinaryData } from 'n8n-workflow';
import { readExecution } from '../../../scripts/hosts/executions';
import { until } from '../../support/condition';
import { makeFill } from '../../support/fills';
import { jobs } from '../../support/jobs';
import type { Execution } from '../../support/n8n';
import { KEY, type Bench } from './bench';
import { openCommonBench } from './common-bench';
import { forAll } from '../../support/opened';

const folder = join(__dirname, '..', '..', '..', 'examples', 'n8n');

interface Example {
	name: string;
	nodes: { name: string; type: string; webhookId?: string }[];
	connections: Record<string, unknown>;
}
type Json = Record<string, unknown>;
const EMAIL = 'trader@sandbox.test';

jest.setTimeout(600_000);

describe('a whole job, in a complete n8n', () => {
	const bench = forAll(() => openCommonBench({ marketMaker: true }));
	/** Waits for most of its time, so it runs at an exchange of its own while the others do. */
	const rehearsing = forAll(() => openCommonBench({ marketMaker: true }));
	let rehearsal: Promise<Execution>;
	beforeAll(async () => {
		const id = await imported('sandbox-rehearsal.json', rehearsing);
		rehearsal = rehearsing.n8n.runManually(id, buttonOf('sandbox-rehearsal.json'));
		rehearsal.catch(() => undefined);
	});

	const read = (file: string): Example => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;
	const imported = async (file: string, at: Bench = bench): Promise<string> => {
		const { name, nodes, connections } = read(file);
		return await at.save(name, nodes, connections);
	};
	const buttonOf = (file: string): string => read(file).nodes.find(({ type }) => /trigger$/i.test(type))!.name;
	/** Imports a file and presses its button as often. */
	const press = async (file: string, times = 1): Promise<Execution[]> => {
		const id = await imported(file);
		const runs: Execution[] = [];
		for (let run = 0; run < times; run += 1) runs.push(await bench.n8n.runManually(id, buttonOf(file)));
		for (const { data } of runs) expect(data.resultData.error?.message).toBeUndefined();
		return runs;
	};
	/** n8n 2 keeps a file on its disk, n8n 1 in the execution. */
	const contentOf = ({ id, data }: IBinaryData): string =>
		id === undefined
			? Buffer.from(data, 'base64').toString()
			: readFileSync(join(bench.n8n.userFolder, '.n8n', 'storage', id.split(':')[1]!), 'utf8');
	const items = (run: Execution | undefined, node: string): Json[] => run!.itemsOf(node).map(({ json }) => json);
	const first = (run: Execution | undefined, node: string): Json | undefined => items(run, node)[0];
	const account = ({ sandbox }: Bench = bench) =>
		[...sandbox().engine.state.accounts.values()].find(({ email }) => email === EMAIL)!;
	const mine = (at: Bench = bench) =>
		[...at.sandbox().engine.state.orders.values()].filter(({ accountId }) => accountId === account(at).id);
	/** Sends a request to the exchange, as somebody beside n8n would. */
	const post = async (path: string, body: Json): Promise<void> => {
		const headers = { 'content-type': 'application/json', 'x-api-key': KEY, 'idempotency-key': JSON.stringify(body) };
		const url = `${bench.sandbox().baseUrl}${path}`;
		const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
		if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
	};

	it('the fills job alerts on a fill that happens while the workflow is published', async () => {
		const id = await imported('alert-on-fill.json');
		await bench.n8n.publish(id);
		await makeFill(bench.sandbox());
		// n8n 1 starts an empty execution, too, when the trigger stores that it has caught up.
		const alerts = async (): Promise<Execution | undefined> =>
			(await bench.n8n.waitForExecutions(id, 0)).find((each) => items(each, 'Tell the Desk').length > 0);
		const run = await until(alerts, { everyMs: 200, what: 'an alert', seen: () => bench.n8n.log().slice(-1500) });
		await bench.n8n.unpublish(id);
		expect(items(run, 'Tell the Desk').map(({ text }) => text)).toContainEqual(
			expect.stringMatching(/^Bought 1\.00 USD\/NGN at \d+\.\d+$/),
		);
	});

	it('the top-up job warns of a low balance and tops it up with test money', async () => {
		const [run] = await press('low-balance-top-up.json');
		expect(first(run, 'Warn Treasury')!['text']).toMatch(/^NGN has 4999999\.99 available, below 5000000\.00$/);
		expect(first(run, 'Topped Up')).toMatchObject({ amount: '10000000.00', transaction: { status: 'completed' } });
	});

	it('the sheet job places its rows once, although they are run again', async () => {
		const before = mine().length;
		const [once, twice] = await press('orders-from-rows.json', 2);
		expect(items(once, 'Placed').map(({ text }) => text)).toEqual([
			'row 1: buy 10.50 USD/NGN is accepted',
			'row 2: sell 20.00 USD/NGN is accepted',
		]);
		expect(items(twice, 'Place the Order').map(({ repeated }) => repeated)).toEqual([true, true]);
		expect(mine()).toHaveLength(before + 2);
	});

	describe('lets a person approve', () => {
		let id: string;
		beforeAll(async () => {
			id = await imported('approve-large-order.json');
			await bench.n8n.publish(id);
		});
		afterAll(async () => await bench.n8n.unpublish(id));

		const fields = ['reference', 'side', 'quantity', 'price'];
		/** Sends the form as a browser does; answers the execution it started. */
		async function order(...values: string[]): Promise<string> {
			const form = new FormData();
			for (const [index, value] of values.entries()) form.set(`field-${index}`, value);
			const before = await newest();
			const { webhookId } = read('approve-large-order.json').nodes.find(({ name }) => name === 'Order Form')!;
			const answer = await fetch(`${bench.n8n.url()}/form/${webhookId}`, { method: 'POST', body: form });
			expect({ status: answer.status, sent: values.length }).toEqual({ status: 200, sent: fields.length });
			return String(
				await until(async () => [await newest()].find((number) => number > before), { what: 'an execution to begin' }),
			);
		}
		/** The number of the execution that began last. n8n lists those under way before those that have ended. */
		async function newest(): Promise<number> {
			const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
			const { results } = await bench.n8n.api<{ results: { id: string }[] }>(
				'GET',
				`/rest/executions?filter=${filter}`,
			);
			return Math.max(0, ...results.map((execution) => Number(execution.id)));
		}
		const status = async (execution: string): Promise<string> =>
			(await bench.n8n.api<{ status: string }>('GET', `/rest/executions/${execution}`)).status;
		const becomes = async (execution: string, wanted: string): Promise<Execution> => {
			await until(async () => (await status(execution)) === wanted, { what: `the execution to be ${wanted}` });
			return await readExecution(bench.n8n.api, execution);
		};
		/** Opens the link that the approver is told, and answers. */
		async function decide(execution: string, decision: string): Promise<Execution> {
			const waiting = await becomes(execution, 'waiting');
			const link = /Answer at (\S+)$/.exec(String(first(waiting, 'Tell the Approver')!['text']))![1]!;
			const form = new FormData();
			form.set('field-0', decision);
			expect((await fetch(link, { method: 'POST', body: form })).status).toBe(200);
			return await becomes(execution, 'success');
		}

		it('the approval job places an order above the limit once after a yes', async () => {
			const before = mine().length;
			const execution = await order('invoice 1', 'buy', '2000.00', '1000.00');
			await becomes(execution, 'waiting');
			expect(mine()).toHaveLength(before);
			const ended = await decide(execution, 'Yes, place it');
			expect(first(ended, 'Placed')).toMatchObject({ business_key: 'invoice 1', quantity: '2000.00' });
			expect(mine()).toHaveLength(before + 1);
		});

		it('the approval job places nothing after a no', async () => {
			const before = mine().length;
			const ended = await decide(await order('invoice 2', 'buy', '2000.00', '1000.00'), 'No');
			expect(Object.keys(ended.data.resultData.runData)).toContain('Not Approved');
			expect(mine()).toHaveLength(before);
		});

		it('the approval job places a small order once without asking, however often its reference is sent', async () => {
			const before = mine().length;
			const once = await becomes(await order('invoice 3', 'buy', '2.00', '1000.00'), 'success');
			expect([items(once, 'Place the Order'), items(once, 'Needs a Look')]).toMatchObject([[{ quantity: '2.00' }], []]);
			const twice = await becomes(await order('invoice 3', 'buy', '2.00', '1000.00'), 'success');
			expect(first(twice, 'Placed')).toMatchObject({ order_id: first(once, 'Placed')!['order_id'], repeated: true });
			expect(mine()).toHaveLength(before + 1);
		});
	});

	it('the weekly job buys once a week, however often it is run', async () => {
		const before = mine().length;
		const [once, twice] = await press('buy-every-week.json', 2);
		expect(first(once, 'Bought')!['text']).toMatch(/^Bought: 100\.00 USD at \d+/);
		expect(first(twice, 'Bought')!['text']).toMatch(/^Bought already this week: 100\.00 USD/);
		expect(mine()).toHaveLength(before + 1);
	});

	it('the deposit job sells a deposit once, however often it is reported', async () => {
		await post('/simulate/crypto/deposits', { email: EMAIL, chain: 'TRON', asset: 'USDT', amount: '250.00' });
		const settled = () => [...bench.sandbox().engine.state.transactions.values()].at(-1)!.status === 'completed';
		await until(settled, { what: 'the deposit to be completed' });
		const before = mine().length;
		const [once, twice] = await press('sell-deposit.json', 2);
		expect(first(once, 'Sold')!['text']).toMatch(/^Sold 250\.00 USD at \d+/);
		expect(first(twice, 'Sell It for NGN')).toMatchObject({ repeated: true });
		expect(mine()).toHaveLength(before + 1);
	});

	it('the rebalancing job keeps NGN above its threshold: a test sends nothing, and a real crossing sells what is missing', async () => {
		const before = mine().length;
		const [tested] = await press('keep-ngn-above-line.json');
		expect(first(tested, 'Back Above the Line')).toMatchObject({ dry_run: true });
		expect(mine()).toHaveLength(before);
		const { available } = account().holdings.get('NGN')!;
		const pair = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit' };
		await post('/partner/exchange/orders', {
			...pair,
			quantity: `${available / 100_000n - 4_000n}.00`,
			price: '1000.00',
		});
		await until(() => account().holdings.get('NGN')!.available < 500_000_000n, { what: 'the balance to be low' });
		const id = await imported('keep-ngn-above-line.json');
		await bench.n8n.publish(id);
		const [run] = await bench.n8n.waitForExecutions(id, 1);
		await bench.n8n.unpublish(id);
		expect(first(run, 'Back Above the Line')).toMatchObject({ side: 'sell', status: 'filled' });
		const { quantity } = first(run, 'Estimate the Sale')!;
		expect(first(run, 'Sell Dollars')).toMatchObject({ filled_quantity: Number(quantity).toFixed(2) });
		expect(mine()).toHaveLength(before + 2);
		expect(account().holdings.get('NGN')!.available).toBeGreaterThan(500_000_000n);
	});

	it('the report job writes the orders, fills and balances of the day into a file named after it', async () => {
		const [run] = await press('daily-statement.json');
		const { from, to, day } = first(run, 'The Day') as { from: string; to: string; day: string };
		const [begin, end] = [Date.parse(from), Date.parse(to)];
		const ofTheDay = mine().filter(({ createdAt }) => createdAt >= begin && createdAt < end);
		const records = items(run, 'Statement').map(({ record, id }) => ({ record, id }));
		const orders = records.filter(({ record }) => record === 'order').map(({ id }) => id);
		expect(orders.sort()).toEqual(ofTheDay.map(({ id }) => id).sort());
		expect(records.filter(({ record }) => record === 'balance').map(({ id }) => id)).toEqual(['NGN', 'USD']);
		const sums = items(run, 'Sums').map(({ count = 0 }) => Number(count));
		const fills = records.filter(({ record }) => record === 'fill');
		expect(sums.reduce((sum, each) => sum + each, 0)).toBe(fills.length);
		expect(records.filter(({ record }) => record === 'sum')).toHaveLength(sums.length);
		const [file] = run!.itemsOf('Keep the File');
		expect(file!.binary!['data']!.fileName).toBe(`statement ${day}.csv`);
		const text = contentOf(file!.binary!['data']!);
		expect(text.split('\n')[0]).toMatch(/^\W?record,time,id,of,side,quantity,price,note\r?$/);
		expect(text.trim().split('\n')).toHaveLength(records.length + 1);
	});

	it('the recovery job ignores a failure of certain outcome, and resolves only an unknown one (kills.ts)', async () => {
		const [run] = await press('settle-unknown.json');
		expect(Object.keys(run!.data.resultData.runData)).toContain('Another Reason');
	});

	it('each of the ten jobs has a test here', () => {
		const text = readFileSync(__filename, 'utf8');
		expect(jobs.filter((job) => !text.includes(`'${job}.json'`))).toEqual([]);
		expect(jobs).toHaveLength(10);
	});

	it('the rehearsal job finds each order once or not at all after every fault, and none stays open', async () => {
		const report = items(await rehearsal, 'Report');
		expect(report).toMatchObject([
			{ fault: 'commit-then-drop', orders: '1', said: expect.stringMatching(/^placed/) },
			{ fault: 'commit-then-502', orders: '1', said: expect.stringMatching(/^placed/) },
			{ fault: 'drop-before-commit', orders: '1', said: expect.stringMatching(/^placed/) },
			{ fault: 'server-error', orders: '1', said: expect.stringMatching(/^placed/) },
			{ fault: 'too-many-requests', orders: '1', said: expect.stringMatching(/^placed/) },
			{ fault: 'forbidden', orders: '0', said: expect.stringContaining('may not do this') },
		]);
		expect(mine(rehearsing).map(({ status }) => status)).toEqual(Array(5).fill('cancelled'));
	});
});
