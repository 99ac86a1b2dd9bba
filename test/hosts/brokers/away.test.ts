/** A queue whose broker was away for long is taken from again, without a person. */
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp } from './play';
import { openStage, type Stage } from './stage';

const FILLS = 20;

/** What n8n says once its trigger has failed to start for the fifth time. */
const FIFTH_FAILURE = /retry in 16 seconds|Failed to reactivate trigger node/;

describe('a queue whose broker was away', () => {
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
});
