import { FORBIDDEN_ADDRESS } from '../host-names';
import { TransportError } from '../ports';

type Reason = TransportError['reason'];

/** The code of what a proxy answers in place of a tunnel, and of a proxy that cannot be reached. */
export const PROXY_FAILED = 'ERR_PROXY_FAILED';
/** Codes that alone prove that no connection was made. */
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
	[PROXY_FAILED]: 'proxy',
};
/** Codes that do not say whether the request was sent: a network may also fail while the answer is read. */
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
 * What a transport error proves. Only its codes are read and passed on: the rest holds the request, and the key with
 * it. An unknown code does not prove that nothing was sent.
 */
export function transportErrorOf(error: unknown): TransportError {
	const facts = factsOf(error);
	const code = facts.flatMap((fact) => [fact.code, fact.httpCode]).find(isCode) ?? '';
	const isUnconnected = facts.some(isFailedConnect);
	const isUnencrypted = facts.some(isFailedHandshake);
	const otherwise = isUnconnected ? 'refused' : isUnencrypted ? 'handshake' : 'reset';
	const proof = facts.some(isLater) ? undefined : neverSent[code];
	const isUnsent = proof !== undefined || isUnconnected || isUnencrypted || facts.some(isQueued);
	return new TransportError(proof ?? perhapsSent[code] ?? otherwise, isUnsent ? 'never' : 'perhaps');
}

interface Fact {
	code?: unknown;
	/** The field in which n8n keeps the code. */
	httpCode?: unknown;
	syscall?: unknown;
	cause?: unknown;
	/** Node wraps one error for each address it tried. */
	errors?: unknown;
	request?: { socket?: { connecting?: unknown; secureConnecting?: unknown } | null } | null;
}

/** The error and the errors it wraps, outermost first. */
function factsOf(error: unknown): Fact[] {
	const facts: Fact[] = [];
	for (let next = error; facts.length < CAUSES_MAX && typeof next === 'object' && next !== null;) {
		facts.push(next);
		next = (next as Fact).cause;
	}
	return facts;
}

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[A-Z][A-Z\d_]{1,63}$/.test(value);

/** Only a failed connect proves that nothing was sent: the same code during a read does not. */
function isFailedConnect({ syscall, errors }: Fact): boolean {
	if (beforeSending.includes(syscall)) return true;
	return (
		Array.isArray(errors) && errors.length > 0 && errors.every((inner?: Fact) => beforeSending.includes(inner?.syscall))
	);
}

const isLater = ({ syscall }: Fact): boolean => typeof syscall === 'string' && !beforeSending.includes(syscall);

/** Node sends no byte of a request before the TLS handshake is complete. */
const isFailedHandshake = ({ request }: Fact): boolean => request?.socket?.secureConnecting === true;

/** A request waits for a connection of its own, and that waits for its host, before Node sends a byte. */
const isQueued = ({ request }: Fact): boolean => request?.socket === null || request?.socket?.connecting === true;
