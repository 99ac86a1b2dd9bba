import type { Account } from '../account';
import { createClient, type Client } from '../client/client';
import type { Stream } from '../stream/contract';
import { createStream } from '../stream/stream';
import type { Ports } from '../ports';
import { wsSocket } from './socket';

/** A client and a stream of one account. The stream connects when it is first used; `close` ends it. */
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
