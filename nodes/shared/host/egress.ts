import { transportErrorOf, kindOfHost } from '@partner-exchange/core/adapters';
import type { IHttpRequestOptions, NodeEgressFilter } from 'n8n-workflow';

/**
 * The part of an n8n context that sends HTTP: n8n's own helper, with its proxy and its rules on reachable addresses.
 */
export interface HttpHost {
	helpers: {
		httpRequest(options: IHttpRequestOptions): Promise<unknown>;
		/** n8n's own check of addresses, which n8n 1 and credential tests lack. */
		getSecureEgressFilter?(): NodeEgressFilter;
	};
}

/** How long a request that only checks an address may take. */
const CHECK_MS_MAX = 5_000;
/** The errors with which n8n's address protection stops a request, by name. */
const BLOCKED = /^SsrfBlocked/;
/** How deep wrapped errors are followed. */
const CAUSES_MAX = 5;

/** Whether n8n's address protection (`N8N_SSRF_PROTECTION_ENABLED`) stopped a request. */
export function isBlocked(error: unknown): boolean {
	let next = error;
	for (let depth = 0; depth < CAUSES_MAX && typeof next === 'object' && next !== null; depth += 1) {
		if (BLOCKED.test(String((next as Error).name))) return true;
		next = (next as Error).cause;
	}
	return false;
}

/**
 * Why a stream address must not be connected to, or undefined. The WebSocket of Node knows neither n8n's address
 * protection nor the hosts that are never an exchange, and takes any certificate where NODE_TLS_REJECT_UNAUTHORIZED says
 * so. So n8n is asked before each connection, and a request without the key looks at the certificate.
 */
export async function refusalOfStream(host: HttpHost, address: string): Promise<string | undefined> {
	const url = httpAddress(address);
	if (await isStopped(host, url)) return "n8n's address protection stopped the connection";
	if (await leadsAstray(host, url)) return 'The host name of the address leads to a host that is never an exchange';
	return url.protocol === 'https:' ? await refusalOfCertificate(host, url) : undefined;
}

/** n8n 1 has no protection. */
const filterOf = (host: HttpHost): NodeEgressFilter | undefined => host.helpers.getSecureEgressFilter?.();

async function isStopped(host: HttpHost, url: URL): Promise<boolean> {
	const result = await filterOf(host)?.validateUrl(url);
	// A name that is not known fails by itself, with a message of its own.
	return result !== undefined && !result.ok && isBlocked(result.error);
}

/** Whether a host name leads to a metadata service, a link-local address or the like. */
export async function leadsAstray(host: HttpHost, { hostname }: URL): Promise<boolean> {
	const lookup = filterOf(host)?.createSecureLookup();
	if (!lookup) return false;
	return await new Promise((resolve) =>
		lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }, (error, resolved) => {
			const addresses = Array.isArray(resolved) ? resolved.map(({ address }) => address) : [resolved];
			resolve(!error && addresses.some((address) => kindOfHost(address) !== undefined));
		}),
	);
}

async function refusalOfCertificate({ helpers }: HttpHost, url: URL): Promise<string | undefined> {
	try {
		await helpers.httpRequest({
			method: 'HEAD',
			url: url.href,
			timeout: CHECK_MS_MAX,
			...STRICT,
		});
	} catch (error) {
		// Whatever else fails is for the connection itself to find out.
		if (transportErrorOf(error).reason === 'certificate') return 'The certificate of the address is not trusted';
	}
	return undefined;
}

/**
 * Each status is an answer, and so is a redirect, because the helper would send the key to the new host. Certificates count
 * also where NODE_TLS_REJECT_UNAUTHORIZED=0 tells Node otherwise.
 */
export const STRICT = {
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	returnFullResponse: true,
	agentOptions: { rejectUnauthorized: true },
} as const;

/** The address without its key, as one for requests. */
function httpAddress(address: string): URL {
	const url = new URL(address.replace(/^ws/, 'http'));
	url.search = '';
	return url;
}
