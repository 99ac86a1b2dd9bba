import { isExchangeError, type CallContext, type ErrorCode } from '@partner-exchange/core';
import { isOrderWrite, isSentOnce, operationOf } from '@partner-exchange/core/catalogue';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeParameters } from '../form/parameters';
import { assertNotRepeated, assertOwnArguments, digestOf, isTool, toolCallName, type ToolCall } from './tool-call';

export type Intent = Pick<CallContext, 'intent' | 'repeated'>;

/** What a node stores in the context of its execution. A manual retry is a new execution that gets a copy of it. */
interface StoredIntents {
	/** The id of the first execution, before any manual retry. */
	origin?: string;
	/** By run index and item: when an item that may have been sent was last processed, in milliseconds since 1970. */
	tried?: Record<string, number>;
	/** Order writes called by an agent, by the digest of their values. */
	toolCalls?: Record<string, ToolCall>;
}

/**
 * Processes one item under a stable intent name. Retry On Fail and a manual retry run the node under the same name, so
 * an order is not placed twice; another pass of a loop, another item or another execution has another name.
 */
export async function withIntent<T>(
	host: IExecuteFunctions,
	item: number,
	parameters: NodeParameters,
	work: (intent: Intent) => Promise<T>,
): Promise<T> {
	const operation = operationOf(parameters.id);
	if (!isOrderWrite(operation) && !isSentOnce(operation)) return await work({});
	assertOwnArguments(host, item);
	// A business key alone identifies the intent, whichever execution sends it.
	if (parameters.options.business_key !== undefined) return await work({});
	const stored = host.getContext('node') as StoredIntents;
	const name = toolCallName(host, item);
	const place = name ?? `${String(host.evaluateExpression('{{ $runIndex }}', item))}:${item}`;
	const named = async (): Promise<T> =>
		name === undefined
			? await underRun(host, place, stored, work)
			: await work({ intent: nameOf(host, host.getExecutionId(), name) });
	const isToolWrite = isTool(host) && isOrderWrite(operation) && String(parameters.options.dry_run) !== 'true';
	return isToolWrite ? await asToolCall(host, place, parameters, named) : await named();
}

/** The process may have restarted before a manual retry, so `repeated` tells the core to look the order up first. */
async function underRun<T>(
	host: IExecuteFunctions,
	place: string,
	stored: StoredIntents,
	work: (intent: Intent) => Promise<T>,
): Promise<T> {
	const execution = host.getExecutionId();
	const origin = (stored.origin ??= execution);
	const tried = (stored.tried ??= {});
	const before = tried[place];
	// n8n stores a cancelled execution without waiting for the node, so the entry is made before the request.
	tried[place] = Date.now();
	const done = work({ intent: nameOf(host, origin, place), repeated: origin !== execution && before !== undefined });
	const maybeSent = await done.then(
		() => true,
		(error: unknown) => before !== undefined || !isCertain(error),
	);
	if (maybeSent) tried[place] = Date.now();
	else delete tried[place];
	return await done;
}

/** Stores the outcome of an agent's order write, and refuses a second write with the same values. */
async function asToolCall<T>(
	host: IExecuteFunctions,
	name: string,
	parameters: NodeParameters,
	work: () => Promise<T>,
): Promise<T> {
	const stored = host.getContext('node') as StoredIntents;
	const calls = (stored.toolCalls ??= {});
	const digest = digestOf(parameters);
	const call: ToolCall = { name, execution: host.getExecutionId(), outcome: 'open' };
	assertNotRepeated(calls[digest], call, parameters);
	calls[digest] = call;
	const done = work();
	await done.then(
		() => (call.outcome = 'done'),
		(error: unknown) => {
			if (!isCertain(error))
				calls[digest] = { ...call, outcome: isPlaced(error) ? 'placed' : 'unknown', ...identityIn(error) };
			else if (calls[digest] === call) delete calls[digest];
		},
	);
	return await done;
}

const nameOf = (host: IExecuteFunctions, execution: string, place: string): string =>
	['n8n', host.getInstanceId(), host.getWorkflow().id, host.getNode().id, execution, place].join(':');

/** How the wait for an order ends that was placed. */
const AFTERWARDS: readonly ErrorCode[] = ['time_limit', 'unfilled', 'rejected'];

const isPlaced = (error: unknown): boolean => AFTERWARDS.some((code) => isExchangeError(error, code));

/** Whether nothing can stand at the service, so that no lookup is needed later. */
const isCertain = (error: unknown): boolean =>
	isExchangeError(error) && error.code !== 'outcome_unknown' && !isPlaced(error);

function identityIn(error: unknown): Pick<ToolCall, 'client_order_id' | 'order_id'> {
	const { client_order_id, order_id } = isExchangeError(error) ? error.details : {};
	return {
		...(typeof client_order_id === 'string' ? { client_order_id } : {}),
		...(typeof order_id === 'string' ? { order_id } : {}),
	};
}
