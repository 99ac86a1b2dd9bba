import type { StreamEvent } from '@partner-exchange/core';
import { excerpt } from '@partner-exchange/core/adapters';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** What happens to events when the workflow failed for them as often as it may. */
export const afterwards = ['continue', 'failedEvents', 'stop'] as const;
export type Afterwards = (typeof afterwards)[number];

export interface FailurePolicy {
	/** How often events are handed over while the workflow fails. */
	tries: number;
	/** After the first failed try. */
	pauseSeconds: number;
	afterwards: Afterwards;
}

export const TRIES_MAX = 20;
export const PAUSE_SECONDS = 2;
export const PAUSE_SECONDS_MAX = 300;

/** Doubles after each failure, so that a long outage is retried seldom and a short one soon. */
export const pauseMsAfter = (failures: number, { pauseSeconds }: FailurePolicy): number =>
	1_000 * Math.min(PAUSE_SECONDS_MAX, pauseSeconds * 2 ** Math.min(failures - 1, 30));

/** Why an execution failed, as far as n8n tells its trigger. */
export interface Reason {
	message?: string;
	node?: string;
}

/** An event on the second output of the trigger: itself, and why the workflow could not deal with it. */
export const failedItem = (event: StreamEvent, tries: number, { message, node }: Reason): INodeExecutionData => ({
	json: {
		...(event as unknown as IDataObject),
		failure: { tries, node: node ?? null, message: message === undefined ? null : excerpt(message, undefined) },
	},
});
