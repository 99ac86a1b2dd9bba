import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { files, openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, payloadOf, tab } from './flows';
import { forEach } from '../support/opened';

/** Sooner than a subscription without a node would end by itself. */
const SOON_MS = 45_000;

describe('a deploy', () => {
	const bench = forEach(() => openCommonBench({ settings: { orderDelayMs: 0 } }));

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

	it('a deploy removes the files of a node that was missing for a month, and none of a disabled tab or node', async () => {
		const folder = join(bench.nodeRed.userDir, 'partner-exchange');
		const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
		await mkdir(folder, { recursive: true });
		for (const name of ['asleep.json', 'off.json', 'gone.json']) {
			await writeFile(join(folder, name), '{}');
			await writeFile(join(folder, `${name}.unused`), '');
			await utimes(join(folder, `${name}.unused`), longAgo, longAgo);
		}
		await bench.nodeRed.deploy([
			{ ...tab, disabled: true },
			{ id: 'tab-two', type: 'tab', label: 'Running' },
			account(bench.sandbox),
			...node('asleep', 'events', { topics: ['user.fills'] }),
			...node('off', 'events', { topics: ['user.fills'], z: 'tab-two', d: true }),
		]);
		// The account of the flows has locked its journal by then.
		const left = (await readdir(folder)).filter((name) => !name.includes('.journal'));
		expect(left.sort()).toEqual(['asleep.json', 'off.json']);
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
	const bench = forEach(() => openCommonBench());

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
		// A checkpoint that is stored without the deposit goes through, or the deposit's own would wait behind it.
		await writeFile(join(files, 'hold'), 'completed');
		await deposit('6000.00');
		const isUnderWay = async () => /completed/.test(await readFile(join(files, 'writing'), 'utf8'));
		await until(isUnderWay, { what: 'the deposit to be stored' });
		const restarting = bench.nodeRed.restart();
		await until(() => /Stopping flows/.test(bench.nodeRed.log()), { what: 'Node-RED to stop' });
		await rm(join(files, 'hold'));
		await restarting;
		await bench.nodeRed.waitForStatus('wallet', /watching/);
		await deposit('70.00');
		expect(amounts()).toEqual(['6000.00', '70.00']);
	});
});
