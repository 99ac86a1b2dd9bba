import { ExchangeError, isExchangeError, type CallContext, type ErrorCode, type Item } from '@partner-exchange/core';
import { instantOf, intentKey, isNamed, nameTaken, withStanding } from '@partner-exchange/core/adapters';
import {
	isOrderWrite,
	isSentOnce,
	makesAnOrder,
	operationOf,
	orderNames,
	type Operation,
} from '@partner-exchange/core/catalogue';
import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { operationIn, type NodeParameters } from '../form/parameters';
import {
	assertAllRead,
	assertNotRepeated,
	assertOwnArguments,
	digestOf,
	isTool,
	toolCallName,
	type ToolCall,
} from './tool-call';

export type Intent = Pick<CallContext, 'intent' | 'repeated'>;

type Input = NodeParameters['input'];

/** Does the work of an item under its intent, with the input that carries the names of the first try. */
type Work<T> = (intent: Intent, input: Input) => Promise<T>;

/** What a node stores in the context of its execution. A manual retry is a new execution that gets a copy of it. */
interface StoredIntents {
	/** The id of the first execution, before any manual retry. */
	origin?: string;
	/** Where it began, which names the orders that nobody named. */
	root?: Root;
	/** By run index and item, or by tool call: the names under which that may have been sent. */
	tried?: Record<string, Input>;
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
	work: Work<T>,
): Promise<T> {
	const { id, input, options } = parameters;
	const operation = operationOf(id);
	if (!isOrderWrite(operation) && !isSentOnce(operation)) return await work({}, input);
	assertOwnArguments(host, item);
	assertAllRead(host, item, parameters);
	// A business key alone identifies the intent, whichever execution sends it.
	if (options.business_key !== undefined) return await work({}, input);
	if ((host.getExecutionId() as string | undefined) === undefined) return await withoutExecution(parameters, work);
	if (makesAnOrder(operation)) assertNotWiredBack(host, item, operation);
	const step = stepOf(host, item);
	const named = (): Promise<T> => underRun(host, step, parameters, work);
	const isToolWrite = isTool(host) && isOrderWrite(operation) && String(options.dry_run) !== 'true';
	return isToolWrite ? await asToolCall(host, step, parameters, named) : await named();
}

/** The agents of n8n itself run a node outside of any execution: nothing tells a second try of an order from another one. */
async function withoutExecution<T>(parameters: NodeParameters, work: Work<T>): Promise<T> {
	if (!isUnnamedOrder(parameters) || String(parameters.options.dry_run) === 'true')
		return await work({}, parameters.input);
	throw new ExchangeError('not_available', {
		operation: operationOf(parameters.id).label,
		field: 'business_key',
		what: 'n8n runs this in no execution, so a second try would be another order',
		advice: 'Set a Business Key that says what the order is for; nothing was sent',
	});
}

const stepOf = (host: IExecuteFunctions, item: number): string =>
	toolCallName(host, item) ?? `${String(host.evaluateExpression('{{ $runIndex }}', item))}:${item}`;

/** The error of an item. Where it fails before the client is asked, an earlier try may still have placed the order. */
export function failureOf(host: IExecuteFunctions, item: number, error: unknown): unknown {
	if (!isExchangeError(error) || error.done !== undefined) return error;
	try {
		const operation = operationOf(operationIn(host, item));
		if (!isOrderWrite(operation)) return error;
		const { tried = {} } = host.getContext('node') as StoredIntents;
		return withStanding(operation, error, stepOf(host, item) in tried ? 'unknown' : 'no');
	} catch {
		// What is wrong with the chosen operation, or with the call of a tool, is said by the error itself.
		return error;
	}
}

const isUnnamedOrder = ({ id, input, options }: NodeParameters): boolean =>
	makesAnOrder(operationOf(id)) && !isNamed(input, options);

/**
 * An error output that is wired back to the node brings the error of an order that may exist. Another pass of a loop is
 * another order, so it is refused.
 */
function assertNotWiredBack(host: IExecuteFunctions, item: number, { label }: Operation): void {
	const { details = {} } = (host.getInputData()[item]?.json ?? {}) as { details?: Record<string, unknown> };
	const { code, client_order_id, order_id } = details;
	if (typeof client_order_id !== 'string' || !STANDS.some((each) => each === code)) return;
	throw new ExchangeError('conflict', {
		operation: label,
		what: 'This item is the error of an order that may stand, so placing it here would be another order',
		advice: 'Find out with Resolve Order what became of that one, or set a Business Key; nothing was sent',
		details: { client_order_id, ...(typeof order_id === 'string' ? { order_id } : {}) },
	});
}

/** The execution in which all began. */
interface Root {
	/** The same however often that, or a sub-workflow between, is tried again. */
	name: string;
	/** Whether that calls this one as a sub-workflow. */
	isAbove: boolean;
}

/** How many sub-workflows within each other are followed. */
const NESTED_MAX = 100;

/**
 * n8n stores a token with each execution before it runs. A retry by a person has another number and the same token, also
 * where n8n crashed before it stored anything else. A run of the editor, and one of an older n8n, has its number alone.
 */
