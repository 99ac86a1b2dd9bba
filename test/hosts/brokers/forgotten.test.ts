/** What a broker confirmed and lost is found by comparing fills with orders, whatever took the fills before. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp } from './play';
import { shareStage } from './shared-stage';
import type { Stage, StageOptions } from './stage';

const FILLS = 20;

interface Loss extends Omit<StageOptions, 'reader' | 'pace'> {
	loss: string;
	/** Before the fills come, while the consumer is away. */
	before?: (stage: Stage) => Promise<unknown>;
	/** Once they count as taken. */
	after?: (stage: Stage, deliveries: () => number) => Promise<void>;
}

const restarted = async ({ broker }: Stage, meanwhile?: () => Promise<void>): Promise<void> => {
	await broker.kill();
	await meanwhile?.();
	await broker.restart();
};
const untilLogged = async ({ broker }: Stage, text: string): Promise<void> =>
	void (await until(() => broker.log().includes(text), { what: `the broker to say "${text}"`, seen: broker.log }));

const limit = (limits: object): string[] => [
	...['set_policy', 'limit', '^exchange-fills$', JSON.stringify(limits), '--apply-to', 'queues'],
];

/** Those on an equal stage stand together, because they share it. */
const losses: Loss[] = [
	{
		...{ loss: 'came back with an older disk', broker: mosquitto, consumer: 'node-red' },
		after: async (stage, deliveries) => {
			const { consumer: host, fills, reader } = stage;
			await restarted(stage, stage.broker.backUp);
			await host.restart();
			await catchUp(stage);
			await host.kill();
			fills(FILLS);
			await until(() => deliveries() === 2 * FILLS, { what: 'every fill to be taken', seen: reader.log });
			await restarted(stage, stage.broker.restoreBackup);
		},
	},
	{
		...{ loss: 'lost its data folder', broker: mosquitto, consumer: 'node-red' },
		after: async (stage) => await restarted(stage, stage.broker.loseDisk),
	},
	{
		...{ loss: 'was killed after its disk took no more', broker: mosquitto, consumer: 'node-red' },
		before: async ({ broker }) => await broker.fillDisk(),
		after: async (stage) => {
			await untilLogged(stage, 'Error saving in-memory database');
			await restarted(stage);
		},
	},
	{
		...{ loss: 'keeps a few for an absent consumer', broker: mosquitto, consumer: 'node-red' },
		settings: 'max_queued_messages 2',
		after: async (stage) => await untilLogged(stage, 'Outgoing messages are being dropped'),
	},
	{
		...{ loss: 'drops the oldest of a full queue', broker: rabbitmq, consumer: 'n8n' },
		before: async ({ broker }) => await broker.control(...limit({ 'max-length': 1, overflow: 'drop-head' })),
		after: async ({ broker }) => void (await broker.control('clear_policy', 'limit')),
	},
	{
		...{ loss: 'lost its data folder', broker: rabbitmq, consumer: 'n8n' },
		after: async (stage) => await restarted(stage, stage.broker.loseDisk),
	},
];

describe('a fill that a broker forgot', () => {
	const { on, close } = shareStage();
	afterAll(close);

	it.each(losses)(
		'a consumer in $consumer acts once on a fill that $broker.name forgot when it $loss',
		async ({ loss: _, before, after, ...options }) =>
			await on({ ...options, reader: 'node-red' }, async (stage, deliveries) => {
				const { reader, consumer, fills, placed, owed } = stage;
				await consumer.kill();
				await before?.(stage);
				fills(FILLS);
				await until(() => deliveries() === FILLS, { what: 'every fill to be taken', seen: reader.log });
				await after?.(stage, deliveries);
				await consumer.restart();
				await catchUp(stage);
				expect(placed()).toEqual(await owed());
			}),
	);
});
