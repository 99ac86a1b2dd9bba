/** The name of the intent behind a message: the same message never places a second order, however often it arrives. */
import { createHash } from 'node:crypto';
import { ExchangeError } from '@partner-exchange/core';
import type { Message, Node } from './host';
import type { Values } from './values';

const NAME_LENGTH_MAX = 512;

/**
 * A key the person gave names the intent alone. Otherwise it is the node and the message, and the values too: several
 * different messages that a function node sends in one go share their `_msgid`.
 */
export function intentName(node: Node, message: Message, { input, options }: Values): string {
	const given = message.intentKey ?? options.business_key;
	if (given !== undefined && given !== null && given !== '') return givenName(given);
	const part = message.parts ? `${message.parts.id}/${message.parts.index}` : '';
	const values = createHash('sha256').update(JSON.stringify(input)).digest('base64url').slice(0, 16);
	return [node.id, message._msgid, part, values].join(':');
}

function givenName(given: unknown): string {
	if ((typeof given === 'string' || typeof given === 'number') && String(given).length <= NAME_LENGTH_MAX)
		return String(given);
	throw new ExchangeError('invalid_input', {
		field: 'intentKey',
		what: `The business key must be text of at most ${NAME_LENGTH_MAX} characters`,
	});
}
