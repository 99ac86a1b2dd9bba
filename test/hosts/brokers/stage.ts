/** A sandbox, a broker, one reader and one consumer, each of which can be killed, and what came of every fill. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { intentKey } from '../../../packages/core/src/orders/identity';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { Broker } from '../../../scripts/hosts/broker';
import type { Child } from '../../../scripts/hosts/child';
import { freePort } from '../../../scripts/hosts/ports';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { KEY } from '../../node-red/flows';
import { until } from '../../support/condition';
import { tradingOn } from '../../node-red/trading';
import { openLink } from './link';
import { startParty, type HostName, type Party } from './parties';

export interface StageOptions {
	broker: Broker;
	reader: HostName;
	consumer: HostName;
}

export interface Stage {
	/** This many fills, each 1 USD. */
	fills: (count: number) => void;
	reader: Party;
	consumer: Party;
	/** n8n's own RabbitMQ trigger gives up 15 s after its broker went away; a person starts it again. */
	consumerGivesUp: boolean;
	broker: { kill: () => Promise<unknown>; restart: (settings?: string) => Promise<void> };
	network: { cut: () => void; mend: () => void };
	/** While held, the exchange answers no request that places an order, and places none. */
	hold: () => { begun: () => boolean; release: () => void };
	/** The names of the orders that the fills so far call for: one for each fill. */
	owed: () => Promise<string[]>;
	/** The names of the orders that the consumer has placed. */
	placed: () => string[];
	close: () => Promise<void>;
}

export async function openStage({ broker, reader, consumer }: StageOptions): Promise<Stage> {
	const folder = await mkdtemp(join(tmpdir(), 'broker-'));
	const ends: Array<() => Promise<unknown>> = [async () => await rm(folder, { recursive: true, force: true })];
	const close = async (): Promise<void> => {
		for (const end of ends.splice(0).reverse()) await end();
	};
	try {
		const sandbox = await startSandbox({ seed: 7, settings: { orderDelayMs: 0 } });
		ends.push(sandbox.close);
		const place = { folder, mqttPort: await freePort(), amqpPort: await freePort() };
		let running: Child = await broker.start(place);
		ends.push(async () => await running.stop('SIGKILL'));
		const links = { mqtt: await openLink(place.mqttPort), amqp: await openLink(place.amqpPort) };
		ends.push(links.mqtt.close, links.amqp.close);
		const { baseUrl, wsUrl } = sandbox;
		const places = {
			baseUrl,
			wsUrl,
			mqttPort: links.mqtt.port,
			amqpPort: links.amqp.port,
			hasQueue: broker === rabbitmq,
		};
		// The consumer first: what is published before it has subscribed is not kept for it.
		const consuming = await startParty(consumer, 'consumer', places);
		ends.push(consuming.stop);
		const reading = await startParty(reader, 'reader', places);
		ends.push(reading.stop);
		const trading = tradingOn(sandbox);
		let bought = 0;
		const fills = (count: number): void => {
			bought += count;
			trading.fills(count);
		};
		/** Matching takes its time, and an order may be filled in parts. */
		const fillIds = async (): Promise<string[]> => {
			const { fills: made } = accountOf(sandbox);
			const matched = (): bigint => made.reduce((sum, { quantity }) => sum + quantity, 0n);
			const isMatched = (): boolean => matched() === BigInt(bought) * ONE_USD;
			await until(isMatched, { everyMs: 100, what: 'every purchase to be matched' });
			return made.map(({ id }) => id);
		};
		return {
			...{
				fills,
				reader: reading,
				consumer: consuming,
				consumerGivesUp: consumer === 'n8n' && broker === rabbitmq,
				close,
			},
			broker: {
				kill: async () => await running.stop('SIGKILL'),
				restart: async (settings) => void (running = await broker.start({ ...place, settings })),
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
			owed: async () => (await fillIds()).map(orderNameOf).sort(),
			placed: () => restingOrders(sandbox).sort(),
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** In the exchange's own units. */
const ONE_USD = 100n;

/** What all examples name an order after, as the client derives it. */
const orderNameOf = (fillId: string): string => `fill-${fillId}-${intentKey('create', `hedge fill:${fillId}`)}`;

/** The exchange's own records: its lists, read again and again, would cost more than what is played. */
const accountOf = ({ exchange }: Sandbox) => exchange.identify(KEY).account;

function restingOrders(sandbox: Sandbox): string[] {
	const { id } = accountOf(sandbox);
	const all = [...sandbox.engine.state.orders.values()];
	return all.flatMap(({ accountId, status, clientOrderId }) =>
		accountId === id && status === 'accepted' ? [String(clientOrderId)] : [],
	);
}
