import { isOrderWrite, type Operation } from '../catalogue';
import { ExchangeError, type ErrorCode } from '../errors';
import { ANSWER_BYTES_MAX, LIST_BYTES_MAX, TransportError, type HttpRequest, type Ports } from '../ports';
import { excerpt } from '../redaction';
import { isFromBefore, isSuccess, isWordless, readResponse, type ParsedResponse } from './response';

/**
 * What one attempt proves. 'unsent' and 'refused' prove that this attempt changed nothing, 'unknown' proves nothing,
 * 'limited' and 'conflict' have rules of their own. (Interface, part 4, rules 3 to 6.)
 */
export type Attempt = ({ proof: 'done' } & Extract<ParsedResponse, { data: unknown }>) | Failed;

export interface Failed {
	proof: 'unsent' | 'refused' | 'limited' | 'conflict' | 'unknown';
	error: ExchangeError;
	/** The answer shows the ID of an order, so that one may exist whatever it says. */
	showsOrder?: boolean;
}

/** Sends one request once and returns the reply with what the attempt proves. Never throws. */
export async function makeAttempt(
	operation: Operation,
	request: HttpRequest,
	apiKey: string,
	ports: Ports,
): Promise<Attempt> {
	try {
		const answer = await ports.send(request);
		const response = readResponse(operation, answer, apiKey, ports.clock.now());
		if ('data' in response) return { ...response, proof: 'done' };
		// What stands before the service may have passed an order on before it wrote a page of its own or nothing, so lookups decide.
		const isByOther = isOrderWrite(operation) && (isFromBefore(answer) || isWordless(answer));
		const proof = answer.isHeldBack ? 'unsent' : isByOther ? 'conflict' : proofs[response.error.code];
		return { ...response, proof, showsOrder: (isSuccess(answer) ? anyId : orderIdText).test(answer.body) };
	} catch (error) {
		if (!(error instanceof TransportError)) return { proof: 'unknown', error: ofPort(operation, error, apiKey) };
		return {
			proof: error.sent === 'never' ? 'unsent' : 'unknown',
			error: errorOfTransport(operation, error, new URL(request.url).host),
		};
	}
}

/** An answer may be cut. The body of an error may have an ID of its own. */
export const orderIdText = /"order_?id"\s*:\s*"?(?!null)\w/i;
const anyId = /"(?:order_?)?id"\s*:\s*"?(?!null)\w/i;

/** What each error code proves of a request or a command that was sent: that it was not carried out, or nothing. */
export const proofs: Record<ErrorCode, Failed['proof']> = {
	unauthorized: 'refused',
	forbidden: 'refused',
	refused: 'refused',
	not_found: 'refused',
	invalid_input: 'refused',
	invalid_account: 'refused',
	not_available: 'refused',
	conflict: 'conflict',
	rate_limited: 'limited',
	unreachable: 'unsent',
	stream_closed: 'unsent',
	timeout: 'unknown',
	unavailable: 'unknown',
	malformed_response: 'unknown',
	outcome_unknown: 'unknown',
	rejected: 'unknown',
	unfilled: 'unknown',
	time_limit: 'unknown',
	limit_reached: 'unknown',
	aborted: 'unknown',
};

/**
 * An error that a port throws by itself may hold the request and its key, so only its message is passed on. The request
 * may have been sent.
 */
function ofPort({ label }: Operation, error: unknown, apiKey: string): ExchangeError {
	const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
	return new ExchangeError('unavailable', {
		operation: label,
		what: `What sends its requests failed by itself (${excerpt(message, apiKey)})`,
		advice: 'Correct the port send, or let it reject with a TransportError',
	});
}

/** In `what`, HOST stands for the host of the account's address, also where its form is empty. */
const faults: Record<
	TransportError['reason'],
	{ code: 'unreachable' | 'timeout' | 'unavailable' | 'aborted' | 'limit_reached'; what: string }
> = {
	refused: { code: 'unreachable', what: 'Nothing answers at HOST' },
	name: { code: 'unreachable', what: 'The host name HOST is not known' },
	forbidden: { code: 'unreachable', what: 'The host name of the address leads to a host that is never an exchange' },
	protected: { code: 'unreachable', what: "n8n's address protection stopped the request before it was sent" },
	handshake: { code: 'unreachable', what: 'HOST does not take an encrypted connection' },
	proxy: { code: 'unreachable', what: 'The proxy that the environment names opened no way to HOST' },
	certificate: { code: 'unreachable', what: 'The certificate of HOST is not trusted' },
	timeout: { code: 'timeout', what: 'The service did not answer in time' },
	reset: { code: 'unavailable', what: 'The connection broke before the answer was complete' },
	aborted: { code: 'aborted', what: 'The call was stopped' },
	too_large: { code: 'limit_reached', what: 'The answer is larger than any that is read' },
};

function errorOfTransport(operation: Operation, fault: TransportError, host: string): ExchangeError {
	const { code, what } = faults[fault.reason];
	const advice =
		fault.reason === 'too_large' ? tooLargeAdvice(operation) : fault.reason === 'proxy' ? PROXY_ADVICE : undefined;
	return new ExchangeError(code, { operation: operation.label, what: what.replace('HOST', () => host), advice });
}

const PROXY_ADVICE =
	'Check the address in HTTPS_PROXY with its name and password, and NO_PROXY for a host that needs none; nothing was sent';

/** No setting raises the size. A list that is too long comes from a service that does not page it. */
function tooLargeAdvice({ list }: Operation): string {
	const mebibytes = (list ? LIST_BYTES_MAX : ANSWER_BYTES_MAX) / 1024 / 1024;
	return `Ask the operator of the service ${list ? 'to answer this list in pages' : 'why'}: at most ${mebibytes} MiB are read`;
}
