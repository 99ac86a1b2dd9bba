/**
 * An agent of n8n without its language model: the calls come from the test and reach the tool through n8n-core's own
 * code.
 */
import { nodeNameToToolName } from 'n8n-workflow';
import type {
	IConnections,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { runWorkflow, type EngineRun, type NodeClass, type RunOptions } from './engine';
import type { EngineNode } from './engine-host';

interface Tool {
	description: string;
	invoke(args: IDataObject): Promise<string>;
}

/** One tool call. A batch holds the calls an agent makes at the same time, for different items. */
export type Batch = IDataObject[];

export interface AgentRun extends EngineRun {
	/** The result returned to the model for each call: the output as JSON, or the error's message. */
	told: string[];
	/** What the model reads about the tool before the last batch. */
	described: string;
}

/** The node type n8n derives from a node that is usable as a tool. */
const asTool = (type: NodeClass): NodeClass =>
	class extends type {
		constructor() {
			super();
			const { usableAsTool: _, ...description } = this.description;
			this.description = {
				...description,
				name: `${description.name}Tool`,
				inputs: [],
				outputs: ['ai_tool'],
			};
		}
	};

/** Runs the batches one after the other; for each batch the tools are requested from n8n once per call. */
export async function runAsTool(
	type: NodeClass,
	batches: Batch[],
	options: RunOptions & { parameters: INodeParameters; settings?: EngineNode['settings']; fails?: boolean },
): Promise<AgentRun> {
	const reports: string[] = [];
	let described = '';
	class Agent implements INodeType {
		description = {
			...{ displayName: 'Agent', name: 'agent', group: ['transform'], version: 1, description: 'Calls tools' },
			...{ defaults: { name: 'Agent' }, outputs: ['main'], properties: [] },
			inputs: ['main', { type: 'ai_tool', displayName: 'Tools' }],
		} as unknown as INodeTypeDescription;

		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			for (const batch of batches) {
				const tools = await Promise.all(
					batch.map(async (_, item) => ((await this.getInputConnectionData('ai_tool', item)) as Tool[])[0]!),
				);
				described = tools[0]!.description;
				const answers = await Promise.all(
					tools.map(async (tool, index) => await tool.invoke(batch[index]!).catch((error: Error) => error.message)),
				);
				reports.push(...answers);
			}
			// An execution can be retried manually if it failed.
			if (options.fails && reports.length === batches.flat().length) throw new Error('The agent failed at last');
			return [[{ json: {} }]];
		}
	}
	const tool = { type: asTool(type), name: nodeNameToToolName({ name: 'Exchange' } as never), ...options };
	const connections: IConnections = {
		Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
		[tool.name]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
	};
	const run = await runWorkflow([{ type: Agent }, tool], { ...options, connections });
	return Object.assign(run, { told: reports, described });
}
