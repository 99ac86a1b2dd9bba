/** Runs workflows on n8n's real engine in the test process; the requests of the nodes are really sent. */
import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, type Workflow } from 'n8n-workflow';
import type {
	IConnections,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IRun,
	ITaskData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import {
	additionalDataFor,
	buildWorkflow,
	idOf,
	type EngineNode,
	type EngineOptions,
	type NodeClass,
} from './engine-host';

export type { EngineNode, NodeClass } from './engine-host';

export interface RunOptions extends EngineOptions {
	/** The input of the first node; one empty item by default. */
	items?: IDataObject[];
	mode?: WorkflowExecuteMode;
	/** The execution of the workflow that calls this one as a sub-workflow. */
	caller?: string;
	/** Receives a function that stops the execution, as the editor's Stop button does. */
	started?: (stop: () => void) => void;
}

export interface EngineRun {
	status: IRun['status'];
	/** The error that stopped the workflow. */
	error: { message: string; [key: string]: unknown } | undefined;
	/** The first output of the last node that ran. */
	items: INodeExecutionData[];
	/** Every run of a node, in order. */
	runsOf: (nodeName: string) => ITaskData[];
	/** Everything n8n would store, as text: a leaked key is searched for here. */
	stored: () => string;
	staticData: IDataObject;
	/** Runs the failed node again as the Retry button does: same data, another execution ID. */
	retry: (executionId?: string) => Promise<EngineRun>;
}

/** Runs one node with these items. */
export async function runNode(
	type: NodeClass,
	options: RunOptions & Omit<EngineNode, 'type'> = {},
): Promise<EngineRun> {
	return await runWorkflow([{ type, ...options }], options);
}

/** Runs several nodes in a chain unless `connections` says otherwise; the items come from a node named Start. */
export async function runWorkflow(
	nodes: EngineNode[],
	options: RunOptions & { connections?: IConnections } = {},
): Promise<EngineRun> {
	const workflow = buildWorkflow([{ type: StartNode, name: 'Start' }, ...nodes], options.connections, options);
	const items = (options.items ?? [{}]).map((json) => ({ json }));
	const stack = [{ node: workflow.getNode('Start')!, data: { main: [items] }, source: null }];
	const parentExecution =
		options.caller === undefined ? undefined : { executionId: options.caller, workflowId: 'caller' };
	const runData = createRunExecutionData({ executionData: { nodeExecutionStack: stack }, parentExecution });
	const mode = options.mode ?? 'trigger';
	const executions = { [idOf(options)]: { parentExecution }, ...options.executions };
	const execution = new WorkflowExecute(additionalDataFor(workflow, mode, { ...options, executions }), mode, runData);
	const running = execution.processRunExecutionData(workflow);
	options.started?.(() => running.cancel());
	return read(await running, workflow, options);
}

function read(run: IRun, workflow: Workflow, options: EngineOptions): EngineRun {
	const { resultData } = run.data;
	const runsOf = (name: string): ITaskData[] => resultData.runData[name] ?? [];
	return {
		status: run.status,
		error: resultData.error as EngineRun['error'],
		items: runsOf(resultData.lastNodeExecuted ?? '').at(-1)?.data?.['main']?.[0] ?? [],
		runsOf,
		stored: () => JSON.stringify(run),
		staticData: workflow.staticData,
		retry: async (executionId = 'execution-2') => await retry(run, workflow, { ...options, executionId }),
	};
}

async function retry(run: IRun, workflow: Workflow, options: EngineOptions): Promise<EngineRun> {
	const data = structuredClone(run.data);
	const failed = data.resultData.lastNodeExecuted ?? '';
	const [next] = data.executionData?.nodeExecutionStack ?? [];
	delete data.resultData.error;
	data.resultData.runData[next?.node.name ?? failed]?.pop();
	const execution = new WorkflowExecute(additionalDataFor(workflow, 'retry', options), 'retry', data);
	return read(await execution.processRunExecutionData(workflow), workflow, options);
}

class StartNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Start',
		name: 'engineStart',
		group: ['trigger'],
		version: 1,
		description: 'Hands the items of the test to the first node',
		defaults: { name: 'Start' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await Promise.resolve([this.getInputData()]);
	}
}
