/** n8n as a stream trigger sees it from one process to the next: what its database holds when it is stopped or killed. */
import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '@partner-exchange/sandbox';
import type { NodeClass } from '../support/engine-host';
import { startTrigger, type Emission, type RunningTrigger } from '../support/engine-trigger';
import { credentialFor } from './exchange';

/** What survives a kill: the static data as it was last written, and the executions by their deduplication keys. */
export interface Database {
	staticData: IDataObject;
	executions: Map<string, { events: string[]; status: string }>;
}

/** A process with one active workflow. */
export interface Process {
	node: NodeClass;
	trigger: RunningTrigger;
	database: Database;
	/** Executions under way, if they do not end by themselves. */
	held: Emission[];
}

export interface Start {
	/** What an earlier process left. */
	database?: Database;
	/** The node of a process that goes on; another process loads the package anew. */
	node?: NodeClass;
	/** Executions end when the test says so. */
	holds?: boolean;
	/** An n8n from before the keys starts an execution for each emit. */
	ignoresKeys?: boolean;
	parameters?: IDataObject;
	/** Another workflow beside the first in a process. */
	workflowId?: string;
}

export async function startProcess(sandbox: Sandbox, start: Start = {}): Promise<Process> {
	const { database = emptyDatabase(), node = freshNode(), parameters = {}, workflowId } = start;
	const held: Emission[] = [];
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
			if (start.holds) held.push({ ...emission, finish });
			else finish();
		},
	});
	return { node, trigger, database, held };
}

const emptyDatabase = (): Database => ({ staticData: {}, executions: new Map() });

/** Nothing in memory outlives a process, so each has modules of its own. */
function freshNode(): NodeClass {
	let node: NodeClass | undefined;
	jest.isolateModules(() => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		const loaded = require('../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node') as Loaded;
		node = loaded.PartnerExchangeTrigger;
	});
	return node!;
}
interface Loaded {
	PartnerExchangeTrigger: NodeClass;
}

/** What the next process finds after a kill at this moment: n8n marks what was under way as crashed. */
export function afterKill({ database }: Process): Database {
	const found = structuredClone(database);
	for (const execution of found.executions.values()) if (execution.status === 'running') execution.status = 'crashed';
	return found;
}

/** The events of executions that ended. */
export const endedIn = ({ executions }: Database): string[] =>
	[...executions.values()]
		.filter(({ status }) => status !== 'running' && status !== 'crashed')
		.flatMap(({ events }) => events);
