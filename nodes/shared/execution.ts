import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import type { Reason } from './failure';

/** What became of an execution, as far as its trigger can tell. */
export type Ending =
	/** The workflow ran to its end, waits for something, or was cancelled by a person. */
	| 'ended'
	/** The workflow ran and failed, or exceeded its time. */
	| 'failed'
	/** Nothing of the workflow is known to have run: its worker was killed, or the queue lost it. */
	| 'broken'
	/** Another emit under the same key took its place before it began. */
	| 'replaced'
	/** n8n knew the key and started nothing. */
	| 'known';

/** How an execution ended, and why where it failed. */
export interface End {
	ending: Ending;
	reason?: Reason;
}

/** Starts an execution; resolves when it has ended, with nothing if n8n knows the key already. */
export async function emit(
	host: Pick<ITriggerFunctions, 'emit' | 'helpers'>,
	outputs: INodeExecutionData[][],
	key: string,
): Promise<IRun | undefined> {
	const done = host.helpers.createDeferredPromise<IRun>();
	host.emit(outputs, undefined, done, key);
	return await done.promise;
}

/** Starts an execution and says how it ended. Rejects if it could not be created, or ends with this process. */
export const runOnce = (host: ITriggerFunctions, outputs: INodeExecutionData[][], key: string): Promise<End> =>
	emit(host, outputs, key).then((run) => ({ ending: endingOf(run), reason: reasonOf(run) }), endOfCancelled);

/** n8n reports a cancelled execution by its reason, whoever cancelled it. */
function endOfCancelled(error: Error & { reason?: unknown }): End | Promise<never> {
	if (error.reason === 'manual') return { ending: 'ended' };
	if (error.reason !== 'timeout') return Promise.reject(error);
	return { ending: 'failed', reason: { message: 'It took longer than the workflow allows' } };
}

function reasonOf(run: IRun | undefined): Reason | undefined {
	const { error, lastNodeExecuted } = run?.data?.resultData ?? {};
	return error && { message: error.message, node: lastNodeExecuted };
}

/** A worker that loads a job finds no execution where another emit took its place; n8n says so in these words. */
const REPLACED = /failed to find (data|workflow) for execution|could not find execution/i;

function endingOf(run: IRun | undefined): Ending {
	if (!run) return 'known';
	// n8n numbers the job of a run only where there are jobs.
	if (run.status === 'success') isQueued ||= run.jobId !== undefined;
	if (['success', 'waiting', 'canceled'].includes(run.status)) return 'ended';
	// In queue mode a run that is said to be over may be unfinished: Redis counts its jobs from 1 again after a loss, and
	// n8n then takes the end of another job for the end of this one.
	if (run.status !== 'error') return 'broken';
	const result = run.data?.resultData;
	if (!result || result.lastNodeExecuted !== undefined || Object.keys(result.runData).length > 0) return 'failed';
	return REPLACED.test(result.error?.message ?? '') ? 'replaced' : 'broken';
}

/** Whether a queue stands between this process and the executions: known once one has ended. */
let isQueued: boolean | undefined;

/** Without a queue an execution ends with this process at the latest, so nobody needs to look for it. */
export const mayBeLost = (): boolean => isQueued !== false;
