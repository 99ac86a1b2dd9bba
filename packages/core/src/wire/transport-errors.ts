import { FORBIDDEN_ADDRESS } from '../host';
import { TransportError } from '../ports';

type Reason = TransportError['reason'];

/** Codes that by themselves prove that no connection came about. */
const neverSent: Readonly<Record<string, Reason>> = {
	ECONNREFUSED: 'refused',
	ENOTFOUND: 'name',
	EAI_AGAIN: 'name',
	CERT_HAS_EXPIRED: 'certificate',
	CERT_NOT_YET_VALID: 'certificate',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
	SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
	ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
	[FORBIDDEN_ADDRESS]: 'forbidden',
};
/** Codes that say nothing about what was sent: a network may also break while an answer is read. */
const perhapsSent: Readonly<Record<string, Reason>> = {
	ERR_CANCELED: 'aborted',
	ECONNABORTED: 'timeout',
	ETIMEDOUT: 'timeout',
};
/** The values of `syscall` that Node uses for a name lookup and a connect. */
const beforeSending: readonly unknown[] = ['connect', 'getaddrinfo'];
/** How deep nested causes are followed. */
const CAUSES_MAX = 5;

/**
 * What a transport error proves. Only its codes are read and passed on: the rest of it holds the request, and with it
 * the key. An unknown code proves nothing about what was sent.
 */
export function transportErrorOf(error: unknown): TransportError {
	const facts = factsOf(error);
	const code = facts.flatMap((fact) => [fact.code, fact.httpCode]).find(isCode) ?? '';
	const isUnconnected = facts.some(isFailedConnect);
	const isUnencrypted = facts.some(isFailedHandshake);
	const otherwise = isUnconnected ? 'refused' : isUnencrypted ? 'handshake' : 'reset';
	const known = facts.some(isLater) ? undefined : neverSent[code];
	const isUnsent = known !== undefined || isUnconnected || isUnencrypted;
	return new TransportError(known ?? perhapsSent[code] ?? otherwise, isUnsent ? 'never' : 'perhaps');
}

interface Fact {
	code?: unknown;
	/** Where n8n keeps the code. */
	httpCode?: unknown;
	syscall?: unknown;
	cause?: unknown;
	/** Node wraps one error for each address it tried. */
	errors?: unknown;
	request?: { socket?: { secureConnecting?: unknown } | null } | null;
}

/** The error and what it wraps, the outermost first. */
function factsOf(error: unknown): Fact[] {
	const facts: Fact[] = [];
	for (let next = error; facts.length < CAUSES_MAX && typeof next === 'object' && next !== null;) {
		facts.push(next);
		next = (next as Fact).cause;
	}
	return facts;
}

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[A-Z][A-Z\d_]{1,63}$/.test(value);

/** Only the connect itself proves that nothing left: the same code while reading says nothing. */
function isFailedConnect({ syscall, errors }: Fact): boolean {
	if (beforeSending.includes(syscall)) return true;
	return (
		Array.isArray(errors) && errors.length > 0 && errors.every((inner?: Fact) => beforeSending.includes(inner?.syscall))
	);
}

const isLater = ({ syscall }: Fact): boolean => typeof syscall === 'string' && !beforeSending.includes(syscall);

/** Node sends no byte of a request before the TLS handshake is complete. */
const isFailedHandshake = ({ request }: Fact): boolean => request?.socket?.secureConnecting === true;
