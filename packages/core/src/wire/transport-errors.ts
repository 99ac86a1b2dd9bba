import { TransportError } from '../ports';

type Reason = TransportError['reason'];

/** What Node and axios call the ways a request ends without an answer. The first group ends before anything is sent. */
const neverSent: Readonly<Record<string, Reason>> = {
	ECONNREFUSED: 'refused',
	EHOSTUNREACH: 'refused',
	ENETUNREACH: 'refused',
	ENOTFOUND: 'name',
	EAI_AGAIN: 'name',
	CERT_HAS_EXPIRED: 'certificate',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
	SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
	ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
};
const perhapsSent: Readonly<Record<string, Reason>> = {
	ERR_CANCELED: 'aborted',
	ECONNABORTED: 'timeout',
	ETIMEDOUT: 'timeout',
};

/**
 * Only the code of a transport's error comes in here: the rest of it holds the request, and with it the key. A code
 * nobody knows proves nothing about what was sent.
 */
export function transportFault(code: string): TransportError {
	const reason = neverSent[code];
	return reason ? new TransportError(reason, 'never') : new TransportError(perhapsSent[code] ?? 'reset', 'perhaps');
}
