import { withIntent, type Intent } from '../../../nodes/shared/action/intent';
import type { NodeParameters } from '../../../nodes/shared/form/parameters';
import type { Message, Node } from '../../../packages/node-red/src/host/types';
import { underIntent } from '../../../packages/node-red/src/action/intents';
import type { Offer } from '../../../packages/node-red/src/palette';
import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import type { Random } from '../support/random';

type Work<Result> = (intent: Intent, input?: Input) => Promise<Result>;
type Input = Readonly<{ [name: string]: unknown }>;

/** The name a host derives for one request, by the code as shipped; it is the same for all tries. */
export interface Naming {
	/** A tool call happens once; a second one is another call. */
	isToolCall: boolean;
	/** Keeps the client order id of the first try, which an expression makes again with every try. */
	keepsNames: boolean;
	under<Result>(id: OperationId, input: Input, work: Work<Result>): Promise<Result>;
	/** Retry On Fail: the node runs again. */
	retry(): void;
	/** A person retries the failed execution. */
	rerun(): void;
}

/** The requests of one n8n execution: items of a run, iterations of a loop, or calls of an agent's batch. */
type Place = 'item' | 'pass' | 'tool call';

/** A defect planted in how hosts derive names. */
export interface NamingPlant {
	/** A tool call is named by run and item, as an ordinary node is. */
	toolsAreNodes?: boolean;
	/** A manually retried execution is not linked to the original. */
	forgetsExecution?: boolean;
	/** All items of a run share a name. */
	itemsAreOne?: boolean;
	/** A retry sends the names that its own expressions make. */
	forgetsNames?: boolean;
}

/** Node-RED derives the name from the node, the message and the values. */
export function messageNaming(number: number): Naming {
	const node = { id: 'node' } as Node;
	const message = { _msgid: `message ${number}` } as Message;
	return {
		isToolCall: false,
		keepsNames: false,
		under: (id, input, work) => {
			const { intent } = underIntent(node, message, { operation: operationOf(id) } as Offer, { input, options: {} });
			return work({ intent });
		},
		retry: () => undefined,
		rerun: () => undefined,
	};
}

interface Execution {
	id: string;
	/** The static data of the node. */
	stored: Record<string, unknown>;
}

/** One n8n execution with several requests. */
export function executionNaming(chance: Random, plant: NamingPlant = {}): (number: number) => Naming {
	const place: Place = chance.pick(['item', 'pass', 'tool call']);
	const first: Execution = { id: `execution ${chance.below(1_000_000)}`, stored: {} };
	let reruns = 0;
	// The name of a tool call is random, but the same seed must give the same run every time.
	const aliases = new Map<string, string>();
	const aliasOf = (intent: string): string => {
		const alias = aliases.get(intent) ?? `name ${aliases.size}`;
		aliases.set(intent, alias);
		return alias;
	};
	return (number) => {
		let execution = first;
		// n8n increments the run index with each try of a tool call, and all calls of a batch start with the same index.
		let run = place === 'pass' ? number : 0;
		let call: Input = { query: `wish ${number}` };
		const item = place === 'item' && !plant.itemsAreOne ? number : 0;
		return {
			isToolCall: place === 'tool call',
			keepsNames: true,
			under: (id, input, work) => {
				const host = hostOf({ execution, run, item, call, isTool: place === 'tool call', plant });
				const parameters = { id, input, options: {} } as unknown as NodeParameters;
				return withIntent(host, item, parameters, ({ intent = '', repeated }, named) =>
					work({ intent: aliasOf(intent), repeated }, plant.forgetsNames ? input : named),
				);
			},
			retry: () => void (run += place === 'tool call' ? 1 : 0),
			rerun: () => {
				reruns += 1;
				const stored = plant.forgetsExecution ? {} : structuredClone(execution.stored);
				execution = { id: `${first.id} again ${reruns}`, stored };
				// The model is asked again, and makes new calls with its own arguments.
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

/** The part of n8n that a node reads to derive its name. */
function hostOf({ execution, run, item, call, isTool, plant }: Seat): Parameters<typeof withIntent>[0] {
	const host = {
		getContext: () => execution.stored,
		getExecutionId: () => execution.id,
		// As in a run of the editor, of which nothing is stored before its end.
		getExecutionDataById: () => Promise.resolve(undefined),
		getMode: () => 'manual',
		getInstanceId: () => 'instance',
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: 'node', type: isTool ? 'partnerExchangeTool' : 'partnerExchange' }),
		evaluateExpression: (text: string) => (text.includes('$runIndex') ? run : undefined),
		getInputData: () => Array.from({ length: item + 1 }, () => ({ json: call })),
		isToolExecution: () => isTool && !plant.toolsAreNodes,
	};
	return host as unknown as Parameters<typeof withIntent>[0];
}
