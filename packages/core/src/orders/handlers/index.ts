import type { Operation } from '../../catalogue';
import { orderIn, textOf } from '../../wire/payload';
import { buildRequest } from '../../wire/request';
import { ExchangeError } from '../../errors';
import { readCancelled, readReplaced, sendCommand, type Commanding } from './command';
import { readPlaced, sendOrder, type Creation } from './create';
import { guard } from '../risk-limits';
import type { Workshop } from '../intents';
import { recordIn } from '../journal';
import type { Plan } from '../plan';
import type { Deed } from '../run';

/** How a plan is carried out: over REST without a command, on the stream with one. (Interface, parts 4 and 6.) */
export function deedOf(plan: Plan, workshop: Workshop, check: () => Promise<unknown>): Deed {
	const { id, operation, key, fields, context } = plan;
	const { read, ports, extras } = workshop;
	const readSide = async (): Promise<string | undefined> =>
		textOf(orderIn(await read('order.get', { order_id: fields.order_id }, context)), 'side');
	return {
		check: async () => {
			await guard(operation, fields, context.options ?? {}, readSide);
			await check();
		},
		record: () => recordIn(extras.journal, { key, operation: id, fields, at: ports.clock.now() }, operation.label),
		...(operation.command ? commandDeed(plan, workshop) : orderDeed(plan, workshop)),
	};
}

type Travel = Pick<Deed, 'send' | 'read'>;

function orderDeed({ id, operation, fields: accepted, context }: Plan, { account, ports, read }: Workshop): Travel {
	const request = { ...buildRequest(id, operation, accepted, account), signal: context.signal };
	const creation: Creation = { operation, accepted, request, apiKey: account.apiKey, read, ports, context };
	return { send: () => sendOrder(creation), read: () => readPlaced(creation) };
}

function commandDeed({ operation, fields, context }: Plan, { ports, read, extras }: Workshop): Travel {
	const channel = extras.commands ?? (() => noChannel(operation));
	const commanding: Commanding = { operation, action: operation.command!, fields, channel, read, ports, context };
	return {
		send: () => sendCommand(commanding),
		read: () => (operation.command === 'order_cancel' ? readCancelled(commanding) : readReplaced(commanding)),
	};
}

/** No path for it over REST is shown, so none is made up. (Interface, part 4.) */
function noChannel(operation: Operation): never {
	throw new ExchangeError('not_available', {
		operation: operation.label,
		what: 'It travels as a command on the stream, and this client was made without one',
		advice: 'Give the client a stream; nothing was sent',
	});
}
