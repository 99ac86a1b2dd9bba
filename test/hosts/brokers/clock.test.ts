/** A consumer whose clock jumps acts once on each fill: on those a broker brings, and on those only a comparison finds. */
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
});
