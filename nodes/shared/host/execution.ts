import type { INodeExecutionData, IRun, ITriggerFunctions, WorkflowExecuteMode } from 'n8n-workflow';

/** How an execution ended, as far as its trigger can tell. */
type Ending =
	/** The workflow ran to its end, is waiting at a Wait node, or was cancelled by a user. */
	| 'ended'
	/** The workflow ran and failed, or exceeded its timeout. */
	| 'failed'
	/** No node of the workflow is known to have run: the worker was killed, or the queue lost the job. */
	| 'broken'
	/** Another emit with the same key replaced it before it started. */
	| 'replaced'
	/** n8n knew the key already and started nothing. */
	| 'known';

/** Why an execution failed, as far as n8n reports it to the trigger. */
export interface Reason {
	message?: string;
	node?: string;
}

/** How an execution ended, and the reason if it failed. */
export interface End {
	ending: Ending;
	reason?: Reason;
}

/** Starts an execution and resolves when it has ended, or with undefined if n8n knows the key already. */
export async function emit(
	host: Pick<ITriggerFunctions, 'emit' | 'helpers'>,
	outputs: INodeExecutionData[][],
	key: string,
): Promise<IRun | undefined> {
	const done = host.helpers.createDeferredPromise<IRun>();
	host.emit(outputs, undefined, done, key);
	return await done.promise;
}

/** Starts an execution and resolves with its ending. Rejects if n8n could not create it, or is shutting down. */
export const runOnce = (host: ITriggerFunctions, outputs: INodeExecutionData[][], key: string): Promise<End> =>
	emit(host, outputs, key).then((run) => {
		learnMode(run);
		return { ending: endingOf(run), reason: reasonOf(run) };
	}, endOfCancelled);

/** n8n rejects the promise of a cancelled execution; the error carries the reason for cancelling. */
function endOfCancelled(error: Error & { reason?: unknown }): End | Promise<never> {
	if (error.reason === 'manual') return { ending: 'ended' };
	if (error.reason !== 'timeout') return Promise.reject(error);
	return { ending: 'failed', reason: { message: 'It took longer than the workflow allows' } };
}

function reasonOf(run: IRun | undefined): Reason | undefined {
	const { error, lastNodeExecuted } = run?.data?.resultData ?? {};
	return error && { message: error.message, node: lastNodeExecuted };
}

/** The messages of a worker that finds no execution for its job, because another emit replaced the execution. */
const REPLACED = /failed to find (data|workflow) for execution|could not find execution/i;

function endingOf(run: IRun | undefined): Ending {
	if (!run) return 'known';
	if (['success', 'waiting', 'canceled'].includes(run.status)) return 'ended';
	// In queue mode n8n may report a run as over that is unfinished: after a loss of data, Redis numbers its jobs from 1
	// again, and n8n takes the end of another job for the end of this one.
	if (run.status !== 'error') return 'broken';
	const result = run.data?.resultData;
	if (!result || result.lastNodeExecuted !== undefined || Object.keys(result.runData).length > 0) return 'failed';
	return REPLACED.test(result.error?.message ?? '') ? 'replaced' : 'broken';
}

/** How n8n runs executions, by the words of its setting EXECUTIONS_MODE. */
export type ExecutionsMode = 'regular' | 'queue';

let mode: ExecutionsMode | undefined;

/**
 * Known once an execution has ended, or once a node of this package has run here in one. In regular mode executions run in
 * this process and cannot be lost while it lives, so no timeout is needed.
 */
export const executionsMode = (): ExecutionsMode | undefined => mode;

/** n8n sets `jobId` in queue mode only, and may leave it out there. */
function learnMode(run: IRun | undefined): void {
	if (run?.status === 'success' && mode !== 'queue') mode = run.jobId === undefined ? 'regular' : 'queue';
}

/**
 * Notes that a node of this package runs in this process. With a queue, what a trigger starts runs in workers, which
 * have no triggers.
 */
export function recordRun(startedBy: WorkflowExecuteMode): void {
	if (startedBy === 'trigger') mode ??= 'regular';
}
