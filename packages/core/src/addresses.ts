// Not from the catalogue's index: Node-RED's editor needs the addresses, and would load every operation with them.
import { environments, type Environment } from './catalogue/environments';

/** What is known of the two addresses before either is checked. */
export interface AddressesGiven {
	environment: Environment;
	baseUrl?: string;
	wsUrl?: string;
}

/**
 * Both addresses of an account of which one is enough: the stream is at `/ws` behind the routes (Interface, part 1).
 * Where neither is given, an account of the environment sandbox means the sandbox on this machine; any other is left
 * empty, which is refused in words. Never throws.
 */
export function addressesOf({ environment, ...given }: AddressesGiven): { baseUrl: string; wsUrl: string } {
	const [baseUrl, wsUrl] = [(given.baseUrl ?? '').trim(), (given.wsUrl ?? '').trim()];
	if (baseUrl === '' && wsUrl === '' && environment === 'sandbox') {
		const { baseUrl, wsUrl } = environments.sandbox;
		return { baseUrl, wsUrl };
	}
	// A last slash is taken away once; more of them are somebody's mistake, which the check of the address names.
	return {
		baseUrl: baseUrl || wsUrl.replace(/^ws/i, 'http').replace(/\/ws\/?$/, ''),
		wsUrl: wsUrl || (baseUrl === '' ? '' : `${baseUrl.replace(/^http/i, 'ws').replace(/\/$/, '')}/ws`),
	};
}
