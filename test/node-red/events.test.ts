import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { account, CONNECTED, node, openBench, tab, type Bench } from './flows';
import { tradingOn, type Trading } from './trading';

describe('the events node', () => {
	let bench: Bench;
	let trading: Trading;
	let flows: FlowNode[];
	const received = () =>
		bench.nodeRed.messages
			.filter(({ from, port }) => from === 'listen' && port === 0)
			.map(({ message }) => message as { topic: string; payload: { id: string }; event: Record<string, unknown> });
	const everyFill = async (): Promise<void> => {
		const truth = await trading.truth();
		await until(() => truth.every((id) => received().some(({ payload }) => payload.id === id)), {
			what: 'every fill to arrive',
			seen: () => ({
				truth: truth.length,
				received: received().length,
				log: bench.nodeRed.log().slice(-800),
				statuses: bench.nodeRed.statuses.slice(-3),
			}),
		});
	};

	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 } });
		trading = tradingOn(bench.sandbox);
		flows = [
			tab,
			account(bench.sandbox),
			...node('listen', 'events', { topics: ['user.fills'], pairs: [], missed: true }),
		];
		await bench.nodeRed.deploy(flows);
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		const file = join(bench.nodeRed.userDir, 'partner-exchange', 'listen.json');
		await until(async () => /user\.fills/.test(await readFile(file, 'utf8').catch(() => '')), { what: 'a position' });
	});
	afterAll(async () => await bench.close());

	it('the events node sends each fill with its topic, its data and its position on the stream', async () => {
		trading.fills(3);
		await everyFill();
		const [first] = received();
		expect(first).toMatchObject({ topic: 'user.fills', payload: { price: '1500.00' }, event: { delivery: 'live' } });
		expect(first!.event.eventKey).toEqual(expect.any(String));
		expect(new Set(received().map(({ event }) => event.eventKey)).size).toBe(3);
	});

	it.each(['full', 'flows', 'nodes'] as const)(
		'the events node misses nothing that happens during a %s deploy',
		async (type) => {
			const moved = flows.map((node) => (node.id === 'listen' ? { ...node, name: `after ${type}` } : node));
			trading.fills(5);
			const deployed = bench.nodeRed.deploy(moved, type);
			trading.fills(5);
			await deployed;
			trading.fills(5);
			await everyFill();
		},
	);

	it.each(['SIGTERM', 'SIGKILL'] as const)(
		'the events node delivers what happened while the host was gone after %s',
		async (signal) => {
			trading.fills(2);
			const restarted = bench.nodeRed.restart(signal);
			trading.fills(5);
			await restarted;
			await everyFill();
		},
	);
});
