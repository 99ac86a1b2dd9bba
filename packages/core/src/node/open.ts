import type { AccountInput } from '../account';
import { createClient } from '../client/client';
import type { Client } from '../client/contract';
import { ExchangeError } from '../errors';
import { assertGiven, readElsewhere } from '../given';
import type { OrderPorts } from '../orders/deps';
import { acceptPorts, type StreamingPorts } from '../ports';
import type { Stream } from '../stream/contract';
import { createStream } from '../stream/stream';
import { checkpointsWritten } from './checkpoint-file';
import { nodePorts } from './ports';

/** What a script may add to an account it opens. Everything is optional. */
export interface AccountOptions extends Pick<OrderPorts, 'journal' | 'limits' | 'onResolved' | 'signal'> {
	/** Network, clock and chance; those of plain Node without it. */
	ports?: StreamingPorts;
}

const optionKinds = {
	journal: readElsewhere,
	limits: readElsewhere,
	onResolved: readElsewhere,
	signal: readElsewhere,
	ports: readElsewhere,
};

/** A client and a stream of one account. `await using` closes it at the end of its block. */
export interface OpenedAccount {
	/** The client: a method for each operation. */
	client: Client;
	/** The stream: subscriptions to topics. */
	stream: Stream;
	/**
	 * Ends the stream and its subscriptions, which alone keep a process from ending, and waits until a checkpoint that is being
	 * written to a file is there. Calls under way go on.
	 */
	close(): Promise<void>;
	/** Closes the account at the end of an `await using` block. */
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a client and a stream of one account, which work together: cancel and replace go over the stream, updates of
 * orders that are waited for arrive, and `limits` count what the stream shows. The stream connects when it is first
 * used. One address is enough, and without one the account is the sandbox on this machine.
 *
 * @throws An {@link ExchangeError}: `invalid_account` when an address or the key cannot be right.
 *
 * @example
 * await using exchange = openAccount({ environment: 'sandbox', apiKey: 'sandbox-key' });
 * const { balances } = await exchange.client.wallet.balances({});
 *
 * @example
 * const { client, stream, close } = openAccount(account, { journal: fileJournal('orders.json'), onResolved: console.log });
 */
export function openAccount(account: AccountInput, options: AccountOptions = {}): OpenedAccount {
	assertGiven(options, optionKinds, { of: 'What openAccount takes beside the account' });
	const { ports: given = nodePorts(), ...host } = options;
	const ports = acceptPorts(given, 'send', 'openSocket', 'random', 'newId');
	let isClosed = false;
	const client: Client = createClient(account, ports, {
		...host,
		commands: () => {
			if (isClosed) throw accountClosed();
			return stream;
		},
		orderEvents: (listener) => stream.onOrderUpdate(listener),
		streamStatus: () => stream.status(),
	});
	const { limits } = host;
	const stream: Stream = createStream({
		...ports,
		account: client.account,
		client,
		...(limits ? { orderShown: limits.orderShown } : {}),
	});
	const close = async (): Promise<void> => {
		isClosed = true;
		await stream.close();
		await checkpointsWritten();
	};
	return { client, stream, close, [Symbol.asyncDispose]: close };
}

/** A closed stream never opens again, so a command that waited for it would wait for ever. */
const accountClosed = (): ExchangeError =>
	new ExchangeError('not_available', {
		what: 'It goes over the stream, and the account was closed',
		advice: 'Open the account again; nothing was sent',
	});
