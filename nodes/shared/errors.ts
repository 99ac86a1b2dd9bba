import { isExchangeError, type ExchangeError } from '@partner-exchange/core';
import { excerpt } from '@partner-exchange/core/adapters';
import { NodeApiError, NodeOperationError, type INode, type INodeExecutionData, type JsonObject } from 'n8n-workflow';

/** Reasons that lie in the node or its credential rather than in what the service answered. */
const own: readonly string[] = ['invalid_input', 'invalid_account', 'not_available', 'aborted'];

/** The one place where an error of the core becomes one of n8n. Nothing else of it is taken along. */
export function nodeError(node: INode, error: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!isExchangeError(error)) return unexpected(node, error, itemIndex);
	const words = { message: error.summary, description: describe(error), itemIndex };
	const made = own.includes(error.code)
		? new NodeOperationError(node, error.summary, words)
		: new NodeApiError(node, error.toJSON() as JsonObject, { ...words, httpCode: httpCode(error) });
	made.context.data = error.toJSON();
	return made;
}

/** The item that stands for one at fault, where the workflow goes on. */
export function itemAtFault(node: INode, error: NodeApiError | NodeOperationError, item: number): INodeExecutionData {
	const made: INodeExecutionData = { json: errorItem(error), pairedItem: { item } };
	// n8n 1 sends an item to the error output only if it has this mark, n8n 2 also for its words. Both put a bare sentence
	// in the place of an item that still has the mark afterwards: so it is kept out of the copies that n8n makes.
	if (node.onError === 'continueErrorOutput') Object.defineProperty(made, 'error', { value: error, enumerable: false });
	return made;
}

/** What the error output and "continue on fail" carry: the sentence, and the facts a flow may branch on. */
export function errorItem(error: NodeApiError | NodeOperationError): { error: string; details: JsonObject } {
	const { message: _, ...facts } = (error.context.data ?? { code: 'unexpected' }) as JsonObject;
	return { error: error.message, details: { ...facts, description: error.description ?? '' } };
}

/** A model is told the message alone, so for it the message says what to do as well. */
export function forModel(error: NodeApiError | NodeOperationError): NodeApiError | NodeOperationError {
	if (error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}

function describe(error: ExchangeError): string {
	const said = `${error.summary} ${error.advice}`;
	const details = Object.entries(error.details)
		.filter(([, value]) => !said.includes(String(value)))
		.map(([name, value]) => `${name}: ${String(value)}`);
	return [`${error.advice}.`, `Code: ${error.code}`, ...details].join(' · ').replace('. · ', '. ');
}

/** n8n shows this as the error code. Where no status came, our own word says more than nothing. */
const httpCode = (error: ExchangeError): string => (error.status === undefined ? error.code : String(error.status));

/** A fault of ours: its text is our own, so it may be shown, but it is not wrapped. */
function unexpected(node: INode, error: unknown, itemIndex?: number): NodeOperationError {
	const said = error instanceof Error ? error.message : String(error);
	return new NodeOperationError(node, excerpt(said, undefined), { itemIndex });
}
