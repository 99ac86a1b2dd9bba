import { isExchangeError, type CallContext } from '@partner-exchange/core';
import { checkStream } from '@partner-exchange/core/adapters';
import { operationOf } from '@partner-exchange/core/catalogue';
import type { Connection } from '../account/connection';
import type { NodeParameters } from '../form/parameters';
import { BEHIND_A_PROXY } from '../host/errors';
import { placesAnew } from './intent';

const CHECK_MS_MAX = 5_000;

const AWAY = `The Stream Address does not answer, so this order could be placed, and not be cancelled or replaced from here. ${BEHIND_A_PROXY}`;

/**
 * Says at a dry run where the stream does not open: n8n's requests follow a proxy by themselves, and its stream, which
 * carries every cancel, only with another setting. A real order does not wait for such a look, which may take long just when
 * the service is away. Looks once for each address of a run.
 */
export function wayOut(warn: CallContext['warn']) {
	const looked = new Map<string, Promise<void>>();

	async function look({ stream }: Connection): Promise<void> {
		try {
			await checkStream(stream(), AbortSignal.timeout(CHECK_MS_MAX), BEHIND_A_PROXY);
		} catch (error) {
			// What else may be wrong, such as the key, the dry run itself says.
			if (isExchangeError(error) && error.code === 'unreachable') warn?.({ kind: 'not_checked', text: AWAY });
		}
	}
	return async (connection: Connection, parameters: NodeParameters): Promise<void> => {
		if (!mayStayOpen(parameters)) return;
		const { wsUrl } = connection.client.account;
		const looking = looked.get(wsUrl) ?? look(connection);
		looked.set(wsUrl, looking);
		await looking;
	};
}

/** Whether it rehearses an order that waits in the book for somebody to meet it. */
const mayStayOpen = ({ id, input, options }: NodeParameters): boolean =>
	placesAnew(operationOf(id)) &&
	String(options.dry_run) === 'true' &&
	input.order_type === 'limit' &&
	!['IOC', 'FOK'].includes(String(input.time_in_force));
