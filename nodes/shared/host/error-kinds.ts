import { isExchangeError, type ErrorCode } from '@partner-exchange/core';

interface ErrorKind {
	/** Where it has to be mended: in the node, in its credential, or in neither of them. */
	lies: 'node' | 'credential' | 'elsewhere';
	/** Whether it passes without anybody correcting anything, as when the service is away. A trigger waits for that. */
	passes: boolean;
}

const ofNode: ErrorKind = { lies: 'node', passes: false };
const ofCredential: ErrorKind = { lies: 'credential', passes: false };
const elsewhere: ErrorKind = { lies: 'elsewhere', passes: false };
const ofOutage: ErrorKind = { lies: 'elsewhere', passes: true };

/** What n8n does with each code, beside showing its words. */
const errorKinds: Readonly<Record<ErrorCode, ErrorKind>> = {
	invalid_input: ofNode,
	invalid_account: ofNode,
	not_available: ofNode,
	aborted: { lies: 'node', passes: true },
	unauthorized: ofCredential,
	forbidden: ofCredential,
	unreachable: { lies: 'credential', passes: true },
	timeout: ofOutage,
	unavailable: ofOutage,
	rate_limited: ofOutage,
	not_found: elsewhere,
	conflict: elsewhere,
	refused: elsewhere,
	malformed_response: elsewhere,
	outcome_unknown: elsewhere,
	rejected: elsewhere,
	unfilled: elsewhere,
	time_limit: elsewhere,
	limit_reached: elsewhere,
	stream_closed: elsewhere,
};

export const whereItLies = (code: ErrorCode): ErrorKind['lies'] => errorKinds[code].lies;

export const isTransient = (error: unknown): boolean => isExchangeError(error) && errorKinds[error.code].passes;
