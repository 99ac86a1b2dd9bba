import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { FORBIDDEN_ADDRESS, kindOfHost } from '../host-names';

export type Lookup = LookupFunction;

/**
 * A DNS lookup that refuses every address the account itself could not name. A host name under foreign control could
 * otherwise resolve to a metadata service after the account was checked.
 */
export function guardedLookup(lookup: Lookup = dns.lookup): Lookup {
	return (hostname, options, callback) => {
		lookup(hostname, options, (error, resolved, family) => {
			const addresses = Array.isArray(resolved) ? resolved.map(({ address }) => address) : [resolved];
			const isForbidden = !error && addresses.some((address) => kindOfHost(address) !== undefined);
			if (!isForbidden) return callback(error, resolved, family);
			callback(Object.assign(new Error('forbidden address'), { code: FORBIDDEN_ADDRESS }), resolved, family);
		});
	};
}
