/** Runs trigger, polling and list-loading code of a node with the engine's own contexts. */
import { LoadOptionsContext, PollContext, TriggerContext, TriggersAndPollers } from 'n8n-core';
import { deepCopy } from 'n8n-workflow';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodePropertyOptions,
	IRun,
	ITriggerFunctions,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { additionalDataFor, buildWorkflow, type EngineNode, type EngineOptions, type NodeClass } from './engine-host';
import { until } from './condition';
import { recordOf } from '../../nodes/shared/host/static-data';

export interface Emission {
	items: INodeExecutionData[];
	/** The items sent to the output for failed events, if there is one. */
	failedItems: INodeExecutionData[];
	/** The items sent to the last output of the node. */
	notices: INodeExecutionData[];
	deduplicationKey: string | undefined;
	/** What the static data holds for the node, as n8n writes it to its database with this emit. */
	staticData: IDataObject;
	/** Ends the execution the emit started; `run` is the result of the donePromise. */
	finish: (run?: Partial<IRun>) => void;
	/** n8n knows the key: no execution starts, and the donePromise resolves with undefined. */
	skip: () => void;
	/** The execution could not be created: the donePromise rejects. */
	refuse: (error: Error) => void;
}

export interface TriggerOptions extends EngineOptions, Omit<EngineNode, 'type'> {
	mode?: 'trigger' | 'manual';
	/** Why n8n activates the workflow: a person publishes it (`activate`, `update`), or n8n starts (`init`). */
	activation?: WorkflowActivateMode;
	/** What the static data holds for the node, as loaded from the database. */
	nodeStaticData?: IDataObject;
	/** Decides when the execution of an emit ends; by default each succeeds at once, and none starts for a known key. */
	onEmit?: (emission: Emission) => void;
}

export interface RunningTrigger {
	emissions: Emission[];
	/** All items of all emissions, flat. */
	items: () => IDataObject[];
	notices: () => IDataObject[];
	/** What the trigger gave up with: n8n takes it down. */
	errors: Error[];
	/** What the trigger saved as failed executions, for each of which n8n starts the error workflow. */
	failedExecutions: Error[];
	/** Resolves once this many items have arrived. */
	waitForItems: (count: number) => Promise<IDataObject[]>;
	staticData: () => IDataObject;
	close: () => Promise<void>;
}

type DonePromise = Parameters<ITriggerFunctions['emit']>[2];

/** Activates a trigger node as a published workflow does (in mode `manual`, as "Listen for test event" does). */
export async function startTrigger(type: NodeClass, options: TriggerOptions = {}): Promise<RunningTrigger> {
	// Most tests look at checkpoints and ways of delivery, which a simple event leaves out.
	const parameters = { output: 'whole', ...options.parameters };
	const { workflow, node } = place(type, { ...options, parameters });
	const mode = options.mode ?? 'trigger';
	const additionalData = additionalDataFor(workflow, mode, options);
	const emissions: Emission[] = [];
	const errors: Error[] = [];
	const failedExecutions: Error[] = [];
	const activation = mode === 'manual' ? 'manual' : (options.activation ?? 'activate');
	const earlier = new Set<string | undefined>();
	const end = (each: Emission): void => (earlier.has(each.deduplicationKey) ? each.skip() : each.finish());
	const emit = (data: INodeExecutionData[][], _response?: unknown, done?: DonePromise, key?: string): void => {
		const emission = emissionOf(data, nodeStaticData(workflow, node), done, key);
		emissions.push(emission);
		(options.onEmit ?? end)(emission);
		if (key) earlier.add(key);
	};
	const context = new TriggerContext(
		...([workflow, node, additionalData, mode, activation] as const),
		...([emit, (error: Error) => errors.push(error), (error: Error) => failedExecutions.push(error)] as const),
	);
	const response = await new TriggersAndPollers().runTriggerFunction(
		...([workflow, node, () => context, additionalData, mode] as const),
		activation,
	);
	if (mode === 'manual') {
		void response?.manualTriggerResponse?.then(
			(data) => emit(data),
			(error: Error) => errors.push(error),
		);
		await response?.manualTriggerFunction?.();
	}
	const items = (): IDataObject[] => emissions.flatMap((emission) => emission.items.map(({ json }) => json));
	return {
		emissions,
		items,
		notices: () => emissions.flatMap((emission) => emission.notices.map(({ json }) => json)),
		...{ errors, failedExecutions },
		waitForItems: async (count) =>
			await until(() => items().length >= count && items(), { what: `${count} items`, seen: items }),
		staticData: () => nodeStaticData(workflow, node),
		close: async () => await response?.closeFunction?.(),
	};
}

interface Polled {
	items: IDataObject[];
	staticData: IDataObject;
	/** The same where n8n writes it to its database, which it does only for a poll that answered something. */
	stored: IDataObject | undefined;
}

/** A polling node of an active workflow; n8n calls it at its times, whether or not the poll before has ended. */
export function startPolls(type: NodeClass, options: TriggerOptions = {}): () => Promise<Polled> {
	const { workflow, node } = place(type, options);
	const mode = options.mode ?? 'trigger';
	const activation = mode === 'manual' ? 'manual' : (options.activation ?? 'activate');
	const context = new PollContext(workflow, node, additionalDataFor(workflow, mode, options), mode, activation);
	return async () => {
		const matches = await new TriggersAndPollers().runPollFunction(workflow, node, context);
		const items = (matches?.[0] ?? []).map(({ json }) => json);
		const staticData = nodeStaticData(workflow, node);
		return { items, staticData, stored: matches === null ? undefined : staticData };
	};
}

/** One poll of a polling node. */
export const pollOnce = async (type: NodeClass, options: TriggerOptions = {}): Promise<Polled> =>
	await startPolls(type, options)();

/** The options of a drop-down in the node's form. */
export async function loadOptions(
	type: NodeClass,
	method: string,
	options: TriggerOptions = {},
): Promise<INodePropertyOptions[]> {
	const { workflow, node } = place(type, options);
	const context = new LoadOptionsContext(workflow, node, additionalDataFor(workflow, 'manual', options), '');
	const load = workflow.nodeTypes.getByNameAndVersion(node.type).methods?.loadOptions?.[method];
	if (!load) throw new Error(`The node has no loadOptions method "${method}"`);
	return await load.call(context);
}

function place(type: NodeClass, options: TriggerOptions): { workflow: Workflow; node: INode } {
	const workflow = buildWorkflow([{ type, ...options }], undefined, options);
	const node = Object.values(workflow.nodes)[0]!;
	const { nodeStaticData: stored = {} } = options;
	if (Object.keys(stored).length > 0) workflow.getStaticData('global')[recordOf(node)] = deepCopy(stored);
	return { workflow, node };
}

const nodeStaticData = (workflow: Workflow, node: INode): IDataObject =>
	JSON.parse(JSON.stringify(workflow.getStaticData('global')[recordOf(node)] ?? {})) as IDataObject;

function emissionOf(
	data: INodeExecutionData[][],
	staticData: IDataObject,
	done: DonePromise,
	deduplicationKey: string | undefined,
): Emission {
	return {
		items: data[0] ?? [],
		failedItems: data.length > 2 ? data[1]! : [],
		notices: data.length > 1 ? data.at(-1)! : [],
		deduplicationKey,
		staticData,
		skip: () => done?.resolve(undefined as unknown as IRun),
		finish: (run = {}) => done?.resolve({ status: 'success', finished: true, ...run } as IRun),
		refuse: (error) => done?.reject(error),
	};
}
