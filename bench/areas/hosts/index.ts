import type { Area, Contestant } from '../../area';
import { serveRest, serveRestFarAway } from '../rest/server';
import { serveStreams } from '../stream/server';
import type * as n8n from './n8n';
import { events, reads } from './node-red';

type Parts = typeof n8n;

/** n8n's engine is loaded by those who run on it, or it would be in the memory of all the others. */
const onEngine = (title: string, part: (parts: Parts) => Contestant['run'], peer?: string): Contestant => ({
	title,
	...(peer === undefined ? {} : { peer }),
	run: async (size, address) => part(await import('./n8n'))(size, address),
});

export const n8nTrigger: Area = {
	title: 'n8n, events into a workflow',
	about:
		"A trigger and a node behind it on n8n's own engine, one execution at a time, with the checkpoint in the static data of each. Without n8n's database, which stores each execution in some milliseconds more.",
	unit: 'events',
	// A trigger stays open, and the next one would join its connection, on which everything was sent.
	isApart: true,
	judged: 'cpu',
	size: 20_000,
	smoke: 20,
	baseline: 'each',
	serve: serveStreams,
	contestants: {
		each: onEngine('ours, one event for each execution', ({ triggers }) => triggers.each),
		ours: onEngine('ours', ({ triggers }) => triggers.ours),
	},
	limits: [{ of: 'ours', ms: 0.05 }],
};

export const n8nAction: Area = {
	title: 'n8n, reads of an action node',
	about: "One run of a node over so many items, each of which reads one order, on n8n's own engine.",
	unit: 'reads',
	judged: 'time',
	size: 1_000,
	smoke: 20,
	baseline: 'keyed',
	serve: serveRest,
	contestants: {
		keyed: onEngine("n8n's HTTP Request node, the key in a credential", ({ actions }) => actions.keyed, 'n8n'),
		plain: onEngine("n8n's HTTP Request node, without a key", ({ actions }) => actions.plain, 'n8n'),
		helper: onEngine("n8n's helper alone, 20 at a time", ({ actions }) => actions.helper),
		ours: {
			...onEngine('ours, the action node', ({ actions }) => actions.ours),
			felt: 'A read in n8n, one of a thousand',
		},
	},
	targets: [
		{ of: 'ours', over: 'keyed', atLeast: 5 },
		{ of: 'ours', over: 'plain', atLeast: 1.3 },
	],
};

/** Where a service is not on the same machine, a read is mostly waiting. */
export const n8nActionFarAway: Area = {
	...n8nAction,
	serve: serveRestFarAway,
	baseline: 'plain',
	contestants: {
		plain: n8nAction.contestants['plain']!,
		ours: { ...n8nAction.contestants['ours']!, felt: 'The same from a service that answers after 200 ms' },
	},
	targets: [{ of: 'ours', over: 'plain', atLeast: 0.8 }],
	title: 'n8n, reads of an action node from a distance',
	about:
		'The same, where the service answers after 200 ms. The HTTP Request node sends a thousand requests at once; ours twenty, then one more with every answer, up to a hundred, and no more where the service refuses some.',
};

export const nodeRedEvents: Area = {
	title: 'Node-RED, events into a flow',
	about: "Node-RED's runtime with one flow: messages of the stream, parsed, to a node that counts them.",
	unit: 'messages',
	// Node-RED starts once in a process.
	isApart: true,
	judged: 'cpu',
	size: 400_000,
	// Several times what may wait for a node, at full speed: a node that falls behind does not get all of it.
	smoke: 20_000,
	baseline: 'core',
	serve: serveStreams,
	contestants: events,
	targets: [{ of: 'ours', over: 'core', atLeast: 1.05 }],
};

export const nodeRedReads: Area = {
	title: 'Node-RED, reads of an action node',
	about:
		"Messages into one node, all at once, each of which reads one order. Node-RED's own node takes one address for all of them.",
	unit: 'reads',
	// Node-RED starts once in a process.
	isApart: true,
	judged: 'cpu',
	size: 2_000,
	smoke: 20,
	baseline: 'core',
	serve: serveRest,
	contestants: reads,
	targets: [{ of: 'ours', over: 'core', atLeast: 2.4 }],
};
