import { isExchangeError, type CallContext } from '@partner-exchange/core';
import type { IExecuteFunctions } from 'n8n-workflow';

export type Intent = Pick<CallContext, 'intent' | 'repeated'>;

/** What a node keeps in its execution. A manual retry is a new execution, but it is handed what was kept in the first. */
interface Kept {
	/** The execution that began it. */
	origin?: string;
	/** When each item that may have been sent was last worked on, by run and item: milliseconds since 1970. */
	tried?: Record<string, number>;
}

/**
 * Works on one item under the stable name of what it means to do. Retry On Fail and a manual retry run the node again
 * under the same name, so an order is not placed twice; another pass of a loop, another item or another execution has
 * another. A manual retry may come when this process no longer knows of the first try, so it is told of it.
 */
export async function withIntent<T>(
	host: IExecuteFunctions,
	item: number,
	work: (intent: Intent) => Promise<T>,
): Promise<T> {
	const kept = host.getContext('node') as Kept;
	const execution = host.getExecutionId();
	const origin = (kept.origin ??= execution);
	const tried = (kept.tried ??= {});
	const run = String(host.evaluateExpression('{{ $runIndex }}', item));
	const place = `${run}:${item}`;
	const before = tried[place];
	const intent = ['n8n', host.getInstanceId(), host.getWorkflow().id, host.getNode().id, origin, place].join(':');
	// A cancelled execution is stored without waiting for the node, so the mark is there from the beginning.
	tried[place] = Date.now();
	const done = work({ intent, repeated: origin === execution ? undefined : before });
	const maybeSent = await done.then(
		() => true,
		(error: unknown) => before !== undefined || !isCertain(error),
	);
	if (maybeSent) tried[place] = Date.now();
	else delete tried[place];
	return await done;
}

/** What certainly was not sent needs no looking for later. */
const isCertain = (error: unknown): boolean => isExchangeError(error) && error.code !== 'outcome_unknown';
