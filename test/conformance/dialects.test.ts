import { dialects } from '@partner-exchange/sandbox';
import { testOperations } from './operations';
import { clientTarget } from './client-target';

/**
 * The interface leaves some response shapes open, so every operation must pass in several plausible ones. The client reads
 * them; the hosts hand on what it read.
 */
const shapes = [1, 2].map((index) =>
	Object.fromEntries(
		Object.entries(dialects).map(([name, { values }]) => [name, values[Math.min(index, values.length - 1)]!]),
	),
);

for (const dialect of shapes) {
	const named = `${dialect.order}, ${dialect.lists}, ${dialect.precision}`;
	testOperations(`the client, when the service answers otherwise (${named})`, clientTarget, { dialect });
}
