import { isExchangeError, type ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { excerpt } from '@partner-exchange/core/adapters';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { NodeApiError, NodeOperationError, type INode, type INodeExecutionData, type JsonObject } from 'n8n-workflow';
import { CREDENTIAL } from './credential';

/** The only place that converts an error of the core to one of n8n. Only the fields named here are copied. */
export function nodeError(node: INode, error: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!isExchangeError(error)) return unexpected(node, error, itemIndex);
	const message = messageOf(node, error);
	const words = { message: withoutTags(message), description: withoutTags(describe(error)), itemIndex };
	const made =
		whereItLies(error.code) === 'node'
			? new NodeOperationError(node, message, words)
			: new NodeApiError(node, error.toJSON() as JsonObject, { ...words, httpCode: httpCode(error) });
	made.context.data = error.toJSON();
	return made;
}

/** n8n shows both as a page, in which a service could put links and pictures. */
const withoutTags = (text: string): string => text.replaceAll('<', '‹');

/** Names the credential where the error lies in it: a workflow may use several, and a list to pick from shows none. */
function messageOf({ credentials }: INode, { code, summary, what }: ExchangeError): string {
	const name = credentials?.[CREDENTIAL]?.name;
	if (!name) return summary;
	if (code === 'invalid_account') return `In the credential ${name}, ${what}`;
	return whereItLies(code) === 'credential' ? `${summary} (credential ${name})` : summary;
}

/** The output item for a failed input item, when the workflow continues on errors. */
export function itemAtFault(node: INode, error: NodeApiError | NodeOperationError, item: number): INodeExecutionData {
	const made: INodeExecutionData = { json: errorItem(error), pairedItem: { item } };
	// n8n 1 routes an item to the error output only if it has `error`; n8n 2 also recognises the text. Both replace the
	// item by a bare message if `error` is still there afterwards, so it is not enumerable and the copies n8n makes lack
	// it.
	if (node.onError === 'continueErrorOutput') Object.defineProperty(made, 'error', { value: error, enumerable: false });
	return made;
}

/** The JSON of an error item: one sentence, and the details a workflow may branch on. */
function errorItem(error: NodeApiError | NodeOperationError): { error: string; details: JsonObject } {
	const facts = { ...((error.context.data ?? { code: 'unexpected' }) as JsonObject) };
	delete facts['message'];
	return { error: error.message, details: { ...facts, description: error.description ?? '' } };
}

/** A log, a language model, and a person who publishes get only the message, so the advice is appended to it. */
export function inOneText(error: NodeApiError | NodeOperationError): NodeApiError | NodeOperationError {
	if (error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}

/** n8n's requests follow HTTPS_PROXY by themselves, and Node's WebSocket, over which the stream runs, only with the other. */
export const BEHIND_A_PROXY = 'Behind a proxy, start n8n with HTTPS_PROXY and with NODE_USE_ENV_PROXY=1';

/** What to do comes first. The details that the sentences do not say follow, as the forms call them. */
function describe(error: ExchangeError): string {
	const advice = error.code === 'unreachable' ? `${error.advice}. ${BEHIND_A_PROXY}` : error.advice;
	const said = `${error.summary} ${advice}`;
	const details = Object.entries(error.details)
		.filter(([name, value]) => name !== FOR_FLOWS && value !== null && !said.includes(String(value)))
		.map(([name, value]) => `${labels.get(name) ?? name.replaceAll('_', ' ')}: ${String(value)}`);
	return [`${advice}.`, `Code: ${error.code}`, ...details].join(' · ').replace('. · ', '. ');
}

/** A word that flows branch on; the sentences say it to people. */
const FOR_FLOWS = 'rule';

const labels: ReadonlyMap<string, string> = new Map(
	operationIds.flatMap((id) => Object.entries(operationOf(id).input).map(([name, { label }]) => [name, label])),
);

/** Shown by n8n as the error code. Without an HTTP status, the code of the core is shown. */
const httpCode = (error: ExchangeError): string => (error.status === undefined ? error.code : String(error.status));

/** A defect of this package. Its message is text of our own, so an excerpt of it may be shown. */
function unexpected(node: INode, error: unknown, itemIndex?: number): NodeOperationError {
	const said = error instanceof Error ? error.message : String(error);
	return new NodeOperationError(node, excerpt(said, undefined), { itemIndex });
}

interface ErrorKind {
	/** Where it has to be mended: in the node, in its credential, or in neither of them. */
	lies: 'node' | 'credential' | 'elsewhere';
	/** Whether it passes without anybody correcting anything, as when the service is away. A trigger waits for that. */
	passes: boolean;
}

const ofNode: ErrorKind = { lies: 'node', passes: false };
const ofCredential: ErrorKind = { lies: 'credential', passes: false };
const elsewhere: ErrorKind = { lies: 'elsewhere', passes: false };
const ofOutage: ErrorKind = { lies: 'elsewhere', passes: true };

/** What n8n does with each code, beside showing its words. */
const errorKinds: Readonly<Record<ErrorCode, ErrorKind>> = {
	invalid_input: ofNode,
	invalid_account: ofNode,
	not_available: ofNode,
	aborted: { lies: 'node', passes: true },
	unauthorized: ofCredential,
	forbidden: ofCredential,
	unreachable: { lies: 'credential', passes: true },
	timeout: ofOutage,
	unavailable: ofOutage,
	rate_limited: ofOutage,
	not_found: elsewhere,
	conflict: elsewhere,
	refused: elsewhere,
	malformed_response: elsewhere,
	outcome_unknown: elsewhere,
	rejected: elsewhere,
	unfilled: elsewhere,
	time_limit: elsewhere,
	limit_reached: elsewhere,
	stream_closed: elsewhere,
};

const whereItLies = (code: ErrorCode): ErrorKind['lies'] => errorKinds[code].lies;

export const isTransient = (error: unknown): boolean => isExchangeError(error) && errorKinds[error.code].passes;
