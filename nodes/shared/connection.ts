import {
	createClient,
	createPaces,
	createInFlightIntents,
	createRegistry,
	createStream,
	type Account,
	type Client,
	type InFlightIntents,
	type Ports,
	type Priority,
	type SharedStream,
	type Stream,
} from '@partner-exchange/core';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { accountIn, CREDENTIAL } from './account';
import { hostClock } from './clock';
import type { HttpHost } from './http';
import { hostPorts } from './ports';
import { hostSocket } from './socket';

/** Accounts whose order intents are remembered at once. */
const ACCOUNTS_MAX = 100;

/** What every kind of n8n context that may use the credential has in common. */
export interface Host extends HttpHost {
	getCredentials(name: string): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
}

export interface Connection {
	client: Client;
	/** Opens the account's stream when it is first asked for; all nodes of the process share it. */
	stream(): Stream;
	/** Gives the stream back. The last one to do so lets it close. */
	release(): void;
}

/** One for all nodes: they are built into one file, so this module exists once per process. */
const streams = createRegistry(hostClock);
const paceOf = createPaces(hostClock);
const inFlightByAccount = new Map<string, InFlightIntents>();

/** The account of the node's credential, ready to be used. */
export async function connect(host: Host): Promise<Connection> {
	const ports = hostPorts(host);
	const given = accountIn(await host.getCredentials(CREDENTIAL));
	const pace = paceOf(given);
	const client: Client = createClient(given, paced('later'), {
		commands: stream,
		orderEvents: (listener) => stream().onOrderUpdate(listener),
		inFlight: inFlightOf(host, given),
	});
	let shared: SharedStream | undefined;

	function paced(priority: Priority): Ports {
		return { ...ports, send: pace.send(ports.send, priority) };
	}

	/** What it reads for its triggers goes before what actions read, so that a flow of many reads keeps no event waiting. */
	function stream(): Stream {
		const { account } = client;
		shared ??= streams.share(account, () => {
			const reader = createClient(given, paced('first'));
			return createStream({ ...ports, account, client: reader, openSocket: hostSocket });
		});
		return shared.stream;
	}

	return { client, stream, release: () => shared?.release() };
}

/** By the credential rather than its key: a key is often exchanged just when the fate of an order is in doubt. */
function inFlightOf(host: Host, { baseUrl, apiKey }: Account): InFlightIntents {
	const name = JSON.stringify([baseUrl, host.getNode().credentials?.[CREDENTIAL]?.id ?? apiKey]);
	const inFlight = inFlightByAccount.get(name) ?? createInFlightIntents();
	inFlightByAccount.set(name, inFlight);
	const [oldest] = inFlightByAccount.keys();
	if (inFlightByAccount.size > ACCOUNTS_MAX && oldest !== undefined) inFlightByAccount.delete(oldest);
	return inFlight;
}
