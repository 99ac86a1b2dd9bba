import { isExchangeError } from '@partner-exchange/core';
import type { IPollFunctions, ITriggerFunctions, WorkflowActivateMode } from 'n8n-workflow';
import { isTransient } from '../host/error-kinds';
import { nodeError } from '../host/errors';

type Host = Pick<ITriggerFunctions | IPollFunctions, 'getWorkflow' | 'getNode' | 'getActivationMode'>;

/** When n8n activates triggers by itself. In the other modes a person publishes, who is there to read why it failed. */
const BY_ITSELF: readonly WorkflowActivateMode[] = ['init', 'leadershipChange'];

/** What n8n was told of the present outage of a trigger, by node. Outlives an activation, so that it is told once. */
const reported = new Map<string, string>();
/** Triggers that n8n 1 took down because they reported an error; it activates them again a second later. */
const takenDown = new Set<string>();

const nameOf = (host: Host): string => JSON.stringify([host.getWorkflow().id, host.getNode().id]);

/** Whether n8n activates this trigger, rather than a person. Asked once for each activation. */
export const isActivatedByN8n = (host: Host): boolean =>
	takenDown.delete(nameOf(host)) || BY_ITSELF.includes(host.getActivationMode());

/** Whether n8n has not been told of this outage. A service that is away fails in many ways, which are one outage. */
export function isNews(host: Host, error: unknown): boolean {
	const kind = isTransient(error) ? 'away' : isExchangeError(error) ? error.code : 'unexpected';
	if (reported.get(nameOf(host)) === kind) return false;
	reported.set(nameOf(host), kind);
	return true;
}

/** The outage is over; returns whether n8n was told of one. */
export const recovered = (host: Host): boolean => reported.delete(nameOf(host));

/** Saves a failed execution, for which n8n starts the error workflow. n8n 1 offers a trigger nothing but to fail. */
export function saveFailure(host: ITriggerFunctions, error: unknown): undefined {
	const failure = nodeError(host.getNode(), error);
	const save = (host as Partial<ITriggerFunctions>).saveFailedExecution;
	if (save) return void save.call(host, failure);
	takenDown.add(nameOf(host));
	host.emitError(failure);
}
