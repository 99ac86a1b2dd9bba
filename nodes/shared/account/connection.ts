import {
	applyLimits,
	createAccounts,
	readLimits,
	resolutionText,
	type OpenAccount,
} from '@partner-exchange/core/adapters';
import type { ICredentialDataDecryptedObject, INode, Logger } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { CREDENTIAL } from '../host/credential';
import type { HttpHost } from '../host/egress';
import { hostPorts } from '../host/ports';
import { hostSocket } from '../host/socket';
import { accountIn } from './account';
import { withoutSections } from './credential-section';

/** What every kind of n8n context that may use the credential has in common. */
export interface Host extends HttpHost {
	getCredentials(name: string): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
	logger: Pick<Logger, 'warn'>;
}

export interface Connection extends OpenAccount {
	/** Whether the credential has another key or address now. */
	isOutdated(): Promise<boolean>;
}

/** All nodes are built into one bundle, so this module, and with it what they share, exists once per process. */
const accounts = createAccounts(hostClock);

const credentialOf = async (host: Host): Promise<ICredentialDataDecryptedObject> =>
	withoutSections(await host.getCredentials(CREDENTIAL));

/**
 * The account of the node's credential, ready to be used. Throws on an unreadable limit, because ignoring it would mean
 * no limit.
 */
export async function connect(host: Host): Promise<Connection> {
	const credential = await credentialOf(host);
	const own = accountIn(credential);
	const name = host.getNode().credentials?.[CREDENTIAL]?.id ?? own.apiKey;
	const limits = accounts.limitsOf(name);
	applyLimits(limits, readLimits(credential));
	const opened = accounts.open(own, {
		ports: hostPorts(host),
		openSocket: hostSocket(host),
		name,
		limits,
		// A user may have changed the limits or thrown the switch since.
		renewLimits: async () => applyLimits(limits, readLimits(await credentialOf(host))),
		onResolved: (resolution) => host.logger.warn(`${host.getNode().name}: ${resolutionText(resolution)}`),
	});
	return {
		...opened,
		isOutdated: async () => {
			const latest = await credentialOf(host).catch(() => credential);
			return JSON.stringify(accountIn(latest)) !== JSON.stringify(own);
		},
	};
}
