/** What a broker confirmed and lost is found by comparing fills with orders, whatever took the fills before. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp } from './play';
import { openStage, type Stage, type StageOptions } from './stage';

const FILLS = 20;

interface Loss extends Omit<StageOptions, 'reader'> {
	loss: string;
	/** Before the fills come, while the consumer is away. */
	before?: (stage: Stage) => Promise<unknown>;
	/** Once they count as taken. */
	after?: (stage: Stage) => Promise<void>;
}

const restarted = async ({ broker }: Stage, meanwhile?: () => Promise<void>): Promise<void> => {
	await broker.kill();
	await meanwhile?.();
	await broker.restart();
};
const untilLogged = async ({ broker }: Stage, text: string): Promise<void> =>
	void (await until(() => broker.log().includes(text), { what: `the broker to say "${text}"`, seen: broker.log }));

const losses: Loss[] = [
	{
		...{ loss: 'lost its data folder', broker: rabbitmq, consumer: 'n8n' },
		after: async (stage) => await restarted(stage, stage.broker.loseDisk),
	},
	{
		...{ loss: 'lost its data folder', broker: mosquitto, consumer: 'node-red' },
		after: async (stage) => await restarted(stage, stage.broker.loseDisk),
	},
	...[mosquitto, rabbitmq].map((broker): Loss => ({
		...{ loss: 'came back with an older disk', broker, consumer: 'node-red' },
		after: async (stage) => {
			const { consumer, fills, reader } = stage;
			await restarted(stage, stage.broker.backUp);
			await consumer.restart();
			await catchUp(stage);
			await consumer.kill();
			fills(FILLS);
			await until(() => new Set(reader.taken()).size === 2 * FILLS, {
				what: 'every fill to be taken',
				seen: reader.log,
			});
			await restarted(stage, stage.broker.restoreBackup);
		},
	})),
	{
		...{ loss: 'drops the oldest of a full queue', broker: rabbitmq, consumer: 'n8n' },
		before: async ({ broker }) => {
			const limit = JSON.stringify({ 'max-length': 1, overflow: 'drop-head' });
			await broker.control('set_policy', 'limit', '^exchange-fills$', limit, '--apply-to', 'queues');
		},
	},
	{
		...{ loss: 'keeps a few for an absent consumer', broker: mosquitto, consumer: 'node-red' },
		settings: 'max_queued_messages 2',
		after: async (stage) => await untilLogged(stage, 'Outgoing messages are being dropped'),
	},
	{
		...{ loss: 'was killed after its disk took no more', broker: mosquitto, consumer: 'node-red' },
		before: async ({ broker }) => await broker.fillDisk(),
		after: async (stage) => {
			await untilLogged(stage, 'Error saving in-memory database');
			await restarted(stage);
		},
	},
];

describe('a fill that a broker forgot', () => {
	let stage: Stage | undefined;
	afterEach(async () => await stage?.close());

	it.each(losses)(
		'a consumer in $consumer acts once on a fill that $broker.name forgot when it $loss',
		async ({ before, after, ...options }) => {
			stage = await openStage({ ...options, reader: 'node-red' });
			const { reader, consumer, fills, placed, owed } = stage;
			await consumer.kill();
			await before?.(stage);
			fills(FILLS);
			await until(() => new Set(reader.taken()).size === FILLS, { what: 'every fill to be taken', seen: reader.log });
			await after?.(stage);
			await consumer.restart();
			await catchUp(stage);
			expect(placed()).toEqual(await owed());
		},
	);
});
