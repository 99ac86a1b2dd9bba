import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { jobs } from '../support/jobs';
import { files, openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, packageFolder } from './flows';
import { forAll } from '../support/opened';

type Job = (typeof jobs)[number];

const folder = join(packageFolder, 'examples', 'jobs');
const guide =
	readFileSync(join(packageFolder, '../../docs/guides/examples.md'), 'utf8').split('## In Node-RED')[1] ?? '';
const flowOf = (job: Job): FlowNode[] => JSON.parse(readFileSync(join(folder, `${job}.json`), 'utf8')) as FlowNode[];

/** What the guide says of a job: its row of the table. */
const rowOf = (job: Job): string[] =>
	(guide.split('\n').find((line) => line.includes(`examples/jobs/${job}.json)`)) ?? '').split(' | ');

describe('the whole jobs', () => {
	it('the whole jobs are the same as in n8n, each with a picture and its edits in the guide', () => {
		expect(readdirSync(folder)).toEqual(jobs.map((job) => `${job}.json`).sort());
		for (const job of jobs) {
			const [, use, edit, picture] = rowOf(job);
			expect(use).toMatch(/\w/);
			expect(edit).toMatch(/\w/);
			expect(picture).toContain(`../images/examples/node-red-${job}.png)`);
		}
	});

	it.each(jobs)('the job %s has what the guide tells to edit, and names every order by what it stands for', (job) => {
		const flow = flowOf(job);
		const [, , edit = ''] = rowOf(job);
		const names = flow.map(({ name, label }) => String(name || label));
		expect([...edit.matchAll(/_([^_]+)_/g)].some(([, named]) => names.includes(named!))).toBe(true);
		const isPlacing = flow.some(({ type }) => type === 'partner-exchange-create-order');
		expect(JSON.stringify(flow).includes('intentKey')).toBe(isPlacing || job === 'low-balance-top-up');
	});
});

