/** `npm run start:brokers`: the sandbox exchange, a broker, one Node-RED that reads and two that act, on loopback only. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spokenVersion, type Broker } from './hosts/broker';
import { until } from './hosts/condition';
import { prepareDemo, root } from './hosts/demo';
import { mosquitto } from './hosts/mosquitto';
import { startNodeRed, type FlowNode } from './hosts/node-red';
import { pack } from './hosts/package';
import { freePort } from './hosts/ports';
import { rabbitmq } from './hosts/rabbitmq';
import { SANDBOX_KEY, type SandboxHost } from './hosts/sandbox';
import { runSession } from './hosts/session';
import { retellNodeRed, showPages, tell } from './hosts/story';

const CONSUMERS = ['desk 1', 'desk 2'];
const BUY_EVERY_MS = 5_000;

const PURPOSE =
	"Starts the sandbox exchange, a broker, a Node-RED that publishes every fill, and two that sell what was bought.\nThe broker is Debian's RabbitMQ if it is there, or else Mosquitto.";

/** RabbitMQ, because it keeps what it confirmed through a kill; Mosquitto where there is no RabbitMQ. */
async function chooseBroker(): Promise<Broker> {
	const hasRabbit = await rabbitmq.require().then(
		() => true,
		() => false,
	);
	if (hasRabbit) return rabbitmq;
	await mosquitto.require().catch((error: Error) => {
		throw new Error(`${error.message}\nRabbitMQ (\`sudo apt-get install rabbitmq-server\`) does as well.`);
	});
	return mosquitto;
}

runSession(async (session) => {
	const { own, atEnd } = session;
	const demo = await prepareDemo({
		command: 'run start:brokers',
		purpose: PURPOSE,
		data: '.sandbox/brokers',
		require: async () => void (await chooseBroker()),
		host: { name: 'Node-RED', portFlag: 'node-red-port', port: '1880' },
	});
	if (!demo) return;
	const { data, port } = demo;
	const broker = await chooseBroker();
	tell(`Starting ${broker.name}.`);
	const mqttPort = await freePort();
	await broker.start({
		folder: join(data, broker.name),
		mqttPort,
		amqpPort: await freePort(),
		own: (child) => own(broker.name, child),
	});
	const sandbox = await demo.startSandbox(session);
	const packages = [await pack(join(root, 'packages', 'node-red'), join(data, 'packed'))];
	const start = async (name: string, tab: string, at: number): Promise<{ name: string; url: string }> => {
		const nodeRed = await startNodeRed({
			userDir: join(data, name.replace(' ', '-')),
			port: at,
			packages,
			onLine: (line) => retellNodeRed(name, line, `${name.padEnd(15)}has order `),
			own: (child) => own(`Node-RED (${name})`, child),
		});
		await nodeRed.deploy(
			flowOf(await readExample(), { name, tab, mqttPort, protocolVersion: broker.protocolVersion, ...sandbox }),
		);
		// A broker keeps nothing for a session that does not exist yet.
		const isConnected = (): boolean => nodeRed.child.log().includes('Connected to broker');
		await until(isConnected, {
			what: `${name} to connect to the broker`,
			seen: () => nodeRed.child.log().slice(-1500),
		});
		return { name, url: nodeRed.url };
	};
	const desks = [];
	for (const name of CONSUMERS) desks.push(await start(name, 'Consumer', await freePort()));
	const reader = await start('reader', 'Reader', port);
	showPages([
		{ ...reader, what: 'publishes every fill' },
		...desks.map((desk) => ({ ...desk, what: 'sells what was bought; both get each fill, one order is placed' })),
		{ name: 'Sandbox exchange', url: sandbox.url, what: 'order book, orders, balances' },
	]);
	const buying = setInterval(() => void buy(sandbox), BUY_EVERY_MS);
	atEnd(() => clearInterval(buying));
});

const readExample = async (): Promise<FlowNode[]> =>
	JSON.parse(await readFile(join(root, 'examples', 'node-red', 'reader-mqtt.json'), 'utf8')) as FlowNode[];

interface Place {
	name: string;
	/** The tab of the example that runs here. */
	tab: string;
	mqttPort: number;
	protocolVersion: Broker['protocolVersion'];
	baseUrl: string;
	wsUrl: string;
}

/** One tab of the example, connected to what runs here. */
function flowOf(example: FlowNode[], { name, tab, mqttPort, protocolVersion, baseUrl, wsUrl }: Place): FlowNode[] {
	const { id: z } = example.find(({ type, label }) => type === 'tab' && label === tab)!;
	const nodes = example.filter((node) => node.id === z || node.z === z || (!node.z && node.type !== 'tab'));
	return nodes.map((node) => {
		switch (node.type) {
			case 'partner-exchange-account':
				return { ...node, baseUrl, wsUrl, credentials: { apiKey: SANDBOX_KEY } };
			case 'mqtt-broker':
				// A broker keeps a session by the name of its client, so each process needs one of its own.
				return {
					...node,
					protocolVersion: spokenVersion(node.protocolVersion, protocolVersion),
					port: String(mqttPort),
					clientid: `partner-exchange-${name.replace(' ', '-')}`,
				};
			case 'debug':
				return { ...node, console: true, complete: 'payload.order_id' };
			default:
				return node;
		}
	});
}

let bought = 0;

async function buy({ baseUrl }: SandboxHost): Promise<void> {
	const body = JSON.stringify({ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' });
	const headers = {
		'x-api-key': SANDBOX_KEY,
		'idempotency-key': `start-brokers-${Date.now()}`,
		'content-type': 'application/json',
	};
	const answer = await fetch(`${baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body }).catch(
		() => undefined,
	);
	bought += 1;
	tell(answer?.ok ? `trader         buys 10 USD (${bought})` : 'trader         could not reach the exchange');
}
