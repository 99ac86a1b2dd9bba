/** Rejects web pages: a foreign Host header means DNS rebinding, a foreign Origin means a cross-site request. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface GuardOptions {
	/** Host names that clients may use, besides localhost and IP addresses. */
	allowedHosts: readonly string[];
	/** Whether other machines may connect at all. */
	allowRemote: boolean;
}

export function objectionTo({ headers }: IncomingMessage, options: GuardOptions): string | undefined {
	const host = hostName(headers.host);
	if (host === undefined || !isOurs(host, options)) {
		return 'The Host header names a foreign host. Use 127.0.0.1 or localhost, or allow the name with --allow-host.';
	}
	const { origin } = headers;
	if (origin === undefined) return undefined;
	const own = URL.canParse(origin) && new URL(origin).host === headers.host;
	return own ? undefined : 'Pages of other origins may not use the sandbox.';
}

function hostName(header: string | undefined): string | undefined {
	if (!header || !URL.canParse(`http://${header}`)) return undefined;
	return new URL(`http://${header}`).hostname.replace(/^\[|\]$/g, '');
}

/**
 * Names without a dot resolve only within a local network, such as one of containers, so no web page on the Internet
 * has such a host.
 */
const INNER_NAME = /^(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?|host\.docker\.internal)$/;

const isOurs = (host: string, { allowedHosts, allowRemote }: GuardOptions): boolean =>
	host === 'localhost' || isIP(host) > 0 || allowedHosts.includes(host) || (allowRemote && INNER_NAME.test(host));

export const isLoopback = (address: string | undefined): boolean =>
	address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);

const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost'];

/** The default keys are public, so listening beyond loopback has to be requested explicitly. */
export function requireLocal(host: string, allowRemote: boolean): void {
	if (LOOPBACK_HOSTS.includes(host) || allowRemote) return;
	throw new Error(
		`The sandbox listens on this machine only, and ${host} can be reached from elsewhere. ` +
			'Its keys are public knowledge. If that is what you want, add --allow-remote.',
	);
}
