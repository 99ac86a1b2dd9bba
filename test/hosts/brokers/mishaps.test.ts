/** What a host of a reader or consumer loses costs no fill, and places no second order: its disk, its position, its name. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import type { Party } from './parties';
import { catchUp } from './play';
import { openStage, type Stage } from './stage';

const FILLS = 20;

const FROM_COMPARISON = 'no message brought them';

describe('a fill, whatever its hosts lost', () => {
	let stage: Stage;
	afterEach(async () => await stage.close());

	const says = async ({ log }: Party, text: string): Promise<void> =>
		void (await until(() => log().includes(text), { what: `it to say "${text}"`, seen: log }));
	const oneOrderForEach = async (): Promise<void> => {
		await catchUp(stage);
		expect(stage.placed()).toEqual(await stage.owed());
	};

	it.each([
		['node-red', mosquitto],
		['n8n', rabbitmq],
	] as const)(
		'places one order for each fill by a consumer in %s that lost its disk while it was placing orders',
		async (host, broker) => {
			stage = await openStage({ broker, reader: 'node-red', consumer: host });
			const { fills, hold, consumer, add } = stage;
			fills(FILLS);
			await catchUp(stage);
			const { begun, release } = hold();
			fills(FILLS);
			await until(begun, { what: 'the consumer to begin an order' });
			await consumer.kill();
			release();
			await add(host, 'consumer');
			await oneOrderForEach();
		},
	);

	const lostPositions: [string, (folder: string) => Promise<unknown>, (stage: Stage) => [Party, string]][] = [
		['lost', async (folder) => await rm(folder, { recursive: true }), ({ consumer }) => [consumer, FROM_COMPARISON]],
		[
			'damaged',
			async (folder) =>
				await Promise.all((await readdir(folder)).map(async (name) => await writeFile(join(folder, name), '{"kep'))),
			({ reader }) => [reader, 'The stored position is damaged'],
		],
	];
	it.each(lostPositions)(
		'places one order for each fill, and tells somebody, after the position of a reader was %s',
		async (_, lose, tells) => {
			stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
			const { fills, reader } = stage;
			fills(FILLS);
			await catchUp(stage);
			await reader.kill();
			fills(FILLS);
			await lose(join(reader.folder, 'partner-exchange'));
			await reader.restart();
			await oneOrderForEach();
			await says(...tells(stage));
		},
	);

	it('places one order for each fill while two readers of one name disconnect each other, and they say so', async () => {
		stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
		const { add, reader, fills } = stage;
		await reader.kill();
		const readers = [];
		for (const clientId of ['reader', 'reader']) readers.push(await add('node-red', 'reader', { clientId }));
		for (const { log } of readers)
			await until(() => log().includes('The reader stopped, because the broker is disconnected'), {
				...{ what: 'both to be disconnected', seen: log },
			});
		fills(FILLS);
		await oneOrderForEach();
	});
});
