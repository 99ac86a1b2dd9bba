/** Readers and consumers: the example flows, each in a host of its own, connected to a broker through a link. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFolder, spokenVersion, type Broker } from '../../../scripts/hosts/broker';
import { PUBLICATION_SERVICE } from '../../../scripts/hosts/n8n';
import { HOST } from '../../../scripts/hosts/ports';
import { until } from '../../support/condition';
import { finishedExecutions, readExecution, type Execution } from '../../../scripts/hosts/executions';
import { startN8n, type WorkflowText } from '../../support/n8n';
import { startNodeRed, type FlowNode } from '../../support/node-red';
import { CONNECTED, KEY, packageFolder } from '../../node-red/flows';

export interface Party {
	/** Ends the process at once. */
	kill: () => Promise<unknown>;
	restart: () => Promise<unknown>;
	stop: () => Promise<void>;
	/** Since it started, or since it was told to forget. */
	log: () => string;
	/** The events that count as taken, by their keys, of a reader in Node-RED. */
	taken: () => ReadonlySet<string>;
	/** The statuses below the nodes now, in Node-RED. */
	statuses: () => string[];
	/** Forgets what was seen so far: each comparison brings all orders, which would fill the memory of a long play. */
	forget: () => void;
	/** Where the host keeps its files. */
	folder: string;
	/** The finished executions of its workflow, in n8n, since it was told to forget. The newest comes first. */
	executions: () => Promise<Execution[]>;
}

export interface Places {
	baseUrl: string;
	wsUrl: string;
	mqttPort: number;
	protocolVersion: Broker['protocolVersion'];
	amqpPort: number;
	/** Whether n8n consumes from a queue over AMQP; otherwise over MQTT. */
	hasQueue: boolean;
	pace?: Pace;
	/** More environment variables. */
	env?: NodeJS.ProcessEnv;
}

/** How often hosts do what they do without being told. */
export interface Pace {
	/** From one comparison of fills and orders to the next: what a broker forgot is noticed by that alone. */
	compareSeconds: number;
	/** Node-RED's seconds from one sign of life to the next; by default that of the example. */
	keepaliveSeconds?: number;
}

const USUAL: Pace = { compareSeconds: 10 };
/** For tests that wait for a comparison, or for a host to notice its broker. */
export const QUICK: Pace = { compareSeconds: 4, keepaliveSeconds: 5 };

export type HostName = 'node-red' | 'n8n';
export type Role = 'reader' | 'consumer';

export const startParty = async (host: HostName, role: Role, places: Places): Promise<Party> =>
	host === 'n8n' ? await inN8n(role, places) : await inNodeRed(role, places);

const root = join(__dirname, '..', '..', '..');
const readExample = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

/** Rests in the book, so that each order stays there to be counted. */
const RESTING = { side: 'sell', order_type: 'limit', price: '1999.00' };

/** What is changed in the workflows of n8n, by the name of the node. */
const changesAt = ({ compareSeconds }: Pace): Record<string, object> => ({
	'Sell the Same Amount': RESTING,
	'Every Five Minutes': { rule: { interval: [{ field: 'seconds', secondsInterval: compareSeconds }] } },
});

const TABS = { reader: 'Reader', consumer: 'Consumer' } as const;

