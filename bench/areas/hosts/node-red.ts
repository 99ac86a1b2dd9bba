import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopwatch, type Contestant, type Sample } from '../../area';
import { peer } from '../../peers';
import { feeds } from '../stream/frames';
import { begin } from '../stream/server';

/** Node-RED's runtime in this process, without its editor. */
interface Runtime {
	init(server: unknown, settings: object): void;
	start(): Promise<void>;
}

interface FlowNode {
	id: string;
	type: string;
	[property: string]: unknown;
}

/** The folder of our package among the installed ones, by which Node-RED can be told to leave it out. */
const OURS = 'node-red';
const TAB: FlowNode = { id: 'bench-tab-id', type: 'tab', label: 'Bench' };
const SINK: FlowNode = { id: 'bench-sink-id', type: 'bench-sink', z: TAB.id, wires: [] };
const ACCOUNT = 'bench-account-id';
const REGISTERED_MS = 100;
/** Until a flow has subscribed and read what was before. */
const SUBSCRIBED_MS = 2_000;
/** What the node at the end of each flow tells of every message. */
const global = globalThis as { benchSink?: (message: object) => void; benchInput?: (opened: Input) => void };
type Input = (message: object) => void;

async function startRuntime(nodes: readonly FlowNode[]): Promise<void> {
	const userDir = mkdtempSync(join(tmpdir(), 'bench-'));
	process.once('exit', () => rmSync(userDir, { recursive: true, force: true }));
	const RED = peer<Runtime>('node-red');
	const settings = {
		...{ userDir, flowFile: 'flows.json', credentialSecret: false, httpAdminRoot: false, httpNodeRoot: false },
		// Our package is found among the installed ones, as it would be in a palette; its hooks would cost the others something.
		nodesExcludes: nodes.some(({ type }) => type.startsWith('partner-exchange')) ? [] : [OURS],
		nodesDir: [join(process.cwd(), 'bench', 'areas', 'hosts', 'sink')],
		...{ telemetry: { enabled: false, updateNotification: false }, logging: { console: { level: 'fatal' } } },
	};
	writeFileSync(join(userDir, 'flows.json'), JSON.stringify([TAB, SINK, ...nodes]));
	writeFileSync(join(userDir, 'flows_cred.json'), JSON.stringify({ [ACCOUNT]: { apiKey: 'bench-key' } }));
	RED.init(createServer(), settings);
	await RED.start();
}

/** What makes messages come into a flow, once the flow runs; it is measured from when this resolves. */
type Source = () => Promise<void>;

/** From the first message to the last one at the end of the flow. */
async function untilAll(size: number, nodes: readonly FlowNode[], source: Source): Promise<Sample> {
	return new Promise((resolve, reject) => {
		let end = stopwatch();
		let left = size;
		global.benchSink = () => {
			if (--left === 0) resolve(end(size));
		};
		startRuntime(nodes)
			.then(source)
			.then(() => (end = stopwatch()), reject);
	});
}

/** Trades from the stream, once the flow has subscribed and read what was before. */
const trades =
	(size: number, address: string): Source =>
	async () => {
		await new Promise((resolve) => setTimeout(resolve, SUBSCRIBED_MS));
		await begin(address, 'trades', size);
	};

const accountAt = (address: string, path: string): FlowNode => ({
	...{ id: ACCOUNT, type: 'partner-exchange-account', name: '', environment: 'sandbox' },
	...{ baseUrl: `http://${address}${path}/v1`, wsUrl: `ws://${address}${path}/v1/ws` },
});

const ours: Contestant = {
	title: 'ours, the events node',
	note: 'deduplication, backfill, a checkpoint across restarts',
	run: (size, address) =>
		untilAll(
			size,
			[
				accountAt(address, '/trades'),
				{
					...{
						id: 'bench-events-id',
						type: 'partner-exchange-events',
						z: TAB.id,
						account: ACCOUNT,
						wires: [[SINK.id]],
					},
					...{ topics: ['trades'], pairs: ['USD/NGN'], missed: true },
				},
			],
			trades(size, address),
		),
};

const CLIENT = 'bench-client-id';
const SUBSCRIBE = JSON.stringify({ type: 'subscribe', topics: [feeds.trades.topicOf(1)] });

const node = (id: string, type: string, to: string[], more: object): FlowNode => ({
	...{ id: `bench-${id}-id`, type, z: TAB.id, wires: [to] },
	...more,
});

/** Lets a message through where a property of it says one thing. */
const onlyWhere = (id: string, property: string, value: string, to: string): FlowNode =>
	node(id, 'switch', [to], {
		...{ property, propertyType: 'msg', rules: [{ t: 'eq', v: value, vt: 'str' }] },
		...{ checkall: 'true', repair: false, outputs: 1 },
	});

/** Node-RED's own nodes; the subscription is sent by hand when the socket opens. */
const core: Contestant = {
	title: 'websocket in and json',
	run: (size, address) =>
		// The confirmation arrives there, too.
		untilAll(
			size + 1,
			[
				{
					...{ id: CLIENT, type: 'websocket-client', tls: '' },
					path: `ws://${address}/trades`,
					wholemsg: 'false',
					hb: '0',
				},
				node('status', 'status', ['bench-opened-id'], { scope: ['bench-in-id'] }),
				onlyWhere('opened', 'status.event', 'connect', 'bench-subscribe-id'),
				node('subscribe', 'change', ['bench-out-id'], {
					rules: [{ t: 'set', p: 'payload', pt: 'msg', to: SUBSCRIBE, tot: 'str' }],
				}),
				node('out', 'websocket out', [], { server: '', client: CLIENT }),
				node('in', 'websocket in', ['bench-json-id'], { server: '', client: CLIENT }),
				node('json', 'json', [SINK.id], { property: 'payload', action: 'obj' }),
			],
			trades(size, address),
		),
};

/** Messages into a node that calls the service; each is one read. */
function readingFlow(nodesAt: (address: string) => FlowNode[], title: string): Contestant {
	return {
		title,
		run: (size, address) => {
			const source = { id: 'bench-source-id', type: 'bench-source', z: TAB.id, wires: [['bench-call-id']] };
			const all = async (): Promise<void> => {
				const input = await opened;
				// After the first node of a flow is there, all the others are a moment later.
				await new Promise((resolve) => setTimeout(resolve, REGISTERED_MS));
				setImmediate(() => {
					for (let number = 0; number < size; number += 1) input({ payload: { order_id: `order-${number}` } });
				});
			};
			const opened = new Promise<Input>((resolve) => (global.benchInput = resolve));
			return untilAll(size, [source, ...nodesAt(address)], all);
		},
	};
}

const called = { id: 'bench-call-id', z: TAB.id, wires: [[SINK.id]] };

export const reads = {
	core: readingFlow(
		(address) => [
			{
				...called,
				type: 'http request',
				method: 'GET',
				ret: 'obj',
				url: `http://${address}/v1/partner/exchange/orders/order-1`,
			},
		],
		'http request',
	),
	ours: readingFlow(
		(address) => [
			accountAt(address, ''),
			{ ...called, type: 'partner-exchange-get-order', account: ACCOUNT, operation: 'get' },
		],
		'ours, the order node',
	),
};

export const events = { core, ours };
