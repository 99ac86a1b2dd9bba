/** A broker that was away is published to and taken from again, without a person. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp } from './play';
import { openStage, type Stage } from './stage';

const FILLS = 20;

/** What n8n says once its trigger has failed to start for the fifth time. */
const FIFTH_FAILURE = /retry in 16 seconds|Failed to reactivate trigger node/;

describe('a broker that was away', () => {
	let stage: Stage | undefined;
	afterEach(async () => await stage?.close());

	it('a consumer in n8n takes fills from its queue again after RabbitMQ was away for longer than 15 seconds', async () => {
		stage = await openStage({ broker: rabbitmq, reader: 'node-red', consumer: 'n8n' });
		const { broker, consumer, fills, placed, owed, arrived } = stage;
		fills(FILLS);
		await catchUp(stage);
		await broker.kill();
		await until(() => FIFTH_FAILURE.test(consumer.log()), { what: 'n8n to try five times', seen: consumer.log });
		await broker.restart();
		fills(FILLS);
		await until(() => arrived() === 2 * FILLS, { what: 'n8n to take from its queue', seen: consumer.log });
		await catchUp(stage);
		expect(placed()).toEqual(await owed());
	});

	it('a reader in Node-RED that finds no broker at its start says so, and publishes every fill once there is one', async () => {
		stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
		const { broker, reader, fills, placed, owed, arrived, unheard } = stage;
		fills(FILLS);
		await catchUp(stage);
		await reader.kill();
		await broker.kill();
		await reader.restart();
		fills(FILLS);
		await until(() => reader.log().includes('The reader has not started'), { what: 'it to say so', seen: reader.log });
		await broker.restart();
		await until(() => arrived() === 2 * FILLS, { what: 'every fill to be published', seen: unheard });
		await catchUp(stage);
		expect(placed()).toEqual(await owed());
	});
});
