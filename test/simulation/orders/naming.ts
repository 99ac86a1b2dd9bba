import { withIntent, type Intent } from '../../../nodes/shared/intent';
import type { NodeParameters } from '../../../nodes/shared/parameters';
import type { Message, Node } from '../../../packages/node-red/src/host';
import { named } from '../../../packages/node-red/src/intents';
import type { Offer } from '../../../packages/node-red/src/palette';
import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import type { Random } from '../support/random';

type Work<Result> = (intent: Intent) => Promise<Result>;
type Input = Readonly<{ [name: string]: unknown }>;

/** The name a host gives one thing that is wanted of it, by the code that ships; the same through all its tries. */
export interface Naming {
	/** A call of an agent comes once; what comes twice is another call. */
	isToolCall: boolean;
	under<Result>(id: OperationId, input: Input, work: Work<Result>): Promise<Result>;
	/** Retry On Fail: the node runs once more. */
	retry(): void;
	/** Somebody runs the failed execution again. */
	rerun(): void;
}

/** What is asked for in one execution of n8n: items of a run, passes of a loop, or calls of one batch of an agent. */
type Place = 'item' | 'pass' | 'tool call';

/** A bug in how hosts name what they are asked for. */
export interface NamingPlant {
	/** A tool call is named by its run and item, like any other. */
	toolsAreNodes?: boolean;
	/** An execution that is retried by hand knows nothing of the first. */
	forgetsExecution?: boolean;
	/** Items of one run share a name. */
	itemsAreOne?: boolean;
}

/** Node-RED names what it is asked for by node, message and values. */
export function messageNaming(number: number): Naming {
	const node = { id: 'node' } as Node;
	const message = { _msgid: `message ${number}` } as Message;
	return {
		isToolCall: false,
		under: (id, input, work) => {
			const { intent } = named(node, message, { operation: operationOf(id) } as Offer, { input, options: {} });
			return work({ intent });
		},
		retry: () => undefined,
		rerun: () => undefined,
	};
}

interface Execution {
	id: string;
	/** What the node keeps in it. */
	kept: Record<string, unknown>;
}

/** One execution of n8n, out of which several things are wanted. */
export function executionNaming(chance: Random, plant: NamingPlant = {}): (number: number) => Naming {
	const place: Place = chance.pick(['item', 'pass', 'tool call']);
	const first: Execution = { id: `execution ${chance.below(1_000_000)}`, kept: {} };
	let reruns = 0;
	// The name of a tool call is drawn, and a seed has to live the same life every time.
	const aliases = new Map<string, string>();
	const aliasOf = (intent: string): string => {
		const alias = aliases.get(intent) ?? `name ${aliases.size}`;
		aliases.set(intent, alias);
		return alias;
	};
	return (number) => {
		let execution = first;
		// n8n counts the run index up with each try of a tool call, and the calls of one batch begin with the same.
		let run = place === 'pass' ? number : 0;
		let call: Input = { query: `wish ${number}` };
		const item = place === 'item' && !plant.itemsAreOne ? number : 0;
		return {
			isToolCall: place === 'tool call',
			under: (id, input, work) => {
				const host = hostOf({ execution, run, item, call, isTool: place === 'tool call', plant });
				const parameters = { id, input, options: {} } as unknown as NodeParameters;
				return withIntent(host, item, parameters, ({ intent = '', repeated }) =>
					work({ intent: aliasOf(intent), repeated }),
				);
			},
			retry: () => void (run += place === 'tool call' ? 1 : 0),
			rerun: () => {
				reruns += 1;
				const kept = plant.forgetsExecution ? {} : structuredClone(execution.kept);
				execution = { id: `${first.id} again ${reruns}`, kept };
				// The model is asked anew, and calls with arguments of its own.
				if (place === 'tool call') [run, call] = [0, { ...call }];
			},
		};
	};
}

interface Seat {
	execution: Execution;
	run: number;
	item: number;
	call: Input;
	isTool: boolean;
	plant: NamingPlant;
}

/** As much of n8n as a node asks for its own name. */
function hostOf({ execution, run, item, call, isTool, plant }: Seat): Parameters<typeof withIntent>[0] {
	const host = {
		getContext: () => execution.kept,
		getExecutionId: () => execution.id,
		getInstanceId: () => 'instance',
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: 'node', type: isTool ? 'partnerExchangeTool' : 'partnerExchange' }),
		evaluateExpression: (text: string) => (text.includes('$runIndex') ? run : undefined),
		getInputData: () => Array.from({ length: item + 1 }, () => ({ json: call })),
		isToolExecution: () => isTool && !plant.toolsAreNodes,
	};
	return host as unknown as Parameters<typeof withIntent>[0];
}
