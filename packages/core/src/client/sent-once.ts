import { inBackground } from '../background';
import { forgetOldest } from '../bounded';
import { isSentOnce, type Operation } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError, isExchangeError } from '../errors';
import type { SentOnce } from '../orders/memory';
import type { Accepted } from '../wire/request';

/** Writes remembered at once; the oldest is forgotten first. */
const WRITES_MAX = 1_000;

interface Write {
	operation: Operation;
	accepted: Accepted;
	context: CallContext;
	/** The earlier writes of this kind in the process, by intent. */
	writes: SentOnce;
}

/**
 * Sends a write once per intent, because the service cannot recognize a repetition. Another call for the same intent,
 * also while the first is under way, gets the same answer, or is refused when the first outcome is unknown.
 */
export function sentOnce<Answer>(
	{ operation, accepted, context, writes }: Write,
	work: () => Promise<Answer>,
): Promise<Answer> {
	if (!isSentOnce(operation) || context.intent === undefined) return work();
	const key = JSON.stringify([operation.label, context.intent, accepted]);
	const earlier = writes.get(key);
	if (earlier) return earlier as Promise<Answer>;
	const answer = work();
	const forOthers = answer.catch((error: unknown) => {
		if (isExchangeError(error, 'outcome_unknown')) throw stillUnknown(operation, error);
		writes.delete(key);
		throw error;
	});
	inBackground(forOthers);
	writes.set(key, forOthers);
	forgetOldest(writes, WRITES_MAX);
	return answer;
}

const stillUnknown = ({ label }: Operation, { details }: ExchangeError): ExchangeError =>
	new ExchangeError('outcome_unknown', {
		operation: label,
		what: 'The reply to an earlier try of this step was lost and it may have been done, so this try sent nothing',
		advice: 'Read the records it should have changed; run it as a new step if it was not done',
		details,
	});
