import { ExchangeError } from '@partner-exchange/core';
import { inOneSpelling, isEmpty, withStanding } from '@partner-exchange/core/adapters';
import { operationOf, orderNames } from '@partner-exchange/core/catalogue';
import { createHash, randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeParameters } from '../form/parameters';

/** n8n appends this to the type of a node that an agent calls. */
const TOOL_TYPE = /Tool$/;

/** An order write called by an agent, as stored in the context of the node. */
export interface ToolCall {
	/** The name of the call, the same for all tries of it. */
	name: string;
	execution: string;
	/** `placed`: the service has the order, and the wait for it ended otherwise than wanted. */
	outcome: 'open' | 'unknown' | 'placed' | 'done';
	/** The identity by which Resolve Order finds the order. */
	client_order_id?: string;
	order_id?: string;
}

/** n8n passes the same arguments object to all tries of a tool call, and another object to the next call. */
const names = new WeakMap<object, string>();

export const isTool = (host: IExecuteFunctions): boolean => TOOL_TYPE.test(host.getNode().type);

/**
 * The name of a tool call. The run index cannot serve: n8n increments it with each try of a call, and calls of one
 * batch share it. Undefined where n8n runs the tool as a node of its own, whose run index does identify the call.
 */
export function toolCallName(host: IExecuteFunctions, item: number): string | undefined {
	if (!isCalledByAgent(host)) return undefined;
	const call: unknown = host.getInputData()[item]?.json;
	if (typeof call !== 'object' || call === null) throw nameless();
	const name = names.get(call) ?? randomUUID();
	names.set(call, name);
	return `tool-call-${name}`;
}

/** Older versions of n8n lack this method; there, an agent cannot call a node this way. */
const isCalledByAgent = (host: IExecuteFunctions): boolean =>
	(host as Partial<Pick<IExecuteFunctions, 'isToolExecution'>>).isToolExecution?.() === true;

/**
 * n8n looks arguments up by run index. Calls of one batch share it, so a form may be filled in with the arguments of
 * another call; such a call is refused.
 */
export function assertOwnArguments(host: IExecuteFunctions, item: number): void {
	if (!isCalledByAgent(host)) return;
	const row = host.getInputData()[item]?.json ?? {};
	const foreign = Object.keys(row)
		.filter((key) => /^[\w-]{1,64}$/.test(key) && key !== 'query')
		.find(
			(key) => JSON.stringify(host.evaluateExpression(`{{ $fromAI('${key}') }}`, item)) !== JSON.stringify(row[key]),
		);
	if (foreign === undefined) return;
	throw new ExchangeError('invalid_input', {
		field: foreign,
		what: 'n8n filled the form with the arguments of another call of the same batch',
		advice: 'Call the tool again, one call at a time; nothing was sent',
	});
}

/**
 * n8n's current agent hands over what a model says beside the arguments of its tool. A model that said `dry_run` or another
 * side would have an order that it did not mean, so a call is refused that names what the form neither asks for nor has so.
 */
export function assertAllRead(host: IExecuteFunctions, item: number, { id, input, options }: NodeParameters): void {
	if (!isTool(host)) return;
	const operation = operationOf(id);
	const form = JSON.stringify(host.getNode().parameters);
	const values: Readonly<Record<string, unknown>> = { ...input, ...options };
	const isOption = (name: string): boolean => operation.options?.some((option) => option === name) === true;
	const meant = (name: string, value: unknown): string =>
		isOption(name) ? String(value ?? false) : JSON.stringify(inOneSpelling(operation, { [name]: value }));
	const isUnread = ([name, value]: [string, unknown]): boolean =>
		(name in operation.input || isOption(name)) &&
		!isEmpty(value) &&
		meant(name, value) !== meant(name, values[name]) &&
		!new RegExp(`fromAI\\(\\W*${name}\\W`, 'i').test(form);
	const said = Object.entries(host.getInputData()[item]?.json ?? {});
	const unread = [...said, ...said.flatMap(([, each]) => Object.entries(Object(each) as object))].find(isUnread);
	if (unread === undefined) return;
	throw new ExchangeError('invalid_input', {
		operation: operation.label,
		field: unread[0],
		what: `The call says ${unread[0]}, which the workflow decides and not the model`,
		advice: 'Call the tool with its own arguments alone, if the order is wanted so; nothing was sent',
	});
}

/**
 * A digest of operation and values, the same for order writes that mean the same: a model writes `1.0` for `1`, and an
 * expression may name each call by its time.
 */
export function digestOf({ id, input }: NodeParameters): string {
	const terms = inOneSpelling(operationOf(id), input).filter(([name]) => !orderNames.includes(name));
	return createHash('sha256')
		.update(JSON.stringify([id, terms]))
		.digest('base64url')
		.slice(0, 22);
}

/**
 * A language model tends to repeat a call whose outcome is unknown, and a retried execution asks the model again.
 * Neither may place the same order a second time.
 */
export function assertNotRepeated(earlier: ToolCall | undefined, call: ToolCall, { id }: NodeParameters): void {
	if (!earlier || earlier.name === call.name) return;
	const { client_order_id, order_id, outcome, execution } = earlier;
	if (execution === call.execution && ['open', 'done'].includes(outcome)) return;
	const [what, todo, done] = repetitions[outcome];
	const error = new ExchangeError('conflict', {
		operation: operationOf(id).label,
		what,
		advice: `${todo}, or set a Business Key that says what the order is for; nothing was sent`,
		details: { ...(client_order_id && { client_order_id }), ...(order_id && { order_id }) },
	});
	throw withStanding(operationOf(id), error, done);
}

const isUnknown = [
	'The outcome of an earlier call with the same values is unknown',
	'Resolve that one with Resolve Order and its client_order_id',
	'unknown',
] as const;
/** What is said of a second call with the same values, by the outcome of the first. */
const repetitions: Record<
	ToolCall['outcome'],
	readonly [what: string, todo: string, done: NonNullable<ExchangeError['done']>]
> = {
	open: isUnknown,
	unknown: isUnknown,
	placed: ['An earlier call with the same values has placed this order', 'Read that order by its order_id', 'yes'],
	done: ['An earlier try of this execution has already done this', 'Read the orders', 'yes'],
};

const nameless = (): ExchangeError =>
	new ExchangeError('invalid_input', {
		field: 'business_key',
		what: 'n8n gave this tool call no arguments, so its repetitions could not be told from other calls',
		advice: 'Set a Business Key under Options; nothing was sent',
	});
