/**
 * The example flows with a Mosquitto between a reader and a consumer, all of which fail in turns. The cases share one
 * stage, because hosts take long to start.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { until } from '../../support/condition';
import { openClocks } from './clocks';
import { QUICK } from './parties';
import { catchUp, killAtWork, play } from './play';
import { openStage, type Stage } from './stage';
import { forAll } from '../../support/opened';

const FILLS = 10;
const HOUR_MS = 3_600_000;

/** A client without a name may read everything, and write nothing. */
const readOnly = join(__dirname, '..', '..', 'fixtures', 'brokers', 'read-only.acl');

const restarted = async ({ broker }: Stage, settings?: string): Promise<void> => {
	await broker.kill();
	await broker.restart(settings);
};
const troubles: { trouble: string; begins: (stage: Stage) => Promise<void>; ends: (stage: Stage) => Promise<void> }[] =
	[
		{
			trouble: 'lets no client in',
			begins: async (stage) => await restarted(stage, 'allow_anonymous false'),
			ends: async (stage) => await restarted(stage),
		},
		{
			trouble: 'lets nobody publish',
			begins: async (stage) => await restarted(stage, `acl_file ${readOnly}`),
			ends: async (stage) => await restarted(stage),
		},
		{
			trouble: 'hangs with its connections open',
			begins: async ({ broker }) => broker.freeze(),
			ends: async ({ broker }) => broker.thaw(),
		},
	];

