import type { IncomingMessage } from 'node:http';
import { timestamp } from '../engine/world';
import type { FaultKind } from './faults';
import { withoutToken } from './requests';
import type { SandboxContext } from './context';

/** What arrived lately and how it was answered, for the console page. Keys and bodies are not shown. */
export interface LoggedRequest {
	id: number;
	at: number;
	method: string;
	path: string;
	answer: number | 'waiting' | 'none';
	fault: FaultKind | null;
	/** Whose key it carried, found out when somebody looks. */
	who: () => string | null;
}

const REQUESTS_KEPT = 60;

export function logRequest(
	context: SandboxContext,
	{ method, url }: IncomingMessage,
	key: string | undefined,
): LoggedRequest {
	const { requestLog, clock } = context;
	const logged: LoggedRequest = {
		id: (requestLog.at(-1)?.id ?? 0) + 1,
		at: clock.now(),
		method: method ?? '',
		path: withoutToken(url ?? ''),
		answer: 'waiting',
		fault: null,
		who: () => emailOf(context, key),
	};
	requestLog.push(logged);
	if (requestLog.length > REQUESTS_KEPT) requestLog.shift();
	return logged;
}

/** Newest first. */
export const describeRequestLog = ({ requestLog }: SandboxContext): object[] =>
	requestLog.toReversed().map(({ who, at, ...shown }) => ({ ...shown, at: timestamp(at), email: who() }));

function emailOf({ exchange }: SandboxContext, key: string | undefined): string | null {
	try {
		return exchange.identify(key).account.email;
	} catch {
		return null;
	}
}
