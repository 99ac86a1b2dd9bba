/** A sandbox, a broker, one reader and one consumer, each of which can be killed, and what came of every fill. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
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
import { startParty, type HostName, type Pace, type Party, type Role } from './parties';

export interface StageOptions {
	broker: Broker;
	reader: HostName;
	consumer: HostName;
	pace?: Pace;
	/** More environment variables of each. */
	env?: Partial<Record<Role, NodeJS.ProcessEnv>>;
}

export interface Stage {
	/** This many fills, each 1 USD that was bought unless told otherwise. */
	fills: Trading['fills'];
	reader: Party;
	consumer: Party;
	/** Starts one more of them. */
	add: (host: HostName, role: Role) => Promise<Party>;
	/** Stops the one there is, and starts another in its place. */
	replace: (role: Role, host: HostName) => Promise<void>;
	broker: {
		kill: () => Promise<unknown>;
		/** With more settings for it, behind its own. */
		restart: (settings?: string) => Promise<void>;
		/** RabbitMQ's command for administrators; returns what it printed. */
		control: (...command: string[]) => Promise<string>;
		/** Stops it where it is, with its connections open, until it is sent on. */
		freeze: () => void;
		thaw: () => void;
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
	/** The fills so far, by their keys. */
	made: () => string[];
	/** How many fills the broker brought to a consumer. */
	arrived: () => number;
	/** The fills that the broker brought to a consumer after later ones, by their keys. */
	overtakenFills: () => Promise<string[]>;
	close: () => Promise<void>;
}

export async function openStage({ broker, reader, consumer, pace, env = {} }: StageOptions): Promise<Stage> {
	const folder = await mkdtemp(join(tmpdir(), 'broker-'));
	const backup = `${folder}-backup`;
	const ends: Array<() => Promise<unknown>> = [];
	const close = async (): Promise<void> => {
		for (const end of ends.splice(0).reverse()) await end();
		for (const path of [folder, backup]) await rm(path, { recursive: true, force: true });
	};
	try {
		// Without a market maker, which would take what is sold here, and leave purchases unmatched.
		const sandbox = await startSandbox({ seed: 7, marketMaker: false, settings: { orderDelayMs: 0 } });
		ends.push(sandbox.close);
		const place = { folder, mqttPort: await freePort(), amqpPort: await freePort() };
		let running: Running = await broker.start(place);
		ends.push(async () => await running.stop('SIGKILL'));
		const received = new Set<string>();
		const reads = (): ((chunk: Buffer) => void) => eventKeys((key) => received.add(key));
		const links = { mqtt: await openLink(place.mqttPort, reads), amqp: await openLink(place.amqpPort, reads) };
		ends.push(links.mqtt.close, links.amqp.close);
		const { baseUrl, wsUrl } = sandbox;
		const places = {
			...{ baseUrl, wsUrl, pace },
			mqttPort: links.mqtt.port,
			amqpPort: links.amqp.port,
			protocolVersion: broker.protocolVersion,
			hasQueue: broker === rabbitmq,
		};
		const add: Stage['add'] = async (host, role) => {
			const party = await startParty(host, role, { ...places, env: env[role] });
			ends.push(party.stop);
			return party;
		};
		const trading = tradingOn(sandbox);
		let traded = 0;
		/** Matching takes its time, and an order may be filled in parts. */
		const matchedFills = async (): Promise<Fills> => {
			const { fills: made } = accountOf(sandbox);
			const matched = (): bigint => made.reduce((sum, { quantity }) => sum + quantity, 0n);
			const isMatched = (): boolean => matched() === BigInt(traded) * ONE_USD;
			await until(isMatched, { everyMs: 100, what: 'every order to be matched' });
			return made;
		};
		const stage: Stage = {
			fills: (count, usd = 1, side = 'buy') => {
				traded += count * usd;
				trading.fills(count, usd, side);
			},
			// The consumer first: what is published before it has subscribed is not kept for it. And not beside each other:
			// a RabbitMQ that is killed in the half second after a session began never serves that session again.
			consumer: await add(consumer, 'consumer'),
			reader: await add(reader, 'reader'),
			add,
			replace: async (role, host) => {
				await stage[role].stop();
				stage[role] = await add(host, role);
			},
			broker: {
				kill: async () => await running.stop('SIGKILL'),
				restart: async (settings) => void (running = await broker.start({ ...place, settings })),
				control: async (...command) => await running.control!(...command),
				freeze: () => void running.process.kill('SIGSTOP'),
				thaw: () => void running.process.kill('SIGCONT'),
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
				const before = sandbox.faults.fired.length;
				const { id } = sandbox.faults.arm({ kind: 'hang', operation: 'order.create', times: 1_000_000 });
				return {
					begun: () => sandbox.faults.fired.length > before,
					release: () => sandbox.faults.disarm(id),
				};
			},
			owed: async () => {
				const sold = (await matchedFills()).filter(({ side, quantity }) => side === 'buy' && quantity <= LARGEST_SOLD);
				return sold.map(orderNameOf).sort();
			},
			placed: () => restingOrders(sandbox).sort(),
			made: () => accountOf(sandbox).fills.map(eventKeyOf),
			arrived: () => received.size,
			overtakenFills: async () => overtaken(received, (await matchedFills()).map(eventKeyOf)),
			close,
		};
		return stage;
	} catch (error) {
		await close();
		throw error;
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
