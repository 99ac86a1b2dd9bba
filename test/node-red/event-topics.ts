import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { openCommonBench } from './common-bench';
import { account, CONNECTED, node, tab } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

/** Two nodes on one account: the settings, checkpoint and failures of one do not affect the other. */
describe('events nodes', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));
	const from = (id: string, port = 0) =>
		bench.nodeRed.messages.filter((wire) => wire.from === id && wire.port === port).map(({ message }) => message);
	const fillsOf = (id: string): string[] =>
		from(id)
			.flatMap(({ payload }) => [payload].flat() as { id: string }[])
			.map((fill) => fill.id);
	const arrived = async (id: string, count: number): Promise<void> =>
		void (await until(() => new Set(fillsOf(id)).size >= count, {
			what: `${count} fills from ${id}`,
			seen: () => ({
				got: fillsOf(id).length,
				statuses: bench.nodeRed.statuses.slice(-4),
				log: bench.nodeRed.log().slice(-500),
			}),
		}));
	const start = async (flows: FlowNode[], type: 'full' | 'nodes' | 'flows' = 'full'): Promise<void> => {
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...flows], type);
		for (const { id } of flows.filter(({ type, z }) => type === 'partner-exchange-events' && z === tab.id))
			await bench.nodeRed.waitForStatus(id, CONNECTED);
		bench.nodeRed.forget();
	};

	/** Waits until a node's checkpoint is on disk: a node stopped earlier would start without one. */
	const hasCheckpoint = async (file: string): Promise<void> => {
		const path = join(bench.nodeRed.userDir, file);
		await until(async () => /user\.fills/.test(await readFile(path, 'utf8').catch(() => '')), {
			what: `a checkpoint in ${file}`,
		});
	};

	/** The account's connections at the service. */
	const sockets = async (): Promise<number> => {
		const state = (await (await fetch(`${bench.sandbox.url}/_sandbox/state`)).json()) as {
			clients: { email: string | null }[];
		};
		return state.clients.filter(({ email }) => email !== null).length;
	};

	it('an events node sends public topics of the chosen pairs without a key', async () => {
		const keyless = account(bench.sandbox, { id: 'account-keyless', credentials: {} });
		await start([
			keyless,
			...node('public', 'events', { account: 'account-keyless', topics: ['trades', 'orderbook'], pairs: ['USD/NGN'] }),
		]);
		trading.fills(2);
		await until(() => new Set(from('public').map(({ topic }) => topic)).size === 2, {
			what: 'both topics',
			seen: () => from('public').slice(-2),
		});
		expect(new Set(from('public').map(({ topic }) => topic))).toEqual(new Set(['trades.USD_NGN', 'orderbook.USD_NGN']));
	});

	it('an events node sends only what its filters let through', async () => {
		await start([
			...node('bought', 'events', { topics: ['user.fills'], side: 'buy' }),
			...node('sold', 'events', { topics: ['user.fills'], side: 'sell' }),
			...node('large', 'events', { topics: ['user.fills'], minQuantity: '2.00' }),
		]);
		trading.fills(3);
		await arrived('bought', 3);
		expect(from('sold')).toEqual([]);
		expect(from('large')).toEqual([]);
	});

	it('an events node sends several events in one message where asked, each with its facts', async () => {
		await start(node('batches', 'events', { topics: ['user.fills'], batch: '10' }));
		trading.fills(25);
		await arrived('batches', 25);
		const batches = from('batches') as { payload: unknown[]; event: { eventKey: string }[]; topic: string }[];
		expect(batches.length).toBeLessThan(25);
		for (const { payload, event, topic } of batches) {
			expect(topic).toBe('user.fills');
			expect(payload.length).toBeLessThanOrEqual(10);
			expect(event.map(({ eventKey }) => eventKey)).toHaveLength(payload.length);
		}
	});

	it('an events node repeats nothing when a deploy changes other nodes', async () => {
		const events = node('quiet', 'events', { topics: ['user.fills'] });
		const elsewhere = (name: string): FlowNode[] => [
			{ id: 'other-tab', type: 'tab', label: 'Other' },
			{ id: 'other-node', type: 'comment', z: 'other-tab', name, wires: [] },
		];
		await start([...events, ...elsewhere('one')]);
		trading.fills(4);
		await arrived('quiet', 4);
		// Credentials in the deploy count as a change of the account, and so of every node that uses it.
		await bench.nodeRed.deploy(
			[tab, account(bench.sandbox, { credentials: undefined }), ...events, ...elsewhere('two')],
			'nodes',
		);
		trading.fills(1);
		await arrived('quiet', 5);
		expect(fillsOf('quiet')).toHaveLength(5);
	});

	it('an events node resumes where it stood when it gets other topics or filters', async () => {
		await start(node('changing', 'events', { topics: ['user.fills'] }));
		trading.fills(1);
		await arrived('changing', 1);
		const earlier = await trading.truth();
		const deploying = bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('changing', 'events', { topics: ['user.fills', 'user.orders'], side: 'buy' }),
		]);
		trading.fills(3);
		await deploying;
		const made = (await trading.truth()).filter((id) => !earlier.includes(id));
		expect(made).toHaveLength(3);
		await until(() => made.every((id) => fillsOf('changing').includes(id)), { what: 'the fills' });
	});

	it('an events node listens to nothing rather than keep its checkpoint in a store that Node-RED does not have', async () => {
		await bench.nodeRed.deploy([
			...[account(bench.sandbox), tab],
			...node('elsewhere', 'events', { topics: ['user.fills'], store: 'redis' }),
			...node('beside', 'events', { topics: ['user.fills'] }),
		]);
		await bench.nodeRed.waitForStatus('elsewhere', /invalid input/);
		expect(bench.nodeRed.log()).toContain('This Node-RED has no context store named redis');
		await bench.nodeRed.waitForStatus('beside', CONNECTED);
		// Each after the one before it has arrived, so that one that listened later would get some of them.
		for (let count = 1; count <= 10; count += 1) {
			trading.fills(1);
			await arrived('beside', count);
		}
		expect(from('elsewhere')).toEqual([]);
		await bench.nodeRed.waitForStatus('elsewhere', /invalid input/);
	});

	it('an events node delivers what happened while the flows were stopped', async () => {
		await start(node('paused', 'events', { topics: ['user.fills'] }));
		await bench.nodeRed.api('/flows/state', { method: 'POST', body: { state: 'stop' } });
		trading.fills(4);
		await bench.nodeRed.api('/flows/state', { method: 'POST', body: { state: 'start' } });
		await arrived('paused', 4);
	});

	it('events nodes resume after a restart where each stood: in a context store, in a subflow, or from now where past events are switched off', async () => {
		// A node without a position on the canvas counts as a config node there.
		const place = { x: 100, y: 100 };
		const subflow = '0123456789abcdef';
		await start([
			...node('fresh', 'events', { topics: ['user.fills'], missed: false }),
			...node('stored', 'events', { topics: ['user.fills'], store: 'disk' }),
			{ id: subflow, type: 'subflow', name: 'Listening', in: [], out: [{ wires: [{ id: 'inner', port: 0 }] }] },
			{ id: 'the-instance', type: `subflow:${subflow}`, z: tab.id, ...place, wires: [['instance-end']] },
			{ id: 'instance-end', type: 'junction', z: tab.id, wires: [[]] },
			{ ...node('inner', 'events', { topics: ['user.fills'] }, 0)[0]!, z: subflow, ...place, wires: [[]] },
		]);
		const inside = (): number => bench.nodeRed.messages.filter(({ to }) => to === 'instance-end').length;
		// The status of a node in a subflow is not visible outside, so the first fill shows that it is connected.
		await until(() => (trading.fills(1), inside() > 0), { what: 'the first fill', everyMs: 200 });
		await hasCheckpoint(join('partner-exchange', 'the-instance-inner.json'));
		await hasCheckpoint(join('context', tab.id, 'stored.json'));
		const earlier = await trading.truth();
		await bench.nodeRed.kill('SIGTERM');
		bench.nodeRed.forget();
		trading.fills(2);
		await bench.nodeRed.restart();
		const missed = (await trading.truth()).filter((id) => !earlier.includes(id));
		const seen = () => [bench.nodeRed.statuses.slice(-4), bench.nodeRed.log().slice(-900)];
		await until(() => missed.every((id) => fillsOf('stored').includes(id)), {
			what: 'the fills of the meantime',
			seen,
		});
		await until(() => inside() >= missed.length, { what: 'the fills of the meantime in the subflow', seen });
		await bench.nodeRed.waitForStatus('fresh', CONNECTED);
		trading.fills(1);
		await arrived('fresh', 1);
		expect(fillsOf('fresh').filter((id) => missed.includes(id))).toEqual([]);
	});

	it('events nodes share one connection, and close only their own part of it', async () => {
		await start([
			...node('one', 'events', { topics: ['user.fills'] }),
			...node('two', 'events', { topics: ['user.fills'] }),
		]);
		await until(async () => (await sockets()) === 1, { what: 'one connection' });
		await bench.nodeRed.deploy(
			[tab, account(bench.sandbox), ...node('two', 'events', { topics: ['user.fills'] })],
			'nodes',
		);
		await until(async () => (await sockets()) === 1, { what: 'one connection still' });
		bench.nodeRed.forget();
		trading.fills(2);
		await arrived('two', 2);
		expect(from('one')).toEqual([]);
	});
});
