/**
 * The example flows for several Node-RED instances: one reads for an account, the others receive its fills from a
 * broker. `test/hosts/brokers` plays the same with real brokers; a Kafka proxy is too large for a test, so this one is
 * a stand-in.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { startKafkaProxy } from '../support/kafka-proxy';
import { CONNECTED, KEY, openBench } from '../node-red/flows';
import { tradingOn } from '../node-red/trading';
import { forAll } from '../support/opened';

const FILLS = 5;
const flowOf = (name: string): FlowNode[] =>
	JSON.parse(readFileSync(join(__dirname, '../../examples/node-red', name), 'utf8')) as FlowNode[];

describe('one reader for each account', () => {
	const bench = forAll(() => openBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));

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

	/** The fills that passed the consumer's filter, by the first part of their event keys. */
	const consumed = (name: string): string[] => {
		const end = flowOf(name).find(({ type }) => type === 'debug')!.id;
		const passed = bench.nodeRed.messages.filter(({ to }) => to === end);
		return passed.map(({ message }) => (message.payload as { eventKey: string }).eventKey.split(':')[1]!);
	};
	const everyFillOnce = async (name: string, before: string[]): Promise<void> => {
		const owed = (await trading.truth()).filter((id) => !before.includes(id));
		expect(owed.length).toBeGreaterThanOrEqual(FILLS);
		const seen = (): unknown => ({ owed, consumed: consumed(name), log: bench.nodeRed.log().slice(-800) });
		await until(() => owed.every((id) => consumed(name).includes(id)), { what: 'every fill to be consumed', seen });
		expect(consumed(name).sort()).toEqual(owed.sort());
	};

	describe('over Kafka', () => {
		const proxy = forAll(() => startKafkaProxy());

		it('a reader over Kafka keys every record by its event, and the consumer passes each once though one is stored twice', async () => {
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
