/** What a host of a reader or consumer loses costs no fill, and places no second order: its disk, its position, its name. */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { until } from '../../support/condition';
import { QUICK, type Party } from './parties';
import { catchUp } from './play';
import { openStage, type Stage, type StageOptions } from './stage';

const FILLS = 20;

const FROM_COMPARISON = 'no message brought them';

const says = async ({ log }: Party, text: string): Promise<void> =>
	void (await until(() => log().includes(text), { what: `it to say "${text}"`, seen: log }));
const oneOrderForEach = async (stage: Stage): Promise<void> => {
	await catchUp(stage);
	expect(stage.placed()).toEqual(await stage.owed());
};
/** What n8n keeps, in which nothing may be read while it is being written. */
const databaseOf = ({ folder }: Party): string => join(folder, '.n8n', 'database.sqlite');
const LOCK_MS = 10_000;

describe('a fill, whatever its hosts lost', () => {
	let stage: Stage;
	afterEach(async () => await stage.close());

	const open = async (options: Pick<StageOptions, 'broker' | 'reader' | 'consumer' | 'clientId'>): Promise<Stage> =>
		(stage = await openStage({ ...options, pace: QUICK }));

	/** A consumer is killed while it is placing orders. */
	const killAtWork = async ({ fills, hold, consumer }: Stage): Promise<void> => {
		const { begun, release } = hold();
		fills(FILLS);
		await until(begun, { what: 'the consumer to begin an order' });
		await consumer.kill();
		release();
	};

	it('places one order for each fill by a consumer in Node-RED that lost its disk while it was placing orders', async () => {
		const { fills, add } = await open({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
		fills(FILLS);
		await catchUp(stage);
		await killAtWork(stage);
		await add('node-red', 'consumer');
		await oneOrderForEach(stage);
	});

	it('places one order for each fill by a consumer in n8n that came back with an older disk, and then lost it, while it was placing orders', async () => {
		const { fills, consumer, add } = await open({ broker: mosquitto, reader: 'node-red', consumer: 'n8n' });
		const backup = join(consumer.folder, 'backup');
		fills(FILLS);
		await catchUp(stage);
		const database = new DatabaseSync(databaseOf(consumer), { timeout: LOCK_MS });
		database.prepare('VACUUM INTO ?').run(backup);
		database.close();
		await killAtWork(stage);
		for (const part of ['-wal', '-shm']) await rm(databaseOf(consumer) + part, { force: true });
		await rename(backup, databaseOf(consumer));
		await consumer.restart();
		await oneOrderForEach(stage);
		await killAtWork(stage);
		await add('n8n', 'consumer');
		await oneOrderForEach(stage);
	});

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
			const { fills, reader } = await open({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
			fills(FILLS);
			await catchUp(stage);
			await reader.kill();
			fills(FILLS);
			await lose(join(reader.folder, 'partner-exchange'));
			await reader.restart();
			await oneOrderForEach(stage);
			await says(...tells(stage));
		},
	);

	it('places one order for each fill while two readers of one name disconnect each other, and they say so', async () => {
		const named = { clientId: 'reader' };
		const { add, reader, fills } = await open({
			...{ broker: mosquitto, reader: 'node-red', consumer: 'node-red', ...named },
		});
		for (const { log } of [reader, await add('node-red', 'reader', named)])
			await until(() => log().includes('The reader stopped, because the broker is disconnected'), {
				...{ what: 'both to be disconnected', seen: log },
			});
		fills(FILLS);
		await oneOrderForEach(stage);
	});
});

describe('a fill, whatever befalls a reader in n8n', () => {
	const NAME = 'reader';
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage({ broker: mosquitto, reader: 'n8n', consumer: 'node-red', clientId: NAME, pace: QUICK });
	});
	afterAll(async () => await stage?.close());

	it('places one order for each fill while two readers of one name in n8n disconnect each other, and publishes them all', async () => {
		const { add, arrived, broker, fills } = stage;
		const other = await add('n8n', 'reader', { clientId: NAME });
		const isDisconnected = (): boolean => broker.log().includes('already connected, closing old connection');
		let made = 0;
		await until(
			() => {
				fills(1);
				made += 1;
				return isDisconnected();
			},
			{ everyMs: 500, what: 'one to disconnect the other', seen: broker.log },
		);
		await until(() => arrived() === made, { what: 'every fill to be published', seen: broker.log });
		await oneOrderForEach(stage);
		await other.stop();
	});

	it('places one order for each fill, and tells somebody, after the position of a reader in n8n was older, lost and damaged', async () => {
		const { fills, reader, consumer } = stage;
		/** What n8n stores for the trigger; with a text it is put in its place. */
		const stored = (text?: string | null): string | null => {
			const database = new DatabaseSync(databaseOf(reader), { timeout: LOCK_MS });
			const row = database.prepare('SELECT id, staticData FROM workflow_entity').get()!;
			if (text !== undefined) database.prepare('UPDATE workflow_entity SET staticData = ?').run(text);
			database.close();
			return row['staticData'] as string | null;
		};
		fills(FILLS);
		await catchUp(stage);
		const older = await until(() => stored(), { what: 'a position to be stored' });
		for (const position of [older, null, '{"node:Fill":"kep"}']) {
			fills(FILLS);
			await catchUp(stage);
			await reader.kill();
			consumer.forget();
			fills(FILLS);
			stored(position);
			await reader.restart();
			await oneOrderForEach(stage);
			if (position !== older) await says(consumer, FROM_COMPARISON);
		}
		await says(reader, 'What n8n stores for this node is damaged');
	});
});
