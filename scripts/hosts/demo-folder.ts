/** What a start script says of a folder that an earlier start has filled, perhaps one of an earlier version. */
import { isDeepStrictEqual } from 'node:util';
import { tell } from './story';

type DemoNode = object & Record<string, unknown>;

/** Fields that each start writes again, and fields that say where a reader has moved a node to. */
const NOT_COMPARED = ['x', 'y', 'position', 'credentials', 'baseUrl', 'wsUrl'];

/** Whether every node of this version's demo is there as it is shipped. */
export const hasDemo = (saved: readonly DemoNode[], shipped: readonly DemoNode[]): boolean =>
	shipped.every((node) => saved.some((other) => isShipped(other, node)));

const isShipped = (saved: DemoNode, shipped: DemoNode): boolean =>
	Object.entries(shipped).every(
		([name, value]) => NOT_COMPARED.includes(name) || isDeepStrictEqual(saved[name], value),
	);

/** Nothing of a reader's is replaced, so a demo that differs is only named, with the way to see the new one. */
export function tellLastStart(flows: 'flows' | 'workflows', isDemo: boolean): void {
	tell(`Your ${flows} of the last start are kept.`);
	if (!isDemo) tell('The demo of this version differs from them: `--folder NAME` shows it in a new folder.');
}
