/** Reading n8n's executions: which have finished, and what their nodes put out. */
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { unflatten } from './flatted';
import type { N8nHost } from './n8n';

/** An execution as n8n lists it. */
export interface ExecutionRow {
	id: string;
	workflowId: string;
	status: string;
	mode: string;
	createdAt: string;
	startedAt: string;
}

export interface Execution extends ExecutionRow {
	data: IRunExecutionData;
	/** The first output of a node's last run. */
	itemsOf: (nodeName: string) => INodeExecutionData[];
	/** What n8n has stored of it, as text. */
	stored: string;
}

const PAGE_SIZE = 100;
const RUNNING = ['new', 'running', 'waiting'];

/** The finished executions of a workflow, newest first: all of them, or the newest page. */
export async function finishedExecutions(
	api: N8nHost['api'],
	workflowId: string,
	pagesMax = Infinity,
): Promise<ExecutionRow[]> {
	const rows: ExecutionRow[] = [];
	let cursor: string | null | undefined;
	for (let pages = 0; pages < pagesMax && cursor !== null; pages += 1) {
		const page = await pageOf(api, workflowId, cursor);
		rows.push(...page.results);
		cursor = page.nextCursor;
	}
	return rows.filter(({ status }) => !RUNNING.includes(status));
}

interface Page {
	results: ExecutionRow[];
	/** Null on the last page. */
	nextCursor: string | null;
}

async function pageOf(api: N8nHost['api'], workflowId: string, cursor?: string): Promise<Page> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const query = `limit=${PAGE_SIZE}&filter=${filter}${cursor ? `&cursor=${cursor}` : ''}`;
	return await api<Page>('GET', `/rest/executions?${query}`);
}

export async function readExecution(api: N8nHost['api'], id: string): Promise<Execution> {
	const row = await api<ExecutionRow & { data: string }>('GET', `/rest/executions/${id}`);
	const data = unflatten(row.data) as IRunExecutionData;
	const itemsOf = (node: string): INodeExecutionData[] =>
		data.resultData.runData[node]?.at(-1)?.data?.['main']?.[0] ?? [];
	return { ...row, data, itemsOf, stored: row.data };
}
