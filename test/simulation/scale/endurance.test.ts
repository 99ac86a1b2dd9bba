import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { endurance, type Sample } from '../../../bench/scale/endurance';

/** Each night half a million; by then the limit of the keys is near. */
const EVENTS = process.env.SIMULATION_SEEDS === undefined ? 30_000 : 500_000;
/** Until the second tenth everything but the keys has been allocated. */
const WARM_UP = 2;
/**
 * What no reading has settled may come again, so its keys are remembered up to `KEYS_MAX`: about 40 MB. Beyond that the
 * oldest go.
 */
const KEYS_MB = 44;

describe(`${EVENTS} events through one subscriber`, () => {
	let samples: Sample[];

	beforeAll(async () => {
		setFlagsFromString('--expose-gc');
		(globalThis as { gc?: unknown }).gc = runInNewContext('gc');
		samples = await endurance(EVENTS);
	});

	it('delivers each of so many events to one subscriber', () => {
		expect(samples.at(-1)!.delivered).toBe(EVENTS);
	});

	it('so many events take no more memory than their keys do, which have a limit', () => {
		const warm = samples.slice(WARM_UP).map(({ megabytes }) => megabytes);
		expect(Math.max(...warm) - warm[0]!).toBeLessThan(KEYS_MB);
	});

	it('so many events leave a position that does not grow, though no time settles them', () => {
		for (const { stored } of samples) expect(stored).toBeLessThan(160_000);
	});
});
