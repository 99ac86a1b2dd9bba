import { sandboxTargets, withSandbox } from './sandbox';
import { fuzz } from './suite';
import { targets } from './targets';

/** A fixed seed, so that a finding belongs to the change that introduced it; `npm run fuzz` covers more. */
const SEED = 1;
/** The number of runs of the cheapest target. */
const RUNS = 600;

describe('whatever comes from outside', () => {
	it.each(targets.map((target) => [target.name, target] as const))('%s keep what they promise', async (_, target) => {
		expect(await fuzz(target, SEED, Math.max(5, Math.round(RUNS / target.cost)))).toBeUndefined();
	});

	it.each(sandboxTargets.map((target) => [target.name, target] as const))(
		'%s keep what they promise',
		async (_, target) => {
			await withSandbox(async () => {
				expect(await fuzz(target, SEED, Math.max(5, Math.round(RUNS / target.cost)))).toBeUndefined();
			});
		},
	);
});
