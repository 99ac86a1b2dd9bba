import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { account, call, CONNECTED, node, openBench, payloadOf, tab, type Bench } from './flows';

/** Sooner than a subscription without a node would end by itself. */
const SOON_MS = 45_000;

describe('a deploy', () => {
	let bench: Bench;
	beforeEach(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 } });
	});
	afterEach(async () => await bench.close());

	const topicsAtService = async (): Promise<string[]> => {
		const answer = await fetch(`${bench.sandbox.url}/_sandbox/state`);
		const { clients } = (await answer.json()) as { clients: { topics: { topic: string }[] }[] };
		return clients.flatMap(({ topics }) => topics.map(({ topic }) => topic));
	};

	it('a deploy that removes an events node unsubscribes it, and the others stay subscribed', async () => {
		const staying = [tab, account(bench.sandbox), ...node('staying', 'events', { topics: ['user.orders'] })];
		await bench.nodeRed.deploy([...staying, ...node('leaving', 'events', { topics: ['user.fills'] })]);
		for (const id of ['staying', 'leaving']) await bench.nodeRed.waitForStatus(id, CONNECTED);
		expect(await topicsAtService()).toEqual(expect.arrayContaining(['user.orders', 'user.fills']));
		await bench.nodeRed.deploy(staying, 'flows');
		const isGone = async () => !(await topicsAtService()).includes('user.fills');
		await until(isGone, { what: 'the topic to be given back', timeoutMs: SOON_MS });
		expect(await topicsAtService()).toContain('user.orders');
	});

	it('a deploy that drops a wallet report makes the remaining node report it again', async () => {
		const flows = (units: string): FlowNode[] => [
			tab,
			account(bench.sandbox),
			{
				...{ id: 'wallet', type: 'partner-exchange-alerts', z: tab.id, account: 'account-one' },
				...{ event: 'transaction', seconds: '1', wires: [['queue']] },
			},
			{
				...{ id: 'queue', type: 'delay', z: tab.id, pauseType: 'delay', timeout: '200', timeoutUnits: units },
				...{ rate: '1', nbRateUnits: '1', rateUnits: 'second', randomFirst: '1', randomLast: '5' },
				...{ randomUnits: 'seconds', drop: false, allowrate: false, outputs: 1, wires: [['end']] },
			},
			{ id: 'end', type: 'junction', z: tab.id, wires: [[]] },
			...node(
				'deposit',
				'simulate-deposit',
				{ operation: 'fiatDeposit', email: 'trader@sandbox.test', currency: 'NGN' },
				1,
			),
		];
		const keysFrom = (id: string) =>
			bench.nodeRed.messages
				.filter((wire) => wire.from === id)
				.map(({ message }) => (message as unknown as { event: { eventKey: string } }).event.eventKey);
		await bench.nodeRed.deploy(flows('seconds'));
		await bench.nodeRed.waitForStatus('wallet', /watching/);
		payloadOf(await call(bench.nodeRed, 'deposit', { payload: { amount: '6000.00' } }));
		await until(() => keysFrom('wallet').length > 0, { what: 'the deposit' });
		const [dropped] = keysFrom('wallet');
		expect(keysFrom('queue')).toEqual([]);
		// An account deployed with its key counts as changed, which would also restart the alerts node.
		const stored = flows('milliseconds').map(({ credentials: _key, ...each }) => each as FlowNode);
		await bench.nodeRed.deploy(stored, 'nodes');
		await until(() => keysFrom('queue').includes(dropped!), {
			what: 'the deposit behind the queue',
			timeoutMs: SOON_MS,
		});
	});
});

describe('a stop of Node-RED', () => {
	let folder: string;
	let bench: Bench;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'context-'));
		// Node-RED looks for a module named by text in a folder of its own, so the path leads to the root first.
		const module = `${'../'.repeat(20)}${join(__dirname, '..', 'support', 'held-context-store.js')}`;
		const pending = { module, config: { folder } };
		bench = await openBench({}, { settings: { contextStorage: { default: { module: 'memory' }, held: pending } } });
	});
	afterEach(async () => {
		await bench?.close();
		await rm(folder, { recursive: true, force: true });
	});

	const amounts = (): unknown[] =>
		bench.nodeRed.messages
			.filter(({ from }) => from === 'wallet')
			.map(({ message }) => (message.payload as { amount: string }).amount);
	const deposit = async (amount: string): Promise<void> => {
		payloadOf(await call(bench.nodeRed, 'deposit', { payload: { amount } }));
		await until(() => amounts().includes(amount), { what: `the deposit of ${amount}` });
	};

	it('a stop of Node-RED waits until a wallet report is stored, so that no deposit is reported again', async () => {
		await bench.nodeRed.deploy([
			...[tab, account(bench.sandbox)],
			...node('wallet', 'alerts', { event: 'transaction', seconds: '1', status_value: 'completed', store: 'held' }, 1),
			...node(
				'deposit',
				'simulate-deposit',
				{ operation: 'fiatDeposit', email: 'trader@sandbox.test', currency: 'NGN' },
				1,
			),
		]);
		await bench.nodeRed.waitForStatus('wallet', /watching/);
		// A position that is stored without the deposit goes through, or the deposit's own would wait behind it.
		await writeFile(join(folder, 'hold'), 'completed');
		await deposit('6000.00');
		const isUnderWay = async () => /completed/.test(await readFile(join(folder, 'writing'), 'utf8'));
		await until(isUnderWay, { what: 'the deposit to be stored' });
		const restarting = bench.nodeRed.restart();
		await until(() => /Stopping flows/.test(bench.nodeRed.log()), { what: 'Node-RED to stop' });
		await rm(join(folder, 'hold'));
		await restarting;
		await bench.nodeRed.waitForStatus('wallet', /watching/);
		await deposit('70.00');
		expect(amounts()).toEqual(['6000.00', '70.00']);
	});
});
