/** Reads n8n's executions: which have finished, and the output of their nodes. */
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import type { N8nHost } from './n8n';

/** An execution in n8n's list. */
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
	/** The items on the first output of the node's last run. */
	itemsOf: (nodeName: string) => INodeExecutionData[];
	/** The stored data of the execution, as text. */
	stored: string;
}

const PAGE_SIZE = 100;
const FINISHED = ['canceled', 'crashed', 'error', 'success', 'unknown'];

/** The finished executions of a workflow, newest first: all of them, or one page. */
export async function finishedExecutions(
	api: N8nHost['api'],
	workflowId: string,
	pagesMax = Infinity,
): Promise<ExecutionRow[]> {
	const rows: ExecutionRow[] = [];
	let place: string | undefined = '';
	for (let pages = 0; pages < pagesMax && place !== undefined; pages += 1) {
		const page = await pageOf(api, workflowId, place);
		rows.push(...page.results);
		place = placeAfter(page);
	}
	return rows;
}

interface Page {
	results: ExecutionRow[];
	/** Only n8n 2 has it; null on the last page. */
	nextCursor?: string | null;
}

async function pageOf(api: N8nHost['api'], workflowId: string, place: string): Promise<Page> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId, status: FINISHED }));
	return await api<Page>('GET', `/rest/executions?limit=${PAGE_SIZE}&filter=${filter}${place}`);
}

/** The query parameter for the next page, which differs between n8n 1 and 2. */
function placeAfter({ results, nextCursor }: Page): string | undefined {
	if (nextCursor) return `&cursor=${nextCursor}`;
	const mayBeMore = nextCursor === undefined && results.length === PAGE_SIZE;
	return mayBeMore ? `&lastId=${results.at(-1)!.id}` : undefined;
}

export async function readExecution(api: N8nHost['api'], id: string): Promise<Execution> {
	const row = await api<ExecutionRow & { data: string }>('GET', `/rest/executions/${id}`);
	const data = unflatten(row.data) as IRunExecutionData;
	const itemsOf = (node: string): INodeExecutionData[] =>
		data.resultData.runData[node]?.at(-1)?.data?.['main']?.[0] ?? [];
	return { ...row, data, itemsOf, stored: row.data };
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * Decodes n8n's stored execution data, which is "flatted": an array of values in which a string of digits refers to
 * another entry.
 */
function unflatten(text: string): unknown {
	const entries = JSON.parse(text) as Json[];
	const built = new Map<number, unknown>();
	const entry = (index: number): unknown => {
		if (built.has(index)) return built.get(index);
		const value = entries[index]!;
		if (value === null || typeof value !== 'object') return value;
		const target: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
		built.set(index, target);
		// Inside an object or array every string is a reference; actual strings are entries themselves.
		for (const [key, each] of Object.entries(value)) {
			Object.assign(target, { [key]: typeof each === 'string' ? entry(Number(each)) : each });
		}
		return target;
	};
	return entry(0);
}
