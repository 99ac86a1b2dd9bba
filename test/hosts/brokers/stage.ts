/** A sandbox, a broker, one reader and one consumer, each of which can be killed, and what came of every fill. */
import { appendFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { intentKey } from '../../../packages/core/src/wire/intent-key';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { Broker, Running } from '../../../scripts/hosts/broker';
import { freePort } from '../../../scripts/hosts/ports';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { KEY } from '../../node-red/flows';
import { until } from '../../support/condition';
import { tradingOn, type Trading } from '../../node-red/trading';
import { openLink } from './link';
import { eventKeys, overtaken } from './order';
import { startParty, type HostName, type Pace, type Party, type Places, type Role } from './parties';

export interface StageOptions {
	broker: Broker;
	reader: HostName;
	consumer: HostName;
	/** For the broker, behind its own. */
	settings?: string;
	/** The file of the authority that signed the broker's certificate, if it is spoken to over TLS. */
	authority?: string;
	/** Where the broker keeps its data: on a small file system of its own, if that is to become full. */
	disk?: string;
	/** Whether the consumer, in Node-RED, takes fills in another order than they came. */
	swaps?: boolean;
	/** The name under which the reader meets the broker. */
	clientId?: string;
	pace?: Pace;
	/** More environment variables of the consumer. */
	env?: NodeJS.ProcessEnv;
}

export interface Stage {
	/** This many fills, each 1 USD that was bought unless told otherwise. */
	fills: Trading['fills'];
	reader: Party;
	consumer: Party;
	/** Starts one more of them. */
	add: (host: HostName, role: Role, own?: Pick<Places, 'clientId' | 'env'>) => Promise<Party>;
	broker: {
		kill: () => Promise<unknown>;
		restart: (settings?: string) => Promise<void>;
		/** RabbitMQ's command for administrators; returns what it printed. */
		control: (...command: string[]) => Promise<string>;
		/** Stops it where it is, with its connections open, until it is sent on. */
		freeze: () => void;
		thaw: () => void;
		/** From now on Mosquitto's disk takes nothing, until it is started again. */
		fillDisk: () => Promise<void>;
		/** Fills the file system it writes to, which should be a small one, until nothing fits any more. */
		useUpDisk: () => Promise<void>;
		/** While it is away: there is room again. */
		freeDisk: () => Promise<void>;
		/** While it is away: all it had kept is gone. */
		loseDisk: () => Promise<void>;
		/** While it is away: copies all it keeps, or returns to the copy. */
		backUp: () => Promise<void>;
		restoreBackup: () => Promise<void>;
		log: () => string;
	};
	network: { cut: () => void; mend: () => void };
	/** While held, the exchange answers no request that places an order, and places none. */
	hold: () => { begun: () => boolean; release: () => void };
	/** The names of the orders that the fills so far call for: one for each purchase within the limit of an order. */
	owed: () => Promise<string[]>;
	/** The names of the orders that the consumer has placed. */
	placed: () => string[];
	/** How many fills the broker brought to the consumer. */
	arrived: () => number;
	/** The fills that the broker did not bring to the consumer, and which of them the reader wrote to its log. */
	unheard: () => { key: string; isRead: boolean }[];
	/** The fills that the broker brought to the consumer after later ones, by their keys. */
	overtakenFills: () => Promise<string[]>;
	/** The names of the orders that were placed after those of later fills. */
	overtakenOrders: () => Promise<string[]>;
	close: () => Promise<void>;
}

export async function openStage({
	broker,
	reader,
	consumer,
	settings,
	authority,
	disk = tmpdir(),
	swaps,
	clientId,
	pace,
	env,
}: StageOptions): Promise<Stage> {
	const folder = await mkdtemp(join(disk, 'broker-'));
	const backup = `${folder}-backup`;
	const removed = [folder, backup].map((path) => async () => await rm(path, { recursive: true, force: true }));
	const ends: Array<() => Promise<unknown>> = removed;
	const close = async (): Promise<void> => {
		for (const end of ends.splice(0).reverse()) await end();
	};
	try {
		// Without a market maker, which would take what is sold here, and leave purchases unmatched.
		const sandbox = await startSandbox({ seed: 7, marketMaker: false, settings: { orderDelayMs: 0 } });
		ends.push(sandbox.close);
		const place = { folder, mqttPort: await freePort(), amqpPort: await freePort() };
		let running: Running = await broker.start({ ...place, settings });
		ends.push(async () => await running.stop('SIGKILL'));
		const received = new Set<string>();
		const reads = (): ((chunk: Buffer) => void) => eventKeys((key) => received.add(key));
		const links = { mqtt: await openLink(place.mqttPort, reads), amqp: await openLink(place.amqpPort, reads) };
		ends.push(links.mqtt.close, links.amqp.close);
		const { baseUrl, wsUrl } = sandbox;
		const places = {
			baseUrl,
			wsUrl,
			mqttPort: links.mqtt.port,
			amqpPort: links.amqp.port,
			protocolVersion: broker.protocolVersion,
			hasQueue: broker === rabbitmq,
			...{ authority, swaps, pace },
		};
		const add: Stage['add'] = async (host, role, own = {}) => {
			const party = await startParty(host, role, { ...places, ...own });
			ends.push(party.stop);
			return party;
		};
		// The consumer first: what is published before it has subscribed is not kept for it. And not beside each other:
		// a RabbitMQ that is killed in the half second after a session began never serves that session again.
		const consuming = await add(consumer, 'consumer', { env });
		const reading = await add(reader, 'reader', { clientId });
		const trading = tradingOn(sandbox);
		let traded = 0;
		const fills: Stage['fills'] = (count, usd = 1, side = 'buy') => {
			traded += count * usd;
			trading.fills(count, usd, side);
		};
		/** Matching takes its time, and an order may be filled in parts. */
		const matchedFills = async (): Promise<Fills> => {
			const { fills: made } = accountOf(sandbox);
			const matched = (): bigint => made.reduce((sum, { quantity }) => sum + quantity, 0n);
			const isMatched = (): boolean => matched() === BigInt(traded) * ONE_USD;
			await until(isMatched, { everyMs: 100, what: 'every order to be matched' });
			return made;
		};
		return {
			...{
				fills,
				reader: reading,
				consumer: consuming,
				add,
				close,
			},
			broker: {
				kill: async () => await running.stop('SIGKILL'),
				restart: async (others = settings) => {
					await rm(join(folder, MOSQUITTO_UNFINISHED), { recursive: true, force: true });
					running = await broker.start({ ...place, settings: others });
				},
				control: async (...command) => await running.control!(...command),
				freeze: () => void running.process.kill('SIGSTOP'),
				thaw: () => void running.process.kill('SIGCONT'),
				fillDisk: async () => void (await mkdir(join(folder, MOSQUITTO_UNFINISHED))),
				useUpDisk: async () => await fillUp(join(folder, FILLER)),
				freeDisk: async () => await rm(join(folder, FILLER), { force: true }),
				loseDisk: async () => await rm(folder, { recursive: true }),
				backUp: async () => await cp(folder, backup, { recursive: true }),
				restoreBackup: async () => {
					await rm(folder, { recursive: true });
					await cp(backup, folder, { recursive: true });
				},
				log: () => running.log(),
			},
			network: {
				cut: () => [links.mqtt, links.amqp].forEach((link) => link.cut()),
				mend: () => [links.mqtt, links.amqp].forEach((link) => link.mend()),
			},
			hold: () => {
				const { id } = sandbox.faults.arm({ kind: 'hang', operation: 'order.create', times: 1_000_000 });
				return {
					begun: () => sandbox.faults.fired.length > 0,
					release: () => sandbox.faults.disarm(id),
				};
			},
			owed: async () => {
				const sold = (await matchedFills()).filter(({ side, quantity }) => side === 'buy' && quantity <= LARGEST_SOLD);
				return sold.map(orderNameOf).sort();
			},
			placed: () => restingOrders(sandbox).sort(),
			arrived: () => received.size,
			unheard: () =>
				accountOf(sandbox)
					.fills.map(eventKeyOf)
					.filter((key) => !received.has(key))
					.map((key) => ({ key, isRead: reading.log().includes(key) })),
			overtakenFills: async () => {
				const turns = (await matchedFills()).map(eventKeyOf);
				return [...overtaken(received, turns), ...overtaken(consuming.firstCopies?.() ?? [], turns)];
			},
			overtakenOrders: async () => overtaken(restingOrders(sandbox), (await matchedFills()).map(orderNameOf)),
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** What Mosquitto writes until it is complete; a folder of that name stops it. */
const MOSQUITTO_UNFINISHED = 'mosquitto.db.new';

const FILLER = 'filler';

/** Appends to a file until the file system is full, at last byte by byte. */
async function fillUp(file: string): Promise<void> {
	for (const bytes of [1 << 20, 1 << 12, 1])
		try {
			for (;;) await appendFile(file, Buffer.alloc(bytes));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
		}
}

/** In the exchange's own units. */
const ONE_USD = 100n;
/** The limit of the order in n8n's examples. */
const LARGEST_SOLD = 1000n * ONE_USD;

const eventKeyOf = ({ id, orderId }: Fills[number]): string => `fill:${id}:${orderId}`;

/** The name of the order that an example places for a fill, as the client derives it from the business key. */
function orderNameOf(fill: Fills[number]): string {
	const businessKey = `hedge:${eventKeyOf(fill)}`;
	return `${intentKey('create', businessKey)}_${businessKey}`;
}

/** The exchange's own records: its lists, read again and again, would cost more than what is played. */
const accountOf = ({ exchange }: Sandbox) => exchange.identify(KEY).account;
type Fills = ReturnType<typeof accountOf>['fills'];

function restingOrders(sandbox: Sandbox): string[] {
	const { id } = accountOf(sandbox);
	const all = [...sandbox.engine.state.orders.values()];
	return all.flatMap(({ accountId, status, clientOrderId }) =>
		accountId === id && status === 'accepted' ? [String(clientOrderId)] : [],
	);
}
