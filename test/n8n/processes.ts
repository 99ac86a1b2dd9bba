/**
 * n8n from a stream trigger's view, over several processes: the content of its database when n8n is stopped or killed.
 */
import * as n8nWorkflow from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '@partner-exchange/sandbox';
import type * as action from '../../nodes/PartnerExchange/PartnerExchange.node';
import type * as stream from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import type { NodeClass } from '../support/engine-host';
import { startTrigger, type Emission, type RunningTrigger } from '../support/engine-trigger';
import { credentialFor } from './exchange';

/** What survives a kill: the static data as last written, and the executions by their deduplication keys. */
export interface Database {
	staticData: IDataObject;
	executions: Map<string, { events: string[]; status: string }>;
}

/** A process with one active workflow. */
export interface Process {
	node: NodeClass;
	trigger: RunningTrigger;
	database: Database;
	/** Running executions, if they do not end by themselves. */
	held: Emission[];
}

export interface Start {
	/** The state an earlier process left behind. */
	database?: Database;
	/** The node of a process that keeps running; another process loads the package again. */
	node?: NodeClass;
	/** Executions end when the test ends them. */
	holds?: boolean;
	/** An n8n older than the keys starts an execution for each emit. */
	ignoresKeys?: boolean;
	parameters?: IDataObject;
	/** Another workflow in the same process. */
	workflowId?: string;
}

export async function startProcess(sandbox: Sandbox, start: Start = {}): Promise<Process> {
	const { database = emptyDatabase(), node = freshNodes().PartnerExchangeTrigger, parameters = {}, workflowId } = start;
	const pending: Emission[] = [];
	const trigger = await startTrigger(node, {
		...credentialFor(sandbox),
		parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: {}, ...parameters },
		nodeStaticData: database.staticData,
		workflowId,
		onEmit: (emission) => {
			database.staticData = emission.staticData;
			const key = start.ignoresKeys ? String(database.executions.size) : String(emission.deduplicationKey);
			if (database.executions.has(key)) return emission.skip();
			const execution = { events: emission.items.map(({ json }) => String(json['eventKey'])), status: 'running' };
			database.executions.set(key, execution);
			const finish: Emission['finish'] = (run) => {
				execution.status = run?.status ?? 'success';
				emission.finish(run);
			};
			if (start.holds) pending.push({ ...emission, finish });
			else finish();
		},
	});
	return { node, trigger, database, held: pending };
}

const emptyDatabase = (): Database => ({ staticData: {}, executions: new Map() });

interface Nodes {
	PartnerExchange: typeof action.PartnerExchange;
	PartnerExchangeTrigger: typeof stream.PartnerExchangeTrigger;
}

/** No module state outlives a process, so each process loads our modules for itself; n8n's own, which is large, has none of ours. */
export function freshNodes(): Nodes {
	let nodes: Nodes | undefined;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		nodes = {
			...jest.requireActual<typeof action>('../../nodes/PartnerExchange/PartnerExchange.node'),
			...jest.requireActual<typeof stream>('../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node'),
		};
	});
	jest.dontMock('n8n-workflow');
	return nodes!;
}

/** The state the next process finds after a kill at this moment: n8n marks running executions as crashed. */
export function afterKill({ database }: Process): Database {
	const match = structuredClone(database);
	for (const execution of match.executions.values()) if (execution.status === 'running') execution.status = 'crashed';
	return match;
}

/** The events of finished executions. */
export const endedIn = ({ executions }: Database): string[] =>
	[...executions.values()]
		.filter(({ status }) => status !== 'running' && status !== 'crashed')
		.flatMap(({ events }) => events);
