import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { endurance, type Sample } from '../../../bench/scale/endurance';

const EVENTS = 500_000;
/** Until the second tenth everything but the keys has been allocated. */
const WARM_UP = 2;
/**
 * What no reading has settled may come again, so its keys are remembered up to `KEYS_MAX`: about 40 MB. Beyond that the
 * oldest go.
 */
const KEYS_MB = 44;

describe('half a million events through one subscriber', () => {
	let samples: Sample[];

	beforeAll(async () => {
		setFlagsFromString('--expose-gc');
		(globalThis as { gc?: unknown }).gc = runInNewContext('gc');
		samples = await endurance(EVENTS);
	});

	it('delivers each of half a million events of one subscriber', () => {
		expect(samples.at(-1)!.delivered).toBe(EVENTS);
	});

	it('half a million events take no more memory than their keys do, which have a limit', () => {
		const warm = samples.slice(WARM_UP).map(({ megabytes }) => megabytes);
		expect(Math.max(...warm) - warm[0]!).toBeLessThan(KEYS_MB);
	});

	it('half a million events leave a position that does not grow, though no time settles them', () => {
		for (const { stored } of samples) expect(stored).toBeLessThan(160_000);
	});
});
