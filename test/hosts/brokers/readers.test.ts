/** One reader for each account: the example flows with real brokers between reader and consumer. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp, play } from './play';
import { shareStage } from './shared-stage';

const FILLS = 20;

describe('fills through a broker', () => {
	const { on, close } = shareStage();
	afterAll(close);
	const twoNodeReds = { broker: mosquitto, reader: 'node-red', consumer: 'node-red' } as const;

	it('places one order for each fill while reader, Mosquitto and network of two Node-REDs are killed in turns', async () =>
		await on(twoNodeReds, async (stage) => {
			await play(stage, { fillsPerKill: FILLS, victims: ['reader', 'broker', 'network'] });
			expect(stage.placed()).toEqual(await stage.owed());
			expect(await stage.overtakenFills()).toEqual([]);
		}));

	it('places one order for each fill that had arrived over MQTT at a consumer in Node-RED when it was killed', async () =>
		await on(twoNodeReds, async (stage) => {
			const { fills, placed, owed, consumer } = stage;
			const hold = stage.hold();
			fills(FILLS);
			await until(hold.begun, { what: 'the consumer to begin an order' });
			await consumer.kill();
			hold.release();
			await consumer.restart();
			await catchUp(stage);
			expect(placed()).toEqual(await owed());
		}));

	it('places one order for each fill while two readers publish all of them, and after one of them is killed', async () =>
		await on(twoNodeReds, async (stage, deliveries) => {
			const { reader, fills, placed, owed, add } = stage;
			const standby = await add('node-red', 'reader');
			const counts = [deliveries, () => new Set(standby.taken()).size];
			fills(FILLS);
			for (const count of counts)
				await until(() => count() === FILLS, { what: 'both to publish every fill', seen: reader.log });
			// A broker lets only one client of each name in.
			for (const { log } of [reader, standby]) expect(log()).not.toContain('Disconnected from broker');
			await reader.kill();
			fills(FILLS);
			await until(() => new Set(standby.taken()).size === 2 * FILLS, { what: 'the other to publish the rest' });
			await catchUp(stage);
			expect(placed()).toEqual(await owed());
		}));

	it('places one order for each fill while two n8n and the RabbitMQ between them are killed in turns', async () =>
		await on({ broker: rabbitmq, reader: 'n8n', consumer: 'n8n' }, async (stage) => {
			await play(stage, { fillsPerKill: FILLS, victims: ['reader', 'broker', 'consumer'] });
			expect(stage.placed()).toEqual(await stage.owed());
		}));
});
