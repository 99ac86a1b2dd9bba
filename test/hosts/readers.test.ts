/**
 * The example flows for several Node-RED instances: one reads for an account, the others receive its fills from a
 * broker.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { startKafkaProxy, type KafkaProxy } from '../support/kafka-proxy';
import { startMqttBroker, type MqttBroker } from '../support/mqtt-broker';
import { CONNECTED, KEY, openBench, type Bench } from '../node-red/flows';
import { tradingOn, type Trading } from '../node-red/trading';

const FILLS = 5;
const flowOf = (name: string): FlowNode[] =>
	JSON.parse(readFileSync(join(__dirname, '../../examples/node-red', name), 'utf8')) as FlowNode[];

describe('one reader for each account', () => {
	let bench: Bench;
	let trading: Trading;

	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 } });
		trading = tradingOn(bench.sandbox);
	});
	afterAll(async () => await bench.close());

	async function deploy(name: string, adapt: (node: FlowNode) => Record<string, unknown>): Promise<void> {
		const { baseUrl, wsUrl } = bench.sandbox;
		const flow = flowOf(name).map((node) => ({
			...node,
			...(node.type === 'partner-exchange-account' ? { baseUrl, wsUrl, credentials: { apiKey: KEY } } : {}),
			...adapt(node),
		}));
		bench.nodeRed.forget();
		await bench.nodeRed.deploy(flow);
		const listening = flow.find(({ type }) => type === 'partner-exchange-events')!;
		await bench.nodeRed.waitForStatus(listening.id, CONNECTED);
	}

	/** Event keys that passed the consumer's filter. */
	const consumed = (name: string): string[] => {
		const end = flowOf(name).find(({ type }) => type === 'debug')!.id;
		const passed = bench.nodeRed.messages.filter(({ to }) => to === end);
		return passed.map(({ message }) => (message.payload as { eventKey: string }).eventKey);
	};
	const everyFillOnce = async (name: string, before: string[]): Promise<void> => {
		const owed = (await trading.truth()).filter((id) => !before.includes(id)).map((id) => `fill:${id}`);
		expect(owed.length).toBeGreaterThanOrEqual(FILLS);
		const seen = (): unknown => ({ owed, consumed: consumed(name), log: bench.nodeRed.log().slice(-800) });
		await until(() => owed.every((key) => consumed(name).includes(key)), { what: 'every fill to be consumed', seen });
		expect(consumed(name).sort()).toEqual(owed.sort());
	};

	describe('over MQTT', () => {
		let broker: MqttBroker;
		beforeAll(async () => (broker = await startMqttBroker(2)));
		afterAll(async () => await broker.close());

		it('publishes every fill, and the consumer passes each once though the broker delivers it twice', async () => {
			const before = await trading.truth();
			const port = String(broker.port);
			await deploy('reader-mqtt.json', ({ type }) => (type === 'mqtt-broker' ? { port } : {}));
			await until(() => broker.subscriptions() === 1, { what: 'the consumer to subscribe' });
			trading.fills(FILLS);
			await everyFillOnce('reader-mqtt.json', before);
		});

		it('publishes a fill again that the broker had not confirmed when Node-RED was killed', async () => {
			const known = broker.published.length;
			broker.holdConfirmations(true);
			trading.fills(1);
			await until(() => broker.published.length > known, { what: 'the fill to be published' });
			await bench.nodeRed.kill();
			broker.holdConfirmations(false);
			await bench.nodeRed.restart();
			// A backfilled event may have other fields than the live one, but it has the same key.
			const keys = (): string[] => broker.published.map((text) => (JSON.parse(text) as { eventKey: string }).eventKey);
			await until(() => keys().lastIndexOf(keys()[known]!) > known, { what: 'the fill to be published again' });
		});
	});

	describe('over Kafka', () => {
		let proxy: KafkaProxy;
		beforeAll(async () => (proxy = await startKafkaProxy()));
		afterAll(async () => await proxy.close());

		it('keys every record by its event, and the consumer passes each once though one is stored twice', async () => {
			const before = await trading.truth();
			proxy.failAfterStoring(1);
			await deploy('reader-kafka.json', ({ url }) =>
				typeof url === 'string' ? { url: url.replace('http://127.0.0.1:8082', proxy.url) } : {},
			);
			trading.fills(FILLS);
			await everyFillOnce('reader-kafka.json', before);
			expect(proxy.records.every(({ key, value }) => key === value.eventKey)).toBe(true);
			await until(() => proxy.committed() === FILLS + 1, { what: 'everything to be committed' });
		});
	});
});
