import { readFileSync } from 'node:fs';
import { plants as lockPlants } from './simulation/locks/plants';
import { plants as orderPlants } from './simulation/orders/plants';
import { plants as streamPlants } from './simulation/stream/plants';
import { patched, pathOf } from './simulation/support/patched';

const patches = [lockPlants, orderPlants, streamPlants].flatMap((plants) =>
	Object.entries(plants).flatMap(([name, { patch }]) => (patch ? [[name, patch] as const] : [])),
);

// Whether a simulation notices them takes minutes. That their place is gone shows here at once.
it.each(patches)('the source has the place of the planted defect %s exactly once', (name, patch) => {
	const source = readFileSync(pathOf(patch), 'utf8');
	expect(patched(name, patch, source)).not.toBe(source);
});

it('finds planted defects in the lock, in orders and in the stream', () => {
	expect(patches.length).toBeGreaterThan(60);
});