describe('fills through Mosquitto', () => {
	const clocks = forAll(() => openClocks());
	const stage = forAll(() =>
		openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red', pace: QUICK, env: clocks.env }),
	);
	beforeEach(() => [stage.reader, stage.consumer].forEach((party) => party.forget()));

	const oneOrderForEach = async (): Promise<void> => {
		await catchUp(stage);
		expect(stage.placed()).toEqual(await stage.owed());
	};
	/** How many of the fills that come from now on a reader has published. */
	const publishedFromNow = ({ reader } = stage): (() => number) => {
		const before = new Set(stage.made());
		return () => [...reader.taken()].filter((key) => !before.has(key)).length;
	};
	const publishes = async (published: () => number, count: number): Promise<unknown> =>
		await until(() => published() === count, { what: `${count} fills to be published`, seen: stage.reader.log });

	it('places one order for each fill, in the order they came, while reader, broker, network and consumer are killed in turns', async () => {
		await play(stage, FILLS, ['reader', 'broker', 'network', 'consumer']);
		await oneOrderForEach();
		expect(stage.arrived()).toBeGreaterThan(FILLS);
		expect(await stage.overtakenFills()).toEqual([]);
	});

	it.each(troubles)(
		'counts no fill as taken while Mosquitto $trouble, says so, and publishes them all when it is well again',
		async ({ begins, ends }) => {
			const { reader, fills } = stage;
			const published = publishedFromNow();
			fills(FILLS);
			await publishes(published, FILLS);
			expect(reader.log()).not.toContain('The reader stopped');
			await begins(stage);
			fills(FILLS);
			const stops = (): boolean => reader.log().includes('The reader stopped, because the broker ');
			await until(stops, { what: 'the reader to say so', seen: reader.log });
			// The comparison finds them without the broker.
			await oneOrderForEach();
			expect(published()).toBe(FILLS);
			const says = (start: string): boolean => reader.statuses().some((text) => text.startsWith(start));
			await until(() => says('stopped') && says('broker '), { what: 'the nodes to say so', seen: reader.statuses });
			await ends(stage);
			await publishes(published, 2 * FILLS);
			await oneOrderForEach();
		},
	);

	it('publishes every fill from a reader that found no broker at its start, and had said so', async () => {
		const { broker, reader, fills } = stage;
		const published = publishedFromNow();
		await reader.kill();
		await broker.kill();
		await reader.restart();
		fills(FILLS);
		const waits = (): boolean => reader.log().includes('The reader has not started');
		await until(waits, { what: 'the reader to say so', seen: reader.log });
		await broker.restart();
		await publishes(published, FILLS);
		await oneOrderForEach();
	});

	it('places one order for each fill while two readers publish all of them, and after one of them is killed', async () => {
		const { reader, fills } = stage;
		const standby = await stage.add('node-red', 'reader');
		const counts = [publishedFromNow(), publishedFromNow({ ...stage, reader: standby })] as const;
		fills(FILLS);
		for (const count of counts) await publishes(count, FILLS);
		// A broker lets only one client of each name in.
		for (const { log } of [reader, standby]) expect(log()).not.toContain('Disconnected from broker');
		await reader.kill();
		fills(FILLS);
		await publishes(counts[1], 2 * FILLS);
		await oneOrderForEach();
		await standby.stop();
		await reader.restart();
		await publishes(counts[0], 2 * FILLS);
	});

	it('acts once on each fill that Mosquitto forgot when it came back with an older disk', async () => {
		const { broker, consumer, fills } = stage;
		const published = publishedFromNow();
		await consumer.kill();
		fills(FILLS);
		await publishes(published, FILLS);
		await broker.kill();
		await broker.backUp();
		await broker.restart();
		await consumer.restart();
		await catchUp(stage);
		await consumer.kill();
		fills(FILLS);
		await publishes(published, 2 * FILLS);
		await broker.kill();
		await broker.restoreBackup();
		await broker.restart();
		await consumer.restart();
		await oneOrderForEach();
	});

	it('places one order for each fill by a consumer that lost its files while it was placing orders', async () => {
		const { consumer, fills } = stage;
		fills(FILLS);
		await killAtWork(stage);
		await rm(join(consumer.folder, 'partner-exchange'), { recursive: true });
		await consumer.restart();
		await oneOrderForEach();
	});

	it('tells of each purchase that a reader passed over because it lost its checkpoint, and of no sale', async () => {
		const { consumer, fills, reader } = stage;
		await reader.kill();
		fills(1, 1, 'sell');
		fills(FILLS);
		await oneOrderForEach();
		const counts = [...consumer.log().matchAll(/(\d+) fills have no order, and no message brought them/g)];
		expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(FILLS);
		await rm(join(reader.folder, 'partner-exchange'), { recursive: true });
		await reader.restart();
		const published = publishedFromNow();
		const publishesAgain = (): boolean => {
			fills(1);
			return published() > 0;
		};
		await until(publishesAgain, { everyMs: 500, what: 'the reader to publish new fills', seen: reader.log });
		await oneOrderForEach();
	});

	it('acts once on each fill while the clocks of both hosts jump an hour back and ahead, and on those no broker brought', async () => {
		const { arrived, consumer, fills, network, placed, reader } = stage;
		for (const aheadMs of [-HOUR_MS, HOUR_MS]) {
			const before = placed().length;
			fills(FILLS);
			await until(() => placed().length > before, { what: 'the consumer to act', seen: consumer.log });
			await clocks.set(stage, { consumer: aheadMs, reader: -aheadMs });
			network.cut();
			fills(FILLS);
			network.mend();
			await oneOrderForEach();
		}
		const published = publishedFromNow();
		const before = arrived();
		await reader.kill();
		fills(FILLS);
		await oneOrderForEach();
		expect(arrived()).toBe(before);
		await reader.restart();
		await publishes(published, FILLS);
		await clocks.set(stage, { consumer: 0, reader: 0 });
	});

	it('places one order for each fill by a consumer in n8n that came back with an older disk while it was placing orders', async () => {
		await stage.replace('consumer', 'n8n');
		const { consumer, fills } = stage;
		const file = join(consumer.folder, '.n8n', 'database.sqlite');
		const backup = join(consumer.folder, 'backup');
		fills(FILLS);
		await catchUp(stage);
		const database = new DatabaseSync(file, { timeout: 10_000 });
		database.prepare('VACUUM INTO ?').run(backup);
		database.close();
		fills(FILLS);
		await killAtWork(stage);
		for (const part of ['-wal', '-shm']) await rm(file + part, { force: true });
		await rename(backup, file);
		await consumer.restart();
		await oneOrderForEach();
	});
});
