import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { spokenVersion, type Broker } from '../scripts/hosts/broker';
import type { Child } from '../scripts/hosts/child';
import { until } from '../scripts/hosts/condition';
import { mosquitto } from '../scripts/hosts/mosquitto';
import { startNodeRed, type FlowNode, type NodeRedHost } from '../scripts/hosts/node-red';
import { pack } from '../scripts/hosts/package';
import { freePort } from '../scripts/hosts/ports';
import { rabbitmq } from '../scripts/hosts/rabbitmq';
import { begin, serveStreams } from './areas/stream/server';
import { usedBy } from './crowd/cost';
import { endWith } from './end';

/**
 * What a fill costs on its way through a reader and a broker to consumers: `npm run bench:brokers`, or with
 * `-- --broker mosquitto --consumers 2 --fills 20000`. Each part is a process of its own, and all share this machine.
 */

const WAIT_MS = 400_000;
/** Until the reader has begun again with its broker, and read what was before. */
const BEGUN_MS = 6_000;
const ROOT = process.cwd();
const COUNT = 'counted';

interface Run {
	broker: Broker;
	consumers: number;
	fills: number;
}

async function measure({ broker, consumers, fills }: Run): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	const owned: Child[] = [];
	const own = (child: Child): void => void owned.push(child);
	try {
		const address = await serveStreams();
		const place: Place = { mqttPort: await freePort(), protocolVersion: broker.protocolVersion };
		const brokerChild = await broker.start({
			folder: join(folder, 'broker'),
			mqttPort: place.mqttPort,
			amqpPort: await freePort(),
			own,
		});
		const packages = [await pack(join(ROOT, 'packages', 'node-red'), join(folder, 'packed'))];
		const start = async (name: string, flow: FlowNode[]): Promise<NodeRedHost> => {
			const host = await startNodeRed({ userDir: join(folder, name), port: await freePort(), packages, own });
			await host.deploy(flow);
			return host;
		};
		const desks: NodeRedHost[] = [];
		for (let number = 1; number <= consumers; number += 1)
			desks.push(await start(`consumer-${number}`, consumerFlow(`consumer-${number}`, place)));
		const reader = await start('reader', readerFlow(address, place));
		await new Promise((resolve) => setTimeout(resolve, BEGUN_MS));
		const parts = [reader.child, brokerChild, ...desks.map(({ child }) => child)];
		const before = parts.map(cpuOf);
		const began = performance.now();
		await begin(address, 'fills', fills);
		const counts = (): Promise<number[]> => Promise.all(desks.map(countAt));
		await until(async () => (await counts()).every((count) => count >= fills), {
			...{ timeoutMs: WAIT_MS, everyMs: 100, what: 'every fill at every consumer' },
		});
		const seconds = (performance.now() - began) / 1_000;
		const took = parts.map((child, index) => ((cpuOf(child) - before[index]!) * 1e6) / fills);
		const [readerUs, brokering, ...consuming] = took.map((microseconds) => microseconds.toFixed(0));
		const over = (await counts()).map((count) => count - fills);
		console.log(
			`${broker.name}, ${consumers} consumers: ${(fills / seconds).toFixed(0)} fills a second to each; us of CPU a fill: reader ${readerUs}, broker ${brokering}, consumers ${consuming.join(', ')}; twice: ${over.join(', ')}`,
		);
	} finally {
		for (const child of owned.reverse()) await child.stop('SIGKILL');
		await rm(folder, { recursive: true, force: true });
	}
}

const cpuOf = (child: Child): number => usedBy(child.process.pid!).cpuSeconds;

const countAt = async ({ url }: NodeRedHost): Promise<number> =>
	Number(await (await fetch(new URL(`/${COUNT}`, url))).text());

/** Where the broker is, and what it speaks. */
interface Place {
	mqttPort: number;
	protocolVersion: Broker['protocolVersion'];
}

/** One tab of the example, connected to the broker. */
function tabOf(
	label: string,
	{ mqttPort, protocolVersion }: Place,
	clientOf: (id: string) => string,
): { z: string; nodes: FlowNode[] } {
	const file = join(ROOT, 'examples', 'node-red', 'reader-mqtt.json');
	const example = JSON.parse(readFileSync(file, 'utf8')) as FlowNode[];
	const { id: z } = example.find((node) => node.type === 'tab' && node['label'] === label)!;
	const used = example.filter((node) => node.id === z || node.z === z || (!node.z && node.type !== 'tab'));
	const nodes = used.map((node) =>
		node.type === 'mqtt-broker'
			? {
					...node,
					protocolVersion: spokenVersion(node['protocolVersion'], protocolVersion),
					port: String(mqttPort),
					clientid: clientOf(node.id),
				}
			: node,
	);
	return { z, nodes };
}

function readerFlow(address: string, place: Place): FlowNode[] {
	const account = { baseUrl: `http://${address}/fills/v1`, wsUrl: `ws://${address}/fills/v1/ws` };
	return tabOf('Reader', place, (id) => `reader-${id}`).nodes.map((node) =>
		node.type === 'partner-exchange-account' ? { ...node, ...account, credentials: { apiKey: 'bench-key' } } : node,
	);
}

/** What a message passes before its order, beside the filter. */
const PASSED = ['tab', 'mqtt-broker', 'mqtt in'];

/** The example without its order: what comes of an event is another cost. */
function consumerFlow(name: string, place: Place): FlowNode[] {
	const { z, nodes } = tabOf('Consumer', place, (id) => `${name}-${id}`);
	const consumerNodes = nodes
		.filter(({ type, name: called }) => PASSED.includes(type) || called === 'once per eventKey')
		.map((node) => (node.type === 'function' ? { ...node, wires: [['counter']] } : node));
	const count = "global.set('count', (global.get('count') || 0) + 1);";
	return [
		...consumerNodes,
		{ id: 'counter', type: 'function', z, func: count, outputs: 0, libs: [], wires: [] },
		{ id: 'asked', type: 'http in', z, url: `/${COUNT}`, method: 'get', wires: [['told']] },
		{
			...{ id: 'told', type: 'function', z, outputs: 1, libs: [], wires: [['answer']] },
			func: "msg.payload = String(global.get('count') || 0); return msg;",
		},
		{ id: 'answer', type: 'http response', z, statusCode: '200', wires: [] },
	];
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			broker: { type: 'string', default: 'mosquitto,rabbitmq' },
			consumers: { type: 'string', default: '1,2,4' },
			fills: { type: 'string', default: '5000' },
		},
	});
	const brokers: Record<string, Broker> = { mosquitto, rabbitmq };
	for (const name of values.broker.split(',')) {
		const broker = brokers[name];
		if (!broker) throw new Error(`There is no broker ${name}. The brokers are ${Object.keys(brokers).join(', ')}.`);
		await broker.require();
		for (const consumers of values.consumers.split(','))
			await measure({ broker, consumers: Number(consumers), fills: Number(values.fills) });
	}
}

endWith(main());
