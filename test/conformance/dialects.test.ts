import { dialects } from '@partner-exchange/sandbox';
import { testOperations } from './operations';
import { clientTarget, n8nTarget, nodeRedTarget } from './targets';

/** The interface leaves some response shapes open, so every operation must pass in several plausible ones. */
const shapes = [1, 2].map((index) =>
	Object.fromEntries(
		Object.entries(dialects).map(([name, { values }]) => [name, values[Math.min(index, values.length - 1)]!]),
	),
);

const targets = {
	'the client': clientTarget,
	"the node on n8n's engine": n8nTarget,
	'the nodes in a real Node-RED': nodeRedTarget,
};

for (const dialect of shapes) {
	const named = `${dialect.order}, ${dialect.lists}, ${dialect.precision}`;
	for (const [name, target] of Object.entries(targets)) {
		testOperations(`${name}, when the service answers otherwise (${named})`, target, { dialect });
	}
}
