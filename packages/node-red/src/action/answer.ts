/** Puts answers into `msg.payload` and leaves the rest of the message unchanged. */
import { ExchangeError, type CallContext, type Client, type Item } from '@partner-exchange/core';
import { answerRecords } from '@partner-exchange/core/adapters';
import type { NodeAPI, NodeMessage } from 'node-red';
import type { Message, Outgoing, Settings } from '../host/types';
import { recordCopy } from '../host/record';
import type { Offer } from '../palette';

/** Most results of a list when the form sets no limit. */
const RESULTS_MAX = 10_000;

export interface Call {
	offer: Offer;
	input: Record<string, unknown>;
	context: CallContext;
	/** Most results of a list in total. */
	limit?: number;
}

/** Runs one operation. Returns the record as the service sent it, or the items of a list up to the limit. */
export async function callOperation(client: Client, { offer, input, context, limit }: Call): Promise<unknown> {
	if (!offer.operation.list) {
		const answer = await client.call(offer.id, input, context);
		// With a currency, the answer is one balance instead of a list with one entry.
		return context.options?.currency === undefined ? answer : (answerRecords(offer.operation, answer)[0] ?? answer);
	}
	const items: Item[] = [];
	for await (const item of client.items(offer.id, input, {
		...context,
		limit: Math.min(limit ?? RESULTS_MAX, RESULTS_MAX),
	}))
		items.push(item);
	if (items.length >= RESULTS_MAX) {
		const text = `${offer.operation.label} was ended after ${RESULTS_MAX} results: narrow it by its filters`;
		context.warn?.({ kind: 'filtered', text });
	}
	return items;
}

/**
 * One message with the whole answer, or one per item with `msg.parts`, so that a Join node can reassemble the list. Always
 * in an array, because a message with a function `then` would be taken for a promise.
 */
export function messagesOf(message: Message, data: unknown, settings: Settings): Outgoing {
	const answer = recordCopy(data);
	if (settings.output !== 'each' || !Array.isArray(answer)) return [{ ...message, payload: answer }];
	return [
		answer.map((payload, index): NodeMessage => ({
			...message,
			payload,
			parts: partOf(message, index, answer.length),
		})),
	];
}

/**
 * Message properties that may hold the kept payload, such as `row` or `sheet.row`; `payload`, `_msgid` and `parts` are
 * taken.
 */
const KEEPABLE = /^(?!payload$|_msgid$|parts$)[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;

/** Copies the incoming payload to the property chosen in the form, so that a row of a sheet stays with its answer. */
export function keepOriginal(RED: NodeAPI, message: Message, { keep }: Settings): Message {
	const name = typeof keep === 'string' ? keep.trim().replace(/^msg\./, '') : '';
	if (name === '') return message;
	if (!KEEPABLE.test(name)) {
		throw new ExchangeError('invalid_input', {
			field: 'keep',
			what: `The original cannot be kept in ${JSON.stringify(name.slice(0, 40))}`,
			advice: 'Name a property of the message, such as row; nothing was sent',
		});
	}
	const rest = { ...message };
	RED.util.setMessageProperty(rest, name, message.payload, true);
	return rest;
}

const partOf = ({ _msgid, parts }: Message, index: number, count: number) => ({
	id: _msgid,
	type: 'array',
	len: 1,
	index,
	count,
	parts,
});

/**
 * The message of the second output: the outcome of the order is unknown, with the fields needed to look the order up.
 */
export const unknownOutcome = (message: Message, { details, message: text, advice }: ExchangeError): NodeMessage => ({
	...message,
	payload: { outcome: 'unknown', ...details, message: text, advice },
});
