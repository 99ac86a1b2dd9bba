import type { ClientRequestArgs } from 'node:http';
import type https from 'node:https';
import { HttpsProxyAgent } from 'hpagent';
import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../host-names';
import { TransportError } from '../ports';
import { HANDSHAKE_MS_MAX } from '../stream/limits';
import { PROXY_FAILED } from '../wire/transport-errors';

/** One per proxy, so that requests keep their tunnels. */
const agents = new Map<string, https.Agent>();

/**
 * The agent that reaches an address through the proxy the environment names for it (`HTTPS_PROXY`, `ALL_PROXY`,
 * `NO_PROXY`), or undefined where the address is reached directly. Requests and the stream both ask here, so that an order
 * placed through a proxy can also be cancelled through it. Only TLS goes through a proxy: it sees a tunnel there, but could
 * read the key of a plain connection.
 */
export function proxyAgentFor({ protocol, hostname, href }: URL): https.Agent | undefined {
	const isSecure = protocol === 'https:' || protocol === 'wss:';
	const named = isSecure && !isLoopback(hostname) ? getProxyForUrl(href.replace(/^ws/, 'http')) : '';
	if (named === '') return undefined;
	const proxy = inScheme(named);
	let agent = agents.get(proxy);
	if (!agent) agents.set(proxy, (agent = tunnelThrough(proxy)));
	return agent;
}

/** A proxy that is written without a scheme speaks plain HTTP, as curl has it, and not what the address asks for. */
function inScheme(proxy: string): string {
	const names = ['https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
	const bare = names.map((name) => process.env[name]).find((written) => proxy === `https://${written}`);
	return bare === undefined ? proxy : `http://${bare}`;
}

/** At most this many tunnels through one proxy are open at once. Further requests wait for one. */
const SOCKETS_MAX = 64;

function tunnelThrough(proxy: string): https.Agent {
	// A proxy of another kind (SOCKS) cannot be used, and going around it is not what was asked for.
	if (!/^https?:/i.test(proxy) || !URL.canParse(proxy)) throw new TransportError('proxy', 'never');
	return new Tunnels({
		proxy,
		keepAlive: true,
		maxSockets: SOCKETS_MAX,
		// How long the proxy may take to open a tunnel.
		timeout: HANDSHAKE_MS_MAX,
		// Set explicitly, because an environment variable could switch it off.
		rejectUnauthorized: true,
		proxyRequestOptions: { rejectUnauthorized: true },
	});
}

class Tunnels extends HttpsProxyAgent {
	/** Whatever fails before the tunnel is open is the proxy's failure: nothing was sent. */
	override createConnection(options: ClientRequestArgs, callback: Parameters<https.Agent['createConnection']>[1]) {
		return super.createConnection(options, (error, socket) => {
			callback?.(error && Object.assign(error, { syscall: 'connect', code: PROXY_FAILED }), socket);
		});
	}
}
