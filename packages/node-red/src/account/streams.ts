/**
 * One stream and one registry of intents in flight per account and process, shared by all nodes and kept across
 * deploys.
 */
import {
	createClient,
	createStream,
	type Account,
	type AccountLimits,
	type Client,
	type OrderPorts,
	type Ports,
	type Stream,
} from '@partner-exchange/core';
import {
	acceptAccount,
	createAccountStates,
	createPaces,
	createRegistry,
	type AccountState,
	type Priority,
	type SharedStream,
} from '@partner-exchange/core/adapters';
import { nodePorts, wsSocket } from '@partner-exchange/core/node';

export const ports = nodePorts();

const registry = createRegistry(ports.clock);
const paceOf = createPaces(ports.clock);
/** Kept across deploys: a deploy creates new clients, which must know the orders in flight. */
export const stateOf = createAccountStates(ports.clock);

/** The transport of an account, rate-limited together with its other users in this process. */
const paced = (account: Account, priority: Priority): Ports => ({
	...ports,
	send: paceOf(account).send(ports.send, priority),
});

/** The limits that count the orders of an account, whichever node its stream was opened for. */
const limitsByAccount = new Map<string, Set<AccountLimits>>();

/** The stream of an account, shared in this process; it connects on first use. */
export const shareStream = (account: Account): SharedStream =>
	registry.share(account, () =>
		createStream({
			...{ ...ports, account, client: createClient(account, paced(account, 'first')), openSocket: wsSocket },
			orderShown: (order) => limitsByAccount.get(nameOf(account))?.forEach((limits) => limits.orderShown(order)),
		}),
	);

/** The shared resources of one config node: acquired on first use, released when the node closes. */
export interface Connected {
	client: Client;
	close(): void;
}

/** Order ports of a deployed account; an account being tested in the editor has none. */
export type AccountPorts = Pick<OrderPorts, 'journal' | 'limits' | 'onResolved' | 'signal'>;

/**
 * Opens an account. Everything it shares is found by its address and key, so these are normalized first: a key that was
 * pasted with a space is the same account.
 * @throws ExchangeError `invalid_account` when an address or the key cannot be right.
 */
export function connect(settings: Account, host: AccountPorts): Connected {
	const account = acceptAccount(settings);
	let shared: SharedStream | undefined;
	const stream = (): Stream => (shared ??= shareStream(account)).stream;
	const { inFlight, pageLengths } = sharedOf(account);
	const client: Client = createClient(account, paced(account, 'later'), {
		commands: stream,
		orderEvents: (listener) => stream().onOrderUpdate((order) => listener(order)),
		...{ inFlight, pageLengths },
		streamStatus: () => registry.find(client.account)?.status(),
		...host,
	});
	const leave = countWith(account, host.limits);
	return {
		client,
		close: () => {
			leave();
			shared?.release();
		},
	};
}

const nameOf = ({ baseUrl, apiKey }: Account): string => JSON.stringify([baseUrl, apiKey]);

const sharedOf = (account: Account): AccountState => stateOf(nameOf(account));

/** Tells the limits the orders of the account, until the returned function is called. */
function countWith(account: Account, limits: AccountLimits | undefined): () => void {
	const name = nameOf(account);
	const all = limitsByAccount.get(name) ?? new Set();
	if (limits) limitsByAccount.set(name, all.add(limits));
	return () => {
		if (limits) all.delete(limits);
		if (all.size === 0) limitsByAccount.delete(name);
	};
}
