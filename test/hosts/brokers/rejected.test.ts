/** Fills that a consumer does not sell, or cannot, stand in nobody's way and are not told as lost. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { QUICK } from './parties';
import { catchUp } from './play';
import { openStage, type Stage } from './stage';

const FILLS = 5;
/** Above the limit of the order in n8n's examples. */
const TOO_LARGE = 2000;

describe('a fill that no order follows', () => {
	let stage: Stage;
	afterEach(async () => await stage.close());

	const oneOrderForEach = async (): Promise<void> => {
		await catchUp(stage);
		expect(stage.placed()).toEqual(await stage.owed());
	};

	it('the comparison in Node-RED tells of purchases without an order, and of no sale', async () => {
		stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red', pace: QUICK });
		const { fills, reader, consumer } = stage;
		await reader.kill();
		fills(1, 1, 'sell');
		fills(FILLS);
		await oneOrderForEach();
		const counts = [...consumer.log().matchAll(/(\d+) fills have no order/g)].map(([, count]) => Number(count));
		expect(counts.reduce((sum, count) => sum + count, 0)).toBe(FILLS);
	});

	it('a consumer in n8n sells the fills behind one that it always refuses, puts that one aside, and says why', async () => {
		stage = await openStage({ broker: rabbitmq, reader: 'node-red', consumer: 'n8n', pace: QUICK });
		const { fills, broker, reader, consumer } = stage;
		fills(1, TOO_LARGE);
		fills(FILLS);
		await oneOrderForEach();
		const setAside = async (): Promise<boolean> =>
			/exchange-fills-rejected\s+1\b/.test(await broker.control('list_queues', 'name', 'messages'));
		await until(setAside, { everyMs: 200, what: 'the broker to put the fill aside', seen: consumer.log });
		await reader.kill();
		fills(1, 1, 'sell');
		fills(FILLS);
		fills(1, TOO_LARGE);
		fills(FILLS);
		await oneOrderForEach();
		const executions = await consumer.executions();
		const missing = executions.flatMap(({ itemsOf }) => itemsOf('Fills without an Order'));
		expect(new Set(missing.map(({ json }) => (json['data'] as { side: string }).side))).toEqual(new Set(['buy']));
		const errors = executions.flatMap(({ data }) => data.resultData.error?.message ?? []);
		expect(errors[0]).toMatch(/of these fills have no order\. The first: .*1000\.00/);
	});
});
