import { until } from '../../scripts/hosts/condition';
import { finishedExecutions, readExecution, type Execution } from '../../scripts/hosts/executions';
import type { N8nHost } from '../../scripts/hosts/n8n';
import type { Workflow } from './host';

const WAIT_MS = 120_000;

/** How often the fills were processed by executions that ended. */
export interface Ends {
	name: string;
	fills: number;
	never: number;
	once: number;
	/** One line for each fill that was processed more than once. */
	repeated: string[];
	crashed: number;
}

type Api = N8nHost['api'];

interface Event {
	eventKey: string;
	data: { id: string };
	delivery: string;
}

/** Reads every execution of a workflow, once each of the owed fills had the time to be processed. */
export async function countEnds(api: Api, workflow: Workflow, owed: string[], killedAt: number[]): Promise<Ends> {
	const executions = new Map<string, Execution & { stoppedAt?: string }>();
	const read = async (): Promise<Map<string, End[]>> => {
		for (const { id } of await finishedExecutions(api, workflow.id))
			if (!executions.has(id)) executions.set(id, await readExecution(api, id));
		return endsOf([...executions.values()]);
	};
	const all = async (): Promise<boolean> => {
		const ends = await read();
		return owed.every((fill) => ends.has(fill));
	};
	await until(all, { timeoutMs: WAIT_MS, everyMs: 2_000, what: 'every fill' }).catch(() => undefined);
	const ends = await read();
	const times = owed.map((fill) => ends.get(fill) ?? []);
	return {
		name: workflow.name,
		fills: owed.length,
		never: times.filter(({ length }) => length === 0).length,
		once: times.filter(({ length }) => length === 1).length,
		repeated: times.filter(({ length }) => length > 1).map((several) => describe(several, killedAt)),
		crashed: [...executions.values()].filter(({ status }) => status === 'crashed').length,
	};
}

/** An execution that ended, and how a fill had reached it. */
interface End {
	run: Execution;
	delivery: string;
}

/** Oldest first, by the fills they processed. */
function endsOf(executions: Execution[]): Map<string, End[]> {
	const ends = new Map<string, End[]>();
	for (const run of executions.sort((a, b) => Number(a.id) - Number(b.id))) {
		if (run.status !== 'success' && run.status !== 'error') continue;
		for (const { json } of run.itemsOf('Fills')) {
			const { data, delivery } = json as unknown as Event;
			ends.set(data.id, [...(ends.get(data.id) ?? []), { run, delivery }]);
		}
	}
	return ends;
}

/** Where the ends of a fill lie beside the kill between them. */
function describe(ends: End[], killedAt: number[]): string {
	const kill = killedAt.findLast((at) => at <= Date.parse(ends[1]!.run.createdAt)) ?? 0;
	return ends
		.map(({ run, delivery }) => {
			const { id, createdAt, startedAt, stoppedAt } = run as Execution & { stoppedAt: string };
			const [created, begun, ended] = [createdAt, startedAt, stoppedAt].map((text) => Date.parse(text) - kill);
			return `${delivery} in ${id}: created ${created}, begun ${begun}, ended ${ended} ms`;
		})
		.join('; ');
}