async function rootOf(host: IExecuteFunctions): Promise<Root> {
	let execution = host.getExecutionId();
	let data = await host.getExecutionDataById(execution);
	let nested = 0;
	for (; nested < NESTED_MAX && data?.parentExecution; nested += 1) {
		execution = data.parentExecution.executionId;
		data = await host.getExecutionDataById(execution);
	}
	const token = data?.resumeToken;
	// The token opens a waiting execution, and executions are shown.
	const name = token === undefined ? execution : createHash('sha256').update(token).digest('base64url');
	return { name, isAbove: nested > 0 };
}

/** Errors after which nothing is to be placed again. */
const STANDS: readonly ErrorCode[] = ['outcome_unknown', 'time_limit'];

/** How long an execution may have run before n8n tries it again by itself, as a worker does for one that ended. */
const TRIED_AGAIN_WITHIN_MS = 600_000;

/**
 * An n8n that was restored from a backup counts its executions from an earlier number, so the service may have an order
 * of long ago under the name of this one. The time of the execution is no part of the name: n8n 1.123 to 2.10, and every
 * n8n where a worker runs what was started by hand, gives an execution that it tries again another time, and that would be
 * another order.
 */
function assertOwnOrder(host: IExecuteFunctions, operation: Operation, answer: unknown, isCalled: boolean): void {
	const order = (answer ?? {}) as Item;
	if (order.repeated === true && isCalled) {
		const taken = nameTaken(operation, order, {
			what: 'The execution that calls this sub-workflow has placed an equal order, which counts as this one',
			advice: 'If another one is meant, set a Business Key; nothing was sent',
		});
		throw withStanding(operation, taken, 'yes');
	}
	const placedAt = order.original_created_at;
	const { establishedAt = Date.now() } = (host as Partial<IExecuteFunctions>).getExecutionContext?.() ?? {};
	// A time that cannot be read proves nothing.
	if (!((instantOf(placedAt) ?? NaN) < establishedAt - TRIED_AGAIN_WITHIN_MS)) return;
	throw nameTaken(operation, order, {
		what: `The service has the order ${String(order.order_id)} of ${String(placedAt)} under the name of this one: n8n counts executions again where a backup was restored`,
		advice: 'If you want another order, set a Business Key and run this again',
	});
}

/** The process may have restarted before a manual retry, so `repeated` tells the core to look the order up first. */
async function underRun<T>(
	host: IExecuteFunctions,
	step: string,
	parameters: NodeParameters,
	work: Work<T>,
): Promise<T> {
	const { id, input } = parameters;
	const stored = host.getContext('node') as StoredIntents;
	const execution = host.getExecutionId();
	const origin = (stored.origin ??= execution);
	const tried = (stored.tried ??= {});
	const before = tried[step];
	const isUnnamed = isUnnamedOrder(parameters);
	const root = isUnnamed ? (stored.root ??= await rootOf(host)) : { name: origin, isAbove: false };
	// n8n does not tell which node, item or round calls a sub-workflow, and each of its tries is another execution.
	const name = nameOf(host, root.name, root.isAbove ? `${step}:${digestOf(parameters)}` : step);
	// Another execution may have placed the order long ago: with a key of its own it is looked for before it is sent.
	const mayBePlaced = isUnnamed && (root.isAbove || host.getMode() === 'retry');
	const key = mayBePlaced ? { idempotency_key: intentKey('create', name) } : {};
	// n8n stores a cancelled execution without waiting for the node, so the entry is made before the request.
	const names = (tried[step] ??= { ...namesIn(input, true), ...key });
	const intent = { intent: name, repeated: origin !== execution && before !== undefined };
	// An expression may name each try by its time, but an order that may exist is found only by the name that was sent.
	const done = work(intent, { ...namesIn(input, false), ...names }).then((answer) => {
		const operation = operationOf(id);
		if (before === undefined && makesAnOrder(operation)) assertOwnOrder(host, operation, answer, root.isAbove);
		return answer;
	});
	const maybeSent = await done.then(
		() => true,
		(error: unknown) => before !== undefined || !isCertain(error),
	);
	if (!maybeSent) delete tried[step];
	return await done;
}

/** The fields that name an order, or the others. */
const namesIn = (input: Input, isName: boolean): Input =>
	Object.fromEntries(Object.entries(input).filter(([name]) => orderNames.includes(name) === isName));

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

/** The node counts by its name, as in the context n8n keeps: a workflow that a program wrote may give two nodes one ID. */
const nameOf = (host: IExecuteFunctions, execution: string, step: string): string =>
	['n8n', host.getInstanceId(), host.getWorkflow().id, host.getNode().name, execution, step].join(':');

/** How the wait for an order ends that was placed. */
const AFTERWARDS: readonly ErrorCode[] = ['time_limit', 'unfilled', 'rejected'];

const isPlaced = (error: unknown): boolean => AFTERWARDS.some((code) => isExchangeError(error, code));

/** Whether the service can have nothing of the intent, so that no lookup is needed later. */
const isCertain = (error: unknown): boolean =>
	isExchangeError(error) && error.code !== 'outcome_unknown' && !isPlaced(error);

function identityIn(error: unknown): Pick<ToolCall, 'client_order_id' | 'order_id'> {
	const { client_order_id, order_id } = isExchangeError(error) ? error.details : {};
	return {
		...(typeof client_order_id === 'string' ? { client_order_id } : {}),
		...(typeof order_id === 'string' ? { order_id } : {}),
	};
}
