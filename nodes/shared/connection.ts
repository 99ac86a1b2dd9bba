import { createClient, createStream, type Client, type Ports, type Stream } from '@partner-exchange/core';
import {
	createPaces,
	createRegistry,
	settledWords,
	type Priority,
	type SharedStream,
} from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode, Logger } from 'n8n-workflow';
import { accountIn, CREDENTIAL } from './account';
import { applyLimitsIn, sharedOf } from './account-state';
import { hostClock } from './clock';
import type { HttpHost } from './http';
import { hostPorts } from './ports';
import { hostSocket } from './socket';

/** What every kind of n8n context that may use the credential has in common. */
export interface Host extends HttpHost {
	getCredentials(name: string): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
	logger: Pick<Logger, 'warn'>;
}

export interface Connection {
	client: Client;
	/** Reads the limits and the stop switch of the credential again, because they may have changed since. */
	renewLimits(): Promise<void>;
	/** Opens the account's stream when it is first asked for; all nodes of the process share it. */
	stream(): Stream;
	/** Whether the service lets the account wait at present. */
	isHindered(): boolean;
	/** Releases the stream, which closes a while after its last user released it. */
	release(): void;
}

/** One for all nodes: they are built into one file, so this module exists once per process. */
const streams = createRegistry(hostClock);
const paceOf = createPaces(hostClock);

/** The account of the node's credential, ready to be used. */
export async function connect(host: Host): Promise<Connection> {
	const ports = hostPorts(host);
	const credential = await host.getCredentials(CREDENTIAL);
	const given = accountIn(credential);
	const pace = paceOf(given);
	const { inFlight, limits, pageLengths } = sharedOf(host.getNode(), given);
	applyLimitsIn(credential, limits);
	const client: Client = createClient(given, paced('later'), {
		commands: stream,
		orderEvents: (listener) => stream().onOrderUpdate(listener),
		inFlight,
		limits,
		pageLengths,
		streamStatus: () => streams.find(client.account)?.status(),
		onSettled: (settlement) => host.logger.warn(`${host.getNode().name}: ${settledWords(settlement)}`),
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

	return {
		client,
		stream,
		renewLimits: async () => applyLimitsIn(await host.getCredentials(CREDENTIAL), limits),
		isHindered: pace.isHindered,
		release: () => shared?.release(),
	};
}
