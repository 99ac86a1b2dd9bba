import type { Account } from '../account';
import { createClient } from '../client/client';
import type { Client } from '../client/contract';
import type { Stream } from '../stream/contract';
import { createStream } from '../stream/stream';
import type { Ports } from '../ports';
import { wsSocket } from './socket';

/**
 * Opens a client and a stream of one account, which work together: cancel and replace go over the stream. The stream
 * connects when it is first used, and `close` ends it.
 *
 * @throws An {@link ExchangeError}: `invalid_account` when an address or the key cannot be right.
 *
 * @example
 * const { client, stream, close } = openAccount(account, nodePorts());
 */
export function openAccount(
	account: Account,
	ports: Ports,
): { client: Client; stream: Stream; close(): Promise<void> } {
	const client: Client = createClient(account, ports, {
		commands: () => stream,
		orderEvents: (listener) => stream.onOrderUpdate(listener),
	});
	const stream: Stream = createStream({ ...ports, account: client.account, client, openSocket: wsSocket });
	return { client, stream, close: () => stream.close() };
}
