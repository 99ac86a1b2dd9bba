/**
 * Derives the intent name of a message, so that the same message never places a second order however often it arrives.
 */
import { createHash } from 'node:crypto';
import { ExchangeError, type Item } from '@partner-exchange/core';
import { acceptValue, isEmpty, isNamed, nameTaken, withStanding } from '@partner-exchange/core/adapters';
import { makesAnOrder, options, type Operation, type OptionId } from '@partner-exchange/core/catalogue';
import type { Message } from '../host/types';
import type { HostNode } from '../host/host-node';
import type { Offer } from '../palette';
import { foundAt, namesIn, SHOWN_MAX, type Values } from './values';

const BUSINESS_KEY: OptionId = 'business_key';

/** Input values, and the name of their intent. */
export interface NamedIntent {
	values: Values;
	intent: string;
	/** Whether nobody named the order, so that an equal one in the same message may be meant as another. */
	isUnnamed?: boolean;
}

/**
 * `msg.intentKey` alone names the intent if present. Otherwise node, message id and values name it; the values are
 * needed because messages that a Function node sends together share their `_msgid`.
 */
export function underIntent(
	node: Pick<HostNode, 'id'>,
	message: Message,
	{ operation }: Offer,
	values: Values,
): NamedIntent {
	if (Object.hasOwn(message, 'intentKey')) {
		const key = givenKey(operation, message.intentKey);
		if (!operation.options?.includes(BUSINESS_KEY)) return { values, intent: key };
		return { values: { ...values, options: { ...values.options, business_key: key } }, intent: key };
	}
	if (values.options.business_key === undefined) refuseUnreadKey(operation, message);
	const part = message.parts ? `${message.parts.id}/${message.parts.index}` : '';
	const digest = createHash('sha256').update(JSON.stringify(values.input)).digest('base64url').slice(0, 16);
	return {
		values,
		intent: [node.id, message._msgid, part, digest].join(':'),
		isUnnamed: makesAnOrder(operation) && !isNamed(values.input, values.options),
	};
}

/**
 * The error of an order that was not placed because an equal one was, of a message with the same `_msgid`. A function node
 * that sends 60 of them in a loop would otherwise see 60 successes and have one order.
 */
export const alreadyPlaced = (operation: Operation, order: Item): unknown =>
	withStanding(
		operation,
		nameTaken(operation, order, {
			field: 'intentKey',
			what: 'An equal order with the same _msgid was placed already, and counts as this one',
			advice: 'Give each message an msg.intentKey of its own if another order is meant; nothing was sent',
		}),
		'yes',
	);

/** A key at another place than `msg.intentKey` was meant to keep its order from being placed again, and would not. */
function refuseUnreadKey(operation: Operation, message: Message): void {
	const [found] = foundAt(namesIn(message, operation), ['intentKey', BUSINESS_KEY]);
	if (!found) return;
	throw new ExchangeError('invalid_input', {
		operation: operation.label,
		field: 'intentKey',
		what: `The key of the order was not read, because ${found.place} has it as ${JSON.stringify(found.column.slice(0, SHOWN_MAX))}`,
		advice: 'Put it into msg.intentKey; nothing was sent',
	});
}

/** Refuses an empty key, because it would not identify the intent and each message would place an order. */
function givenKey({ label }: Operation, value: unknown): string {
	const verdict = isEmpty(value) ? { reason: 'is set and empty' } : acceptValue(options.business_key, value);
	if ('value' in verdict) return String(verdict.value);
	throw new ExchangeError('invalid_input', {
		operation: label,
		field: 'intentKey',
		what: `msg.intentKey ${verdict.reason}`,
		advice: 'Give it a text such as an invoice number, or take it out of the message; nothing was sent',
	});
}
