import { isExchangeError, type CallContext } from '@partner-exchange/core';
import { isOrderWrite, isSentOnce, operationOf } from '@partner-exchange/core/catalogue';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeParameters } from './parameters';
import { assertNotRepeated, assertOwnArguments, digestOf, isTool, toolCallName, type ToolCall } from './tool-call';

export type Intent = Pick<CallContext, 'intent' | 'repeated'>;

/** What a node stores in its execution. A manual retry is a new execution that is handed what the first one stored. */
interface StoredIntents {
	/** The execution that began it. */
	origin?: string;
	/** When each item that may have been sent was last worked on, by run and item: milliseconds since 1970. */
	tried?: Record<string, number>;
	/** Order writes that an agent asked for, by their values. */
	toolCalls?: Record<string, ToolCall>;
}

/**
 * Works on one item under the stable name of its intent. Retry On Fail and a manual retry run the node again under the
 * same name, so an order is not placed twice; another pass of a loop, another item or another execution has another name.
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
	// A business key names the intent alone, wherever it comes from.
	if (parameters.options.business_key !== undefined) return await work({});
	const stored = host.getContext('node') as StoredIntents;
	const name = toolCallName(host, item);
	const place = name ?? `${String(host.evaluateExpression('{{ $runIndex }}', item))}:${item}`;
	const named = async (): Promise<T> =>
		name === undefined
			? await underRun(host, place, stored, work)
			: await work({ intent: nameOf(host, host.getExecutionId(), name) });
	const isPlaced = isTool(host) && isOrderWrite(operation) && String(parameters.options.dry_run) !== 'true';
	return isPlaced ? await asToolCall(host, place, parameters, named) : await named();
}

/** A manual retry may come when this process no longer knows of the first try, so the core is told of it. */
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
	// A cancelled execution is stored without waiting for the node, so the mark is there from the beginning.
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

/** Stores what became of an agent's order write, and refuses the same values where they would be placed again. */
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
			if (!isCertain(error)) calls[digest] = { ...call, outcome: 'unknown', ...identityIn(error) };
			else if (calls[digest] === call) delete calls[digest];
		},
	);
	return await done;
}

const nameOf = (host: IExecuteFunctions, execution: string, place: string): string =>
	['n8n', host.getInstanceId(), host.getWorkflow().id, host.getNode().id, execution, place].join(':');

/** What certainly was not sent needs no lookup later. */
const isCertain = (error: unknown): boolean => isExchangeError(error) && error.code !== 'outcome_unknown';

function identityIn(error: unknown): Pick<ToolCall, 'client_order_id'> {
	const id = isExchangeError(error) ? error.details.client_order_id : undefined;
	return typeof id === 'string' ? { client_order_id: id } : {};
}
