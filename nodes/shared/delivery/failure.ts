import { excerpt } from '@partner-exchange/core/adapters';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Reason } from '../host/execution';

/** What happens to events when the workflow has failed for all tries. */
export type Afterwards = 'continue' | 'failedEvents' | 'stop';

export interface FailurePolicy {
	/** How many times events are delivered to a workflow that keeps failing. */
	tries: number;
	/** Pause after the first failed try, in seconds. */
	pauseSeconds: number;
	afterwards: Afterwards;
}

/** A form takes no more tries of one event, because each execution of a broken workflow fails. */
export const TRIES_MAX = 20;
export const PAUSE_SECONDS = 2;
/** The pause between two tries doubles up to this, so that events do not wait for ever. */
export const PAUSE_SECONDS_MAX = 300;

/** Exponential backoff: a short outage is retried soon, a long one seldom. */
export const pauseMsAfter = (failures: number, { pauseSeconds }: FailurePolicy): number =>
	1_000 * Math.min(PAUSE_SECONDS_MAX, pauseSeconds * 2 ** Math.min(failures - 1, 30));

/** An item of the failed-events output: the event, the number of tries, and the reason of the last failure. */
export const failedItem = (
	{ json }: INodeExecutionData,
	tries: number,
	{ message, node }: Reason,
): INodeExecutionData => ({
	json: {
		...json,
		failure: { tries, node: node ?? null, message: message === undefined ? null : excerpt(message, undefined) },
	},
});