async function inNodeRed(
	role: Role,
	{ baseUrl, wsUrl, mqttPort, protocolVersion, pace = USUAL, env }: Places,
): Promise<Party> {
	const { compareSeconds, keepaliveSeconds } = pace;
	const flow = readExample<FlowNode[]>(join(root, 'examples', 'node-red', 'reader-mqtt.json'));
	const tab = flow.find(({ type, label }) => type === 'tab' && label === TABS[role])!;
	const used = flow.filter(({ id, z, type }) => id === tab.id || z === tab.id || (!z && type !== 'tab'));
	const adapted = used.map((node) => {
		if (node.type === 'partner-exchange-account') return { ...node, baseUrl, wsUrl, credentials: { apiKey: KEY } };
		if (node.type === 'mqtt-broker')
			return {
				...node,
				protocolVersion: spokenVersion(node.protocolVersion, protocolVersion),
				port: String(mqttPort),
				...(keepaliveSeconds ? { keepalive: String(keepaliveSeconds) } : {}),
			};
		if (node.type === 'inject') return { ...node, repeat: String(compareSeconds) };
		if (node.name !== 'sell what was bought') return node;
		const func = String(node.func).replace("side: 'sell', order_type: 'market'", JSON.stringify(RESTING).slice(1, -1));
		return { ...node, func };
	});
	const idOf = (type: string): string | undefined => adapted.find((node) => node.type === type)?.id;
	const nodeRed = await startNodeRed({ packages: [packageFolder], env });
	await nodeRed.deploy(adapted);
	if (role === 'consumer') await nodeRed.waitForStatus(idOf('mqtt in')!, CONNECTED);
	else {
		const events = idOf('partner-exchange-events')!;
		// The reader begins once the broker is there, and a first start takes what came before for old.
		await nodeRed.waitForMessage(({ to, message }) => to === events && message['action'] === 'start');
		const orders = nodeRed.messages.filter(({ to }) => to === events).length;
		await until(() => nodeRed.completions.filter(({ node }) => node === events).length >= orders, {
			what: 'the reader to begin anew',
		});
		await nodeRed.waitForStatus(events, CONNECTED);
	}
	let forgottenLength = 0;
	const restart = async (): Promise<void> => {
		await nodeRed.restart('SIGKILL');
		forgottenLength = 0;
	};
	/** The last messages tell more than the log, which names errors alone. */
	const log = (): string =>
		JSON.stringify({
			log: nodeRed.log().slice(forgottenLength).slice(-1500),
			messages: nodeRed.messages.slice(-4),
			errors: nodeRed.completions.filter(({ error }) => error).slice(-2),
		});
	const statuses = (): string[] =>
		adapted
			.flatMap(({ id }) => nodeRed.statuses.filter(({ node }) => node === id).slice(-1))
			.map(({ text }) => text ?? '');
	const keys = new Set<string>();
	const taken = (): ReadonlySet<string> => {
		for (const { to, message } of nodeRed.messages) {
			const { eventKey } = (message['event'] ?? {}) as { eventKey?: string };
			if (to === idOf('partner-exchange-events') && eventKey) keys.add(eventKey);
		}
		return keys;
	};
	return {
		kill: nodeRed.kill,
		restart,
		stop: nodeRed.stop,
		log,
		taken,
		statuses,
		forget: () => {
			taken();
			nodeRed.forget();
			forgottenLength = nodeRed.log().length;
		},
		folder: nodeRed.userDir,
		executions: async () => [],
	};
}

async function inN8n(
	role: Role,
	{ baseUrl, wsUrl, mqttPort, amqpPort, hasQueue, pace = USUAL, env }: Places,
): Promise<Party> {
	const example = role === 'consumer' && !hasQueue ? 'consumer-mqtt' : role;
	const workflow = readExample<WorkflowText>(join(settingsFolder, `n8n-${example}.json`));
	const n8n = await startN8n({ packages: [root], env: { [PUBLICATION_SERVICE]: 'false', ...env } });
	const credentials = {
		partnerExchangeApi: { environment: 'sandbox', apiKey: KEY, baseUrl, wsUrl },
		mqtt: {
			...{ protocol: 'mqtt', host: HOST, port: mqttPort },
			clean: role === 'reader',
			clientId: role === 'reader' ? '' : 'n8n',
		},
		rabbitmq: { hostname: HOST, port: amqpPort, username: 'desk', password: 'for-this-machine-only', vhost: '/' },
	};
	const saved: Record<string, unknown> = {};
	for (const [type, data] of Object.entries(credentials))
		saved[type] = await n8n.saveCredential({ name: type, type, data });
	const changes = changesAt(pace);
	const nodes = workflow.nodes.map((node) => {
		const [type] = Object.keys((node as { credentials?: object }).credentials ?? {});
		const parameters = { ...(node.parameters as object), ...changes[node.name] };
		return { ...node, parameters, ...(type ? { credentials: { [type]: saved[type] } } : {}) };
	});
	const { id } = await n8n.saveWorkflow({ ...workflow, nodes });
	await n8n.publish(id);
	let [since, forgottenLength] = [0, 0];
	return {
		kill: n8n.kill,
		restart: async () => {
			await n8n.restart('SIGKILL');
			forgottenLength = 0;
		},
		stop: n8n.stop,
		log: () => n8n.log().slice(forgottenLength),
		taken: () => new Set(),
		statuses: () => [],
		forget: () => {
			since = Date.now();
			forgottenLength = n8n.log().length;
		},
		folder: n8n.userFolder,
		executions: async () => {
			const rows = await finishedExecutions(n8n.api, id);
			const recent = rows.filter(({ startedAt }) => Date.parse(startedAt) >= since);
			return await Promise.all(recent.map(async (row) => await readExecution(n8n.api, row.id)));
		},
	};
}
