/**
 * Fills in n8n in queue mode while its services fail. Compared: the exchange's records and the requests the desk
 * received.
 */
import type { ServerResponse } from 'node:http';
import { until } from '../../support/condition';
import { fillsIn, makeFill } from '../../support/fills';
import { startWire, type Wire } from '../../support/wire';
import { ordersIn } from '../../support/placing';
import { begun, buying, calling, KEY, listening } from '../n8n/bench';
import { openCluster } from './cluster';
import { forAll, forEach } from '../../support/opened';

/** Longer than n8n takes to give up an execution whose worker is gone. */
const WAIT_MS = 150_000;
const FILLS = 3;

describe('fills in queue mode', () => {
	const cluster = forAll(() => openCluster({ settings: { orderDelayMs: 0 } }));
	const wire = forEach(() => startWire());
	let pending: ServerResponse[];
	/** The workflows of the present test, the fills from before it, and how much n8n had logged. */
	let published: string[];
	let before: string[];
	let logged: number;
	beforeEach(async () => {
		pending = [];
		published = [];
		before = await fillsIn(cluster.sandbox());
		logged = cluster.n8n.log().length;
	});
	afterEach(async () => {
		answer();
		for (const id of published) await cluster.n8n.unpublish(id);
	});

	const fill = async (): Promise<void> => await makeFill(cluster.sandbox());
	const fills = async (count: number): Promise<void> => {
		for (let made = 0; made < count; made += 1) await fill();
	};
	const truth = async (): Promise<string[]> =>
		(await fillsIn(cluster.sandbox())).filter((id) => !before.includes(id)).sort();
	/** The desk holds its response until it is released. */
	const hold = (): void => void wire.on('POST /desk', (_request, response) => void pending.push(response));
	const answer = (): void => {
		wire.on('POST /desk', { status: 200, body: '{}' });
		pending.splice(0).forEach((response) => response.writeHead(200).end('{}'));
	};
	const listen = async (name: string, options: Record<string, unknown> = {}): Promise<string> => {
		// The upper node goes first, so an order is placed before the desk gets its fill.
		const placing = await cluster.save('Places', [
			begun,
			buying({ options: { business_key: '={{ $json.eventKey }}' } }),
		]);
		const nodes = [
			listening({ topics: ['user.fills'], options }),
			calling(placing),
			{ ...telling(wire), position: [0, 200] },
		];
		const both = ['Call', 'Desk'].map((node) => ({ node, type: 'main', index: 0 }));
		const id = await cluster.save(name, nodes, { Fills: { main: [both] } });
		published.push(id);
		await cluster.n8n.publish(placing);
		await cluster.n8n.publish(id);
		return id;
	};
	const events = (): { id: string; eventKey: string }[] =>
		wire.calls('POST /desk').map(({ body }) => JSON.parse(body) as { id: string; eventKey: string });
	const toldIds = (): string[] => [...new Set(events().map(({ id }) => id))].sort();
	const log = (): string => cluster.n8n.log().slice(logged);
	const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
		await until(condition, { timeoutMs: WAIT_MS, everyMs: 100, what, seen: () => log().slice(-1500) });
	const waitForAll = async (owed: string[]): Promise<unknown> =>
		await waitFor(`the desk to hear of each of ${owed.length} fills`, () => owed.every((id) => toldIds().includes(id)));

	const connections = async (): Promise<number> => {
		const state = await fetch(`${cluster.sandbox().url}/_sandbox/state`);
		return ((await state.json()) as { clients: unknown[] }).clients.length;
	};

	it('delivers a fill again whose worker was killed, with the same event key, and the fills behind it, with an order each', async () => {
		hold();
		await listen('Killed', { eventsPerExecution: 1 });
		await fills(2);
		await waitFor('a worker to be in the middle', () => wire.calls('POST /desk').length === 1);
		const running = await until(
			() => cluster.workers.find((worker) => worker.log().includes('Worker started execution')),
			{ what: 'a worker to say so' },
		);
		await running.stop('SIGKILL');
		await cluster.addWorker();
		answer();
		await waitForAll(await truth());
		const [first] = events();
		expect(events().filter(({ id }) => id === first!.id)).toEqual([first, first]);
		expect(log()).toMatch(/did not run to its end/);
		expect(ordersIn(cluster.sandbox()).filter(({ status }) => status === 'accepted')).toHaveLength(2);
		expect(cluster.n8n.log()).not.toContain(KEY);
	});

	it('delivers fills that Redis forgot, in the middle of an execution and in the queue, and those it was away for, and says so', async () => {
		answer();
		const options = { eventsPerExecution: 1, executionSeconds: 10 };
		await listen('Forgotten', options);
		await listen('Forgotten too', options);
		// An execution that has ended shows both triggers that n8n has a queue.
		await fill();
		await waitFor('both workflows to take a fill', () => events().length === 2);
		hold();
		await fills(FILLS);
		await waitFor('both workflows to be in the middle', () => pending.length === 2);
		await cluster.stopRedis();
		await fills(FILLS);
		await cluster.startEmptyRedis();
		answer();
		await fills(FILLS);
		const owed = await truth();
		const counts = (): number[] => owed.map((id) => events().filter((each) => each.id === id).length);
		await waitFor('each fill to reach both workflows', () => counts().every((count) => count >= 2));
		expect(log()).toMatch(/has not ended after 5 s\. Later events wait for it until/);
		expect(log()).toMatch(/has not ended after 10 s; its events are handed over again/);
	});

	it('loses no fill with a second main, which ends without a word, and says that there are two', async () => {
		answer();
		// An execution lost with a killed main is repeated once its time limit has passed.
		await listen('Shared', { executionSeconds: 10 });
		await fills(FILLS);
		await waitForAll(await truth());
		const second = await cluster.addMain();
		await waitFor('the second main to listen', async () => (await connections()) >= 2);
		// The two mains say so at a live fill that both take, and a main that still catches up takes none.
		await waitFor('one of them to say so', async () => {
			await fill();
			await waitForAll(await truth());
			return /second reader/.test(log() + second.log());
		});
		await second.kill();
		await fills(FILLS);
		await waitForAll(await truth());
		await cluster.n8n.kill();
		await fills(FILLS);
		await cluster.n8n.restart();
		await waitForAll(await truth());
	});
});

/** Posts to the desk which fill arrived, and under which key. */
const telling = ({ url }: Wire) => ({
	name: 'Desk',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url: `${url}/desk`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ JSON.stringify({ id: $json.data.id, eventKey: $json.eventKey }) }}',
	},
});
