/** One reader for each account: the example flows with real brokers between reader and consumer. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp, play, type PlayOptions } from './play';
import { openStage, type Stage, type StageOptions } from './stage';

const FILLS = 20;

describe('fills through a broker', () => {
	let stage: Stage | undefined;
	afterEach(async () => await stage?.close());

	async function playedOn(options: StageOptions, plan: Omit<PlayOptions, 'fillsPerKill'>): Promise<Stage> {
		stage = await openStage(options);
		await play(stage, { fillsPerKill: FILLS, ...plan });
		return stage;
	}

	it('places one order for each fill while reader, Mosquitto and network of two Node-REDs are killed in turns', async () => {
		const { placed, owed, overtakenFills } = await playedOn(
			{ broker: mosquitto, reader: 'node-red', consumer: 'node-red' },
			{ victims: ['reader', 'broker', 'network'] },
		);
		expect(placed()).toEqual(await owed());
		expect(await overtakenFills()).toEqual([]);
	});

	it('places one order for each fill while two n8n and the RabbitMQ between them are killed in turns', async () => {
		const { placed, owed } = await playedOn(
			{ broker: rabbitmq, reader: 'n8n', consumer: 'n8n' },
			{ victims: ['reader', 'broker', 'consumer'] },
		);
		expect(placed()).toEqual(await owed());
	});

	it('places one order for each fill that had arrived over MQTT at a consumer in Node-RED when it was killed', async () => {
		stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
		const { fills, placed, owed } = stage;
		const hold = stage.hold();
		fills(FILLS);
		await until(hold.begun, { what: 'the consumer to begin an order' });
		await stage.consumer.kill();
		hold.release();
		await stage.consumer.restart();
		await catchUp(stage);
		expect(placed()).toEqual(await owed());
	});

	it('places one order for each fill while two readers publish all of them, and after one of them is killed', async () => {
		stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
		const { reader, fills, placed, owed } = stage;
		const standby = await stage.add('node-red', 'reader');
		fills(FILLS);
		for (const { taken: deliveries, log } of [reader, standby])
			await until(() => new Set(deliveries()).size === FILLS, { what: 'both to publish every fill', seen: log });
		// A broker lets only one client of each name in.
		for (const { log } of [reader, standby]) expect(log()).not.toContain('Disconnected from broker');
		await reader.kill();
		fills(FILLS);
		await until(() => new Set(standby.taken()).size === 2 * FILLS, { what: 'the other to publish the rest' });
		await catchUp(stage);
		expect(placed()).toEqual(await owed());
	});
});
