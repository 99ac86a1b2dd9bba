import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { endurance, type Sample } from '../../../bench/scale/endurance';

const EVENTS = 500_000;
/** The keys of the latest 40,000 events are remembered, so memory grows until the second tenth. */
const WARM_UP = 2;
/** The bounded sets drop half of their entries at a time, so memory fluctuates by as much. */
const SWING_MB = 4;

describe('half a million events through one subscriber', () => {
	let samples: Sample[];

	beforeAll(async () => {
		setFlagsFromString('--expose-gc');
		(globalThis as { gc?: unknown }).gc = runInNewContext('gc');
		samples = await endurance(EVENTS);
	});

	it('are all delivered', () => {
		expect(samples.at(-1)!.delivered).toBe(EVENTS);
	});

	it('take no more memory after the first of them', () => {
		const warm = samples.slice(WARM_UP).map(({ megabytes }) => megabytes);
		expect(Math.max(...warm) - warm[0]!).toBeLessThan(SWING_MB);
	});

	it('leave a position that does not grow, though none of them is ever settled', () => {
		for (const { stored } of samples) expect(stored).toBeLessThan(160_000);
	});
});
