/** A wrong clock of a reader or consumer costs no fill: none that a broker brings, and none that only a comparison finds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { QUICK } from './parties';
import { catchUp } from './play';
import { openStage, type Stage } from './stage';

const FILLS = 20;
const HOUR_MS = 3_600_000;
const program = join(__dirname, '..', '..', 'support', 'settable-clock.js');

describe('a clock that jumps', () => {
	let folder: string;
	let stage: Stage | undefined;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'clock-'));
		await writeFile(join(folder, 'clock'), '0');
	});
	afterEach(async () => {
		await stage?.close();
		await rm(folder, { recursive: true, force: true });
	});

	const settable = (): NodeJS.ProcessEnv => ({
		NODE_OPTIONS: `--require "${program}"`,
		CLOCK_FILE: join(folder, 'clock'),
		// Its newer engine runs expressions apart, by a clock that nobody can set.
		N8N_EXPRESSION_ENGINE: 'legacy',
	});
	const setClock = async ({ consumer }: Stage, aheadMs: number): Promise<void> => {
		await writeFile(join(folder, 'clock'), String(aheadMs));
		const isSet = (): boolean => consumer.log().includes(`The clock is ${aheadMs} ms ahead`);
		await until(isSet, { what: `the clock to be ${aheadMs} ms ahead`, seen: consumer.log });
	};

	it.each([
		['Node-RED', 'node-red', mosquitto, [-HOUR_MS, HOUR_MS]],
		// Ahead by the hour that it compares, n8n finds nothing, as its guide says.
		['n8n', 'n8n', rabbitmq, [HOUR_MS, -HOUR_MS]],
	] as const)(
		'acts once on each fill in %s while its clock jumps an hour back and ahead, and on those no broker brought',
		async (_, consumer, broker, jumps) => {
			stage = await openStage({ broker, reader: 'node-red', consumer, pace: QUICK, env: settable() });
			const { fills, reader, placed, owed } = stage;
			fills(FILLS);
			await catchUp(stage);
			for (const aheadMs of jumps) {
				const before = placed().length;
				fills(FILLS);
				await until(() => placed().length > before, { what: 'the consumer to act', seen: stage.consumer.log });
				await setClock(stage, aheadMs);
				fills(FILLS);
				await catchUp(stage);
			}
			const fillsBefore = stage.arrived();
			await reader.kill();
			fills(FILLS);
			await catchUp(stage);
			expect(stage.arrived()).toBe(fillsBefore);
			expect(placed()).toEqual(await owed());
		},
	);

	it.each([HOUR_MS, -HOUR_MS])(
		'publishes each fill from a reader in Node-RED whose clock is %i ms ahead, through a broken network and a kill',
		async (aheadMs) => {
			await writeFile(join(folder, 'clock'), String(aheadMs));
			stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red' });
			await stage.reader.kill();
			const { add, arrived, fills, network, placed, owed } = stage;
			const reader = await add('node-red', 'reader', { env: settable() });
			const publishes = async (count: number): Promise<unknown> =>
				await until(() => arrived() === count, { what: `${count} fills to be published`, seen: reader.log });
			fills(FILLS);
			await publishes(FILLS);
			network.cut();
			fills(FILLS);
			network.mend();
			await publishes(2 * FILLS);
			await reader.kill();
			fills(FILLS);
			await reader.restart();
			await publishes(3 * FILLS);
			await catchUp(stage);
			expect(placed()).toEqual(await owed());
		},
	);
});
