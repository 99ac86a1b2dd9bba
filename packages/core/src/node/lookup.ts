import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { FORBIDDEN_ADDRESS, kindOfHost } from '../host';

export type Lookup = LookupFunction;

/**
 * A look-up of names that answers no address the account itself could not name. A name in somebody else's hands could
 * lead to a metadata service otherwise, and do so only after it was checked.
 */
export function guardedLookup(lookup: Lookup = dns.lookup): Lookup {
	return (hostname, options, callback) => {
		lookup(hostname, options, (error, found, family) => {
			const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
			const isForbidden = !error && addresses.some((address) => kindOfHost(address) !== undefined);
			if (!isForbidden) return callback(error, found, family);
			callback(Object.assign(new Error('forbidden address'), { code: FORBIDDEN_ADDRESS }), found, family);
		});
	};
}
