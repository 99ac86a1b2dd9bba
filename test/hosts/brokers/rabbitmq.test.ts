/**
 * The example flows with a RabbitMQ between a reader and a consumer in n8n, and at last a reader in Node-RED. The cases
 * share one stage, because hosts and broker take long to start.
 */
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { openClocks } from './clocks';
import { QUICK } from './parties';
import { catchUp, killAtWork, play } from './play';
import { openStage, type Stage } from './stage';
import { forAll } from '../../support/opened';

const FILLS = 10;
const HOUR_MS = 3_600_000;
/** Above the limit of the order in n8n's examples. */
const TOO_LARGE = 2000;

/** What n8n says once its trigger has failed to start for the fifth time. */
const FIFTH_FAILURE = /retry in 16 seconds|Failed to reactivate trigger node/;

/** What a comparison says of a fill above the limit of an order. */
const NO_ORDER = /of these fills have no order\. The first: .*1000\.00/;

describe('fills through RabbitMQ', () => {
	const clocks = forAll(() => openClocks());
	const stage = forAll(() =>
		openStage({ broker: rabbitmq, reader: 'n8n', consumer: 'n8n', pace: QUICK, env: clocks.env }),
	);
	beforeEach(() => [stage.reader, stage.consumer].forEach((party) => party.forget()));

	const oneOrderForEach = async (): Promise<void> => {
		await catchUp(stage);
		expect(stage.placed()).toEqual(await stage.owed());
	};
	const publishes = async (count: number, published: () => number): Promise<unknown> =>
		await until(() => published() === count, { what: `${count} fills to be published`, seen: stage.reader.log });
	/** How many of the fills that come from now on the reader in Node-RED has published. */
	const publishedFromNow = (): (() => number) => {
		const before = new Set(stage.made());
		return () => [...stage.reader.taken()].filter((key) => !before.has(key)).length;
	};
	/** What the errors of the executions say, the newest first. */
	const errorsOf = async ({ executions }: Stage['reader']): Promise<string[]> =>
		(await executions()).flatMap(({ data }) => data.resultData.error?.message ?? []);
	const limitQueue = async (limits: object): Promise<string> =>
		await stage.broker.control(
			...['set_policy', 'limit', '^exchange-fills$', JSON.stringify(limits), '--apply-to', 'queues'],
		);

	it('places one order for each fill though the reader is killed', async () => {
		await play(stage, FILLS, ['reader']);
		await oneOrderForEach();
	});

	it('publishes and takes every fill again after RabbitMQ was away for longer than 15 seconds, and its executions say so', async () => {
		const { broker, consumer, reader, fills, arrived, made } = stage;
		fills(FILLS);
		await catchUp(stage);
		await broker.kill();
		fills(FILLS);
		const says = async (): Promise<boolean> =>
			(await errorsOf(reader)).some((text) => /ECONNREFUSED|ECONNRESET|closed|disconnected/i.test(text));
		await until(says, { everyMs: 200, what: 'an execution to fail', seen: reader.log });
		await until(() => FIFTH_FAILURE.test(consumer.log()), { what: 'n8n to try five times', seen: consumer.log });
		await broker.restart();
		fills(FILLS);
		await oneOrderForEach();
		await until(() => arrived() === made().length, { what: 'n8n to take from its queue', seen: consumer.log });
		await oneOrderForEach();
	});

	/** What no consumer takes, because it is killed first. */
	describe('whose consumer is killed in the middle of an order', () => {
		let published: () => number;
		let count = 0;
		beforeAll(async () => {
			await stage.replace('reader', 'node-red');
			await killAtWork(stage);
			published = publishedFromNow();
		});
		const publishesMore = async (): Promise<unknown> => {
			stage.fills(FILLS);
			return await publishes((count += FILLS), published);
		};

		it('count as taken where a full queue drops them', async () => {
			await limitQueue({ 'max-length': 1, overflow: 'drop-head' });
			await publishesMore();
			await stage.broker.control('clear_policy', 'limit');
		});

		it.each<[string, (broker: Stage['broker']) => Promise<unknown>, (broker: Stage['broker']) => Promise<unknown>]>([
			[
				'has a full queue that refuses',
				async () => await limitQueue({ 'max-length': 1, overflow: 'reject-publish' }),
				async (broker) => await broker.control('clear_policy', 'limit'),
			],
			[
				'runs out of disk',
				async (broker) => {
					await broker.control('set_disk_free_limit', '100000GB');
					const isAlarmed = (): boolean => broker.log().includes('disk resource limit alarm set');
					await until(isAlarmed, { what: 'the broker to raise an alarm', seen: broker.log });
				},
				async (broker) => await broker.control('set_disk_free_limit', '50MB'),
			],
		])(
			'count as not taken while RabbitMQ %s, which the reader says, and are published when it is well again',
			async (_, begins, ends) => {
				const { broker, fills, reader } = stage;
				await publishesMore();
				await begins(broker);
				fills(FILLS);
				const stops = (): boolean => reader.log().includes('The reader stopped, because the broker ');
				await until(stops, { what: 'the reader to say so', seen: reader.log });
				expect(published()).toBe(count);
				await ends(broker);
				await publishes((count += FILLS), published);
			},
		);

		it('lead to one order each once it is back, also those that a full queue dropped', async () => {
			await stage.consumer.restart();
			await oneOrderForEach();
		});
	});

	it('sells the fills behind one that is always refused, puts that one aside, and says why', async () => {
		const { fills, broker, reader, consumer } = stage;
		// Fills that a full queue dropped were set aside, too.
		const putAside = async (): Promise<number> =>
			Number(/exchange-fills-rejected\s+(\d+)/.exec(await broker.control('list_queues', 'name', 'messages'))?.[1] ?? 0);
		const before = await putAside();
		// Not after twenty deliveries, as by the settings of the example.
		await limitQueue({ 'delivery-limit': 2 });
		fills(1, TOO_LARGE);
		fills(FILLS);
		await oneOrderForEach();
		const isAside = async (): Promise<boolean> => (await putAside()) === before + 1;
		await until(isAside, { everyMs: 1_000, what: 'the broker to put the fill aside', seen: consumer.log });
		await reader.kill();
		fills(1, 1, 'sell');
		fills(FILLS);
		fills(1, TOO_LARGE);
		fills(FILLS);
		await oneOrderForEach();
		// The comparison that placed the last order may not have finished: the next one finds what is left.
		consumer.forget();
		const saysSo = async (): Promise<boolean> => NO_ORDER.test((await errorsOf(consumer))[0] ?? '');
		await until(saysSo, { everyMs: 500, what: 'a comparison to fail', seen: consumer.log });
		const executions = await consumer.executions();
		const missing = executions.flatMap(({ itemsOf }) => itemsOf('Fills without an Order'));
		expect(new Set(missing.map(({ json }) => (json['data'] as { side: string }).side))).toEqual(new Set(['buy']));
		await broker.control('clear_policy', 'limit');
		await reader.restart();
	});

	/** The last one, because n8n lists its executions by their times. */
	it('acts once on each fill while the clock of the consumer jumps an hour ahead and back, and on those no broker brought', async () => {
		const { arrived, consumer, fills, placed, reader } = stage;
		// Ahead by the hour that it compares, n8n finds nothing, as its guide says.
		for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
			const before = placed().length;
			fills(FILLS);
			await until(() => placed().length > before, { what: 'the consumer to act', seen: consumer.log });
			await clocks.set(stage, { consumer: aheadMs });
			fills(FILLS);
			await oneOrderForEach();
		}
		const before = arrived();
		await reader.kill();
		fills(FILLS);
		await oneOrderForEach();
		expect(arrived()).toBe(before);
		await clocks.set(stage, { consumer: 0 });
	});
});
