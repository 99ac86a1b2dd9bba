/** The events a workflow has processed, read from n8n's own executions. */
import { finishedExecutions, readExecution, type Execution } from '../../../scripts/hosts/executions';
import type { Bench } from './bench';

/** Pages of executions to read while waiting for some; older ones have been read by then. */
const NEWEST_PAGES = 2;

interface Event {
	eventKey: string;
	delivery: string;
	data: { id: string };
}

interface Repeated {
	eventKey: string;
	/** Each execution with the time it began and how its event was delivered. */
	executions: string[];
}

export interface Recorder {
	/** The events of all finished executions, including duplicates. */
	processed(): Promise<Event[]>;
	/** The IDs of the fills among them, sorted. */
	fills(): Promise<string[]>;
	/** Events that more than one execution processed to its end. */
	repeated(): Promise<Repeated[]>;
	crashed(): number;
}

/** Follows a workflow that begins with the node `Fills`. */
export function recorder({ n8n }: Bench, workflowId: string): Recorder {
	const earlier = new Map<string, Execution>();
	const eventsOf = (run: Execution): Event[] => run.itemsOf('Fills').map(({ json }) => json as unknown as Event);
	const ended = (): Execution[] =>
		[...earlier.values()].filter(({ status }) => status === 'success' || status === 'error');
	async function processed(pagesMax = NEWEST_PAGES): Promise<Event[]> {
		const seen = (row: { id: string; mode: string }): boolean => earlier.has(row.id) || row.mode !== 'trigger';
		const newest = await finishedExecutions(n8n.api, workflowId, pagesMax);
		const oldest = newest.at(-1);
		// More executions may have ended since the last read than these pages hold.
		const rows = oldest && !seen(oldest) ? await finishedExecutions(n8n.api, workflowId) : newest;
		for (const row of rows) if (!seen(row)) earlier.set(row.id, await readExecution(n8n.api, row.id));
		return ended().flatMap(eventsOf);
	}
	return {
		processed,
		fills: async () => (await processed()).map(({ data }) => data.id).sort(),
		repeated: async () => {
			await processed(Infinity);
			const executions = new Map<string, string[]>();
			for (const run of ended().sort((a, b) => Number(a.id) - Number(b.id)))
				for (const { eventKey, delivery } of eventsOf(run))
					executions.set(eventKey, [...(executions.get(eventKey) ?? []), `${run.id}: ${run.createdAt}, ${delivery}`]);
			return [...executions].flatMap(([eventKey, each]) => (each.length > 1 ? { eventKey, executions: each } : []));
		},
		crashed: () => [...earlier.values()].filter(({ status }) => status === 'crashed').length,
	};
}
