/** Prints n8n's executions to the terminal: one line per item with a field `story`, and one per failed execution. */
import { finishedExecutions, readExecution, type Execution } from './executions';
import type { N8nHost } from './n8n';
import { tell } from './story';

const LOOK_EVERY_MS = 1000;

// The first executions may begin between publication and the first poll.
const GRACE_MS = 5000;

/** Starts polling; returns a function that stops it. */
export function retellExecutions(api: N8nHost['api'], workflowIds: string[]): () => void {
	let stopped = false;
	const since = Date.now();
	let reported = new Set<string>();
	const look = async (): Promise<void> => {
		const pages = await Promise.all(workflowIds.map(async (id) => await finishedExecutions(api, id, 1)));
		const rows = pages.flat().filter(({ startedAt }) => Date.parse(startedAt) >= since - GRACE_MS);
		const fresh = rows.filter(({ id }) => !reported.has(id)).sort((a, b) => Number(a.id) - Number(b.id));
		reported = new Set(rows.map(({ id }) => id));
		for (const { id } of fresh) if (!stopped) linesOf(await readExecution(api, id)).forEach(tell);
	};
	const keepLooking = async (): Promise<void> => {
		while (!stopped) {
			await look().catch((error: Error) => stopped || tell(`n8n: ${error.message}`));
			await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
		}
	};
	void keepLooking();
	return () => void (stopped = true);
}

function linesOf({ data, itemsOf, id }: Execution): string[] {
	const { runData, error } = data.resultData;
	const stories = Object.keys(runData).flatMap((node) => itemsOf(node).map(({ json }) => json['story']));
	const lines = [...new Set(stories)].filter((story) => typeof story === 'string');
	return error ? [...lines, `problem        execution ${id}: ${error.message}`] : lines;
}