describe('a whole job in a real Node-RED', () => {
	const bench = forAll(() => openCommonBench({ marketMaker: true }));

	const orders = () => [...bench.sandbox.engine.state.orders.values()];
	/** Orders of the account, without those of the market maker. */
	const placed = () => orders().filter(({ accountId }) => accountId === 'trader');

	/**
	 * Imports the job beside nodes of the test, as it is but for its patience: it looks each second, and does not wait
	 * long for an order that rests. The editor assigns the account a person added.
	 */
	async function start(
		job: Job,
		more: readonly FlowNode[] = [],
		imported = flowOf(job),
	): Promise<(name: string) => string> {
		const flow = imported.map((node): FlowNode => {
			const mine: FlowNode = { ...node };
			if (mine.account === '') mine.account = 'account-one';
			if (mine.seconds) mine.seconds = '1';
			if (mine.wait_seconds && job === 'orders-from-rows') mine.wait_seconds = '1';
			return mine;
		});
		// Not after the deploy, in which a node may be connected already.
		bench.nodeRed.forget();
		await bench.nodeRed.deploy([account(bench.sandbox), ...flow, ...more.map((node) => ({ ...node, z: flow[0]!.id }))]);
		return (name) => {
			const match = flow.find((node) => node.name === name);
			if (!match) throw new Error(`${job} has no node ${name}`);
			return match.id;
		};
	}
	const press = async (id: string): Promise<void> =>
		void (await bench.nodeRed.api(`/inject/${id}`, { method: 'POST' }));
	/** What arrived at a node, once there are so many messages. */
	async function arrived(id: string, count = 1): Promise<unknown[]> {
		const reports = () => bench.nodeRed.messages.filter(({ to }) => to === id).map(({ message }) => message.payload);
		await until(() => reports().length >= count, {
			what: `${count} messages`,
			seen: () => ({ done: bench.nodeRed.completions.slice(-5), statuses: bench.nodeRed.statuses.slice(-5) }),
		});
		return reports();
	}
	const trade = (side: string, quantity: string): FlowNode[] =>
		node('trader', 'create-order', { pair_id: 'USD/NGN', side, order_type: 'market', quantity, wait: 'final' });
	const withdrawal = node('withdraw', 'simulate', { operation: 'fiatWithdrawal' }, 1);
	/** Takes so much out of the wallet that four million naira are left. */
	async function withdraw(): Promise<void> {
		const { available } = bench.sandbox.engine.state.accounts.get('trader')!.holdings.get('NGN')!;
		const amount = `${available / 100n - 4_000_000n}.00`;
		const { error } = await call(bench.nodeRed, 'withdraw', {
			payload: { email: 'trader@sandbox.test', amount, currency: 'NGN' },
		});
		expect(error).toBeUndefined();
	}

	it('the fills job tells the desk of each fill', async () => {
		const id = await start('alert-on-fill', trade('buy', '10.00'));
		await bench.nodeRed.waitForStatus(id('fills'), CONNECTED);
		await call(bench.nodeRed, 'trader');
		const [text] = await arrived(id('tell the desk'));
		expect(text).toMatch(/^Bought 10\.00 USD\/NGN at [\d.]+ \(order \S+\)$/);
	});

	it('the sheet job places each row once, however often it is sent', async () => {
		const id = await start('orders-from-rows');
		const before = placed().length;
		await press(id('place the rows'));
		const first = (await arrived(id('write it back'), 3)) as { row: string; order_id: string; filled?: string }[];
		expect(first.map(({ row }) => row).sort()).toEqual(['1', '2', '3']);
		await press(id('place the rows'));
		const both = (await arrived(id('write it back'), 6)) as typeof first;
		expect(new Set(both.map(({ order_id }) => order_id)).size).toBe(3);
		expect(placed()).toHaveLength(before + 3);
	});

	it('the approval job places a small order, and a large one once a person approved it', async () => {
		const id = await start('approve-large-order');
		const before = placed().length;
		await press(id('ask for 20 USD'));
		expect(await arrived(id('ordered'))).toMatchObject([{ filled_quantity: '20.00' }]);
		await press(id('ask for 500 USD'));
		expect(await arrived(id('ask the approver'))).toEqual(['Buy 500.00 USD? Approve or decline; 1 waiting']);
		expect(placed()).toHaveLength(before + 1);
		await press(id('approve the oldest'));
		await press(id('approve the oldest'));
		const [, large] = (await arrived(id('ordered'), 2)) as { filled_quantity: string }[];
		expect(large).toMatchObject({ quantity: '500.00' });
		await press(id('ask for 500 USD'));
		await arrived(id('ask the approver'), 2);
		await press(id('decline the oldest'));
		expect(await arrived(id('declined'))).toEqual(['Declined: 500.00 USD']);
		expect(placed()).toHaveLength(before + 2);
	});

	it('the weekly job buys once a week', async () => {
		const id = await start('buy-every-week');
		const before = placed().length;
		await press(id('every Monday at nine'));
		await arrived(id('bought'));
		await press(id('every Monday at nine'));
		const [first, again] = (await arrived(id('bought'), 2)) as { order_id: string }[];
		expect(again!.order_id).toBe(first!.order_id);
		expect(placed()).toHaveLength(before + 1);
	});

	it('the deposit job sells a deposit when it has arrived', async () => {
		const deposit = node('pay-in', 'simulate-deposit', { operation: 'cryptoDeposit' }, 1);
		const id = await start('sell-deposit', deposit);
		await bench.nodeRed.waitForStatus(id('USD arrived'), /watching/);
		const { error } = await call(bench.nodeRed, 'pay-in', {
			payload: { email: 'trader@sandbox.test', amount: '25.00', chain: 'tron', asset: 'USDT' },
		});
		expect(error).toBeUndefined();
		expect(await arrived(id('sold'))).toMatchObject([{ side: 'sell', quantity: '25.00' }]);
	});

	it('the report job writes the orders, fills, their sums and balances of its day into one file, and of no other day', async () => {
		const HOUR_MS = 3_600_000;
		/** The file that the job writes at a time. */
		async function writtenAt(at: number): Promise<string> {
			const flow = JSON.parse(
				JSON.stringify(flowOf('daily-statement')).replaceAll('Date.now()', String(at)),
			) as FlowNode[];
			const id = await start('daily-statement', trade('buy', '10.00'), flow);
			if (placed().length === before) await call(bench.nodeRed, 'trader');
			await press(id('shortly after midnight'));
			const [message] = (await arrived(id('written'))) as string[];
			await press(id('shortly after midnight'));
			await arrived(id('written'), 2);
			return message!;
		}
		const before = placed().length;
		const message = await writtenAt(Date.now() + HOUR_MS);
		const [file, ...others] = readdirSync(files).filter((name) => name.startsWith('statement'));
		expect(others).toEqual([]);
		expect(file).toMatch(/^statement-\d{4}-\d\d-\d\d\.csv$/);
		expect(message).toBe(readFileSync(join(files, file!), 'utf8'));
		const lines = message.trim().split('\n');
		expect(lines[0]).toBe('"record","time","id","of","side","quantity","price","status"');
		const count = (record: string, text = message): number => text.split(`"${record}",`).length - 1;
		expect(count('balance')).toBe(2);
		expect(count('order')).toBeGreaterThan(0);
		expect(count('fill')).toBeGreaterThan(0);
		const sums = [...message.matchAll(/"(\d+) fills, total/g)].map(([, fills]) => Number(fills));
		expect(sums.reduce((sum, fills) => sum + fills, 0)).toBe(count('fill'));
		const earlier = await writtenAt(Date.now() - 47 * HOUR_MS);
		expect(['order', 'fill', 'balance'].map((record) => count(record, earlier))).toEqual([0, 0, 2]);
		expect(earlier).not.toContain('undefined');
	});

	it('the recovery job finds out what became of an unknown order', async () => {
		const id = await start('settle-unknown');
		await press(id('buy 10 USD, once'));
		const [order] = (await arrived(id('ordered'))) as { client_order_id: string; order_id: string }[];
		// The order was sent long ago, so that its absence is certain at once.
		const not_before = new Date(Date.now() - 60_000).toISOString();
		const arrive = async (client_order_id: string): Promise<void> =>
			await bench.nodeRed.send(id('unknown outcomes'), {
				payload: { outcome: 'unknown', client_order_id, not_before },
			});
		await arrive(order!.client_order_id);
		expect(await arrived(id('it was placed'))).toMatchObject([{ outcome: 'accepted' }]);
		await arrive('never-sent');
		expect(await arrived(id('it was not placed'))).toMatchObject([{ outcome: 'not_found' }]);
	});

	it('the rehearsal job finds one order after every fault, and cancels each', async () => {
		const id = await start('sandbox-rehearsal');
		await press(id('rehearse'));
		const [report] = (await arrived(id('report'))) as { fault: string; orders: number }[][];
		expect(report!.map(({ fault }) => fault)).toEqual(['commit-then-drop', 'commit-then-502', 'drop-before-commit']);
		for (const { orders: count } of report!) expect(count).toBe(1);
		await arrived(id('cancelled'), 3);
	});

	it('the top-up job warns of a low balance and tops it up, once per crossing', async () => {
		const id = await start('low-balance-top-up', withdrawal);
		await bench.nodeRed.waitForStatus(id('NGN below 5 million'), /watching/);
		await withdraw();
		expect(await arrived(id('warn treasury'))).toEqual([expect.stringMatching(/^NGN has [\d.]+ available, below/)]);
		expect(await arrived(id('topped up'))).toMatchObject([{ amount: '10000000.00' }]);
	});

	it('the rebalancing job sells as many dollars as bring the naira back above the threshold', async () => {
		const id = await start('keep-ngn-above-line', withdrawal);
		await bench.nodeRed.waitForStatus(id('NGN below 5 million'), /watching/);
		await withdraw();
		const [sold] = (await arrived(id('sold'))) as { side: string; filled_quantity: string }[];
		expect(sold).toMatchObject({ side: 'sell', status: 'filled' });
		const [{ quantity }] = (await arrived(id('sell dollars'))) as [{ quantity: string }];
		expect(sold!.filled_quantity).toBe(Number(quantity).toFixed(2));
	});
});
