import {
	applyLimits,
	createAccounts,
	readLimits,
	resolutionText,
	type OpenAccount,
	accountOf,
} from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode, Logger } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { CREDENTIAL } from '../host/credential';
import type { HttpHost } from '../host/egress';
import { log } from '../host/log';
import { hostPorts } from '../host/ports';
import { isFixed, withoutSections } from './credential-form';
import type { Account } from '@partner-exchange/core';

/** What every kind of n8n context that may use the credential has in common. */
export interface Host extends HttpHost {
	getCredentials(name: string, item?: number): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
	logger: Pick<Logger, 'warn'>;
}

export interface Connection extends OpenAccount {
	/** Whether the credential has another key or address now. */
	isOutdated(): Promise<boolean>;
}

/** All nodes are built into one bundle, so this module, and with it what they share, exists once per process. */
const accounts = createAccounts(hostClock);

/** A field of a credential may be an expression of the item, as where one workflow trades for several accounts. */
const credentialOf = async (host: Host, item?: number): Promise<ICredentialDataDecryptedObject> =>
	withoutSections(await host.getCredentials(CREDENTIAL, item));

/** The credential of all items, if it is the same for all. What fails for one item says nothing of the others. */
const credentialOfAll = (host: Host): Promise<ICredentialDataDecryptedObject | undefined> =>
	host.getCredentials(CREDENTIAL, 0).then(
		(credential) => (isFixed(credential) ? withoutSections(credential) : undefined),
		() => undefined,
	);

/**
 * The account of the node's credential, ready to be used. Throws on an unreadable limit, because ignoring it would mean
 * no limit.
 */
export const connect = async (host: Host): Promise<Connection> => opened(host, await credentialOf(host));

/** The accounts of the items of one run; items of one account share its connection. */
export function connectionsOf(host: Host): { at(item: number): Promise<Connection>; all(): Connection[] } {
	const connections = new Map<string, Connection>();
	let ofAll: ReturnType<typeof credentialOfAll> | undefined;
	return {
		at: async (item) => {
			const credential = (await (ofAll ??= credentialOfAll(host))) ?? (await credentialOf(host, item));
			const written = JSON.stringify(credential);
			const connection = connections.get(written) ?? opened(host, credential, item);
			connections.set(written, connection);
			return connection;
		},
		all: () => [...connections.values()],
	};
}

function opened(host: Host, credential: ICredentialDataDecryptedObject, item?: number): Connection {
	const own = accountIn(credential);
	// One credential may stand for several accounts, which share neither limits nor the names of their orders.
	const name = JSON.stringify([host.getNode().credentials?.[CREDENTIAL]?.id, own.apiKey]);
	const limits = accounts.limitsOf(name);
	applyLimits(limits, readLimits(credential));
	const account = accounts.open(own, {
		ports: hostPorts(host),
		name,
		limits,
		// A user may have changed the limits or thrown the switch since.
		renewLimits: async () => applyLimits(limits, readLimits(await credentialOf(host, item))),
		onResolved: (resolution) => log(host, resolutionText(resolution)),
	});
	return {
		...account,
		isOutdated: async () => {
			const latest = await credentialOf(host, item).catch(() => credential);
			return JSON.stringify(accountIn(latest)) !== JSON.stringify(own);
		},
	};
}

const labels = { allowDifferentHosts: 'Allow Different Hosts', names: 'Wire Names' };

/** The account of a credential. The client checks it on use. */
export const accountIn = (credential: ICredentialDataDecryptedObject): Account =>
	accountOf({ environment: 'sandbox', ...credential }, labels);
