import type { Environment } from './catalogue';
import { commaList } from './comma-list';

/** Why an address cannot belong to an exchange, and what to enter instead. */
export interface HostRefusal {
	what: string;
	advice: string;
}

/** Host names under which cloud providers serve credentials to any process inside a machine. */
const metadataNames = new Set([
	'metadata',
	'metadata.google.internal',
	'metadata.goog',
	'metadata.azure.internal',
	'instance-data',
	'instance-data.ec2.internal',
]);
/** The addresses they have besides link-local ones. */
const metadataAddresses = new Set([
	'100.100.100.200',
	'168.63.129.16',
	'fd00:ec2::254',
	'fd00:ec2::23',
	'fd20:ce::254',
	'fd00:c1::a9fe:a9fe',
]);

/** Error code of a name lookup that resolved to one of the refused addresses. */
export const FORBIDDEN_ADDRESS = 'FORBIDDEN_ADDRESS';

const portsOfProduction: readonly string[] = ['', '443', '8443'];
/** Ports up to this one belong to mail, file and remote shell services. */
const SYSTEM_PORT_MAX = 1023;

/**
 * Refuses hosts and ports that no environment of the exchange has, so that an account cannot be used to probe them. The
 * host comes from the URL parser, which normalizes every spelling of an IPv4 address.
 */
export function refusalOfHost({ hostname, port }: URL, environment: Environment): HostRefusal | undefined {
	const advice = 'Enter the host the provider gave for this environment';
	if (hostname.endsWith('.')) return { what: `names a host that ends in a dot (${hostname})`, advice };
	const kind = kindOfHost(hostname);
	if (kind) return { what: `names ${kind} (${hostname}), which is never an exchange`, advice };
	if (port !== '' && Number(port) <= SYSTEM_PORT_MAX && !['80', '443'].includes(port))
		return { what: `names port ${port}, which belongs to other services`, advice: 'Leave the port out' };
	if (environment === 'production' && !portsOfProduction.includes(port))
		return { what: `names port ${port}, which production does not use`, advice: 'Leave the port out' };
	return undefined;
}

/** The hosts of a comma-separated list. */
export const hostsIn = (text: string | undefined): string[] => commaList(text?.toLowerCase());

export const isLoopback = (hostname: string): boolean =>
	hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

const namesOfDockerHost: readonly string[] = ['host.docker.internal', 'host.containers.internal'];

/** Whether a host is in the local network, such as a container: a private address, or a name without a dot. */
export const isInner = (hostname: string): boolean =>
	/^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/i.test(hostname) ||
	/^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(hostname) ||
	/^\[f[cd][\da-f]{2}:[\da-f:]+\]$/i.test(hostname) ||
	namesOfDockerHost.includes(hostname);

/**
 * The kind of a host that can never be an exchange, or undefined. Takes a host from an address or a resolved IP
 * address.
 */
export function kindOfHost(hostname: string): string | undefined {
	const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
	if (metadataNames.has(host) || metadataAddresses.has(host)) return 'a metadata service';
	// Where such a name leads is up to the resolver of each machine.
	if (host.endsWith('.localhost')) return 'a second name of this machine';
	return host.includes(':') ? kindOfIpv6(host) : kindOfIpv4(host);
}

function kindOfIpv4(host: string): string | undefined {
	if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return undefined;
	if (/^0+\./.test(host)) return 'no host in particular';
	if (host.startsWith('169.254.')) return 'a link-local address';
	if (host.startsWith('192.0.0.')) return 'an address of the network itself';
	return Number.parseInt(host, 10) >= 224 ? 'no single host' : undefined;
}

/** Translation (NAT64), 6to4 and Teredo: each carries an IPv4 address inside. */
const tunnels = /^(?:64:ff9b:|2002:|2001:0?:)/;

function kindOfIpv6(host: string): string | undefined {
	if (/^[0:]+$/.test(host)) return 'no host in particular';
	if (/^fe[89ab]/.test(host)) return 'a link-local address';
	if (host.startsWith('ff')) return 'no single host';
	// A mapped or translated IPv6 address hides the IPv4 host that is reached.
	const isMapped = /^(0*:)*:?ffff:/.test(host) || /^::[\da-f]+:[\da-f]+$/.test(host) || tunnels.test(host);
	return isMapped ? 'an IPv4 address written as IPv6' : undefined;
}
