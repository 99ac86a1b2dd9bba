import { createClient, createStream, type Client, type Ports, type Stream } from '@partner-exchange/core';
import {
	createPaces,
	createRegistry,
	resolutionText,
	type Priority,
	type SharedStream,
} from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode, Logger } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { CREDENTIAL } from '../host/credential';
import type { HttpHost } from '../host/egress';
import { hostPorts } from '../host/ports';
import { hostSocket } from '../host/socket';
import { accountIn } from './account';
import { applyLimitsIn, sharedOf } from './account-state';
import { withoutSections } from './credential-section';

/** What every kind of n8n context that may use the credential has in common. */
export interface Host extends HttpHost {
	getCredentials(name: string): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
	logger: Pick<Logger, 'warn'>;
}

export interface Connection {
	client: Client;
	/** Whether the credential has another key or address now. */
	isOutdated(): Promise<boolean>;
	/** Opens the account's stream on first use; all nodes of the process share it. */
	stream(): Stream;
	/** Whether the service is limiting the rate of this account at present. */
	isHindered(): boolean;
	/** Releases the stream, which closes some time after its last user has released it. */
	release(): void;
}

/** All nodes are built into one bundle, so this module, and with it the registry, exists once per process. */
const streams = createRegistry(hostClock);
const paceOf = createPaces(hostClock);

const credentialOf = async (host: Host): Promise<ICredentialDataDecryptedObject> =>
	withoutSections(await host.getCredentials(CREDENTIAL));

/** The account of the node's credential, ready to be used. */
export async function connect(host: Host): Promise<Connection> {
	const ports = hostPorts(host);
	const credential = await credentialOf(host);
	const own = accountIn(credential);
	const pace = paceOf(own);
	const { inFlight, limits, pageLengths } = sharedOf(host.getNode(), own);
	applyLimitsIn(credential, limits);
	const client: Client = createClient(own, paced('later'), {
		commands: stream,
		orderEvents: (listener) => stream().onOrderUpdate(listener),
		inFlight,
		limits,
		renewLimits,
		pageLengths,
		streamStatus: () => streams.find(client.account)?.status(),
		onResolved: (resolution) => host.logger.warn(`${host.getNode().name}: ${resolutionText(resolution)}`),
	});
	let shared: SharedStream | undefined;

	/** A user may have changed the limits or thrown the switch since. */
	async function renewLimits(): Promise<void> {
		applyLimitsIn(await credentialOf(host), limits);
	}

	function paced(priority: Priority): Ports {
		return { ...ports, send: pace.send(ports.send, priority) };
	}

	/**
	 * Reads for triggers have priority over reads for actions, so that a workflow with many reads does not delay events.
	 */
	function stream(): Stream {
		const { account } = client;
		shared ??= streams.share(account, () => {
			const reader = createClient(own, paced('first'));
			return createStream({
				...{ ...ports, account, client: reader, openSocket: hostSocket(host) },
				orderShown: limits.orderShown,
			});
		});
		return shared.stream;
	}

	return {
		client,
		stream,
		isOutdated: async () => {
			const latest = await credentialOf(host).catch(() => credential);
			return JSON.stringify(accountIn(latest)) !== JSON.stringify(own);
		},
		isHindered: pace.isHindered,
		release: () => shared?.release(),
	};
}
