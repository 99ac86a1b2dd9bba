import { type IntentKind, isOrderWrite, type Operation } from '../catalogue';
import { type Standing, factsIn, isExchangeError, retold } from '../errors';

/** What became of an order write that failed. Every error of one says one of these three, in these words. */
export const standing: Readonly<Record<IntentKind, Readonly<Record<Standing, string>>>> = {
	create: {
		no: 'no order was placed',
		yes: 'the order was placed',
		unknown: 'it is unknown whether the order was placed',
	},
	cancel: {
		no: 'nothing was cancelled',
		yes: 'the order was cancelled',
		unknown: 'it is unknown whether the order was cancelled',
	},
	replace: {
		no: 'this replaced nothing',
		yes: 'the order was replaced',
		unknown: 'it is unknown whether the order was replaced',
	},
};

/** What the error of any request says. The error of an order write says instead what became of the order. */
const NOTHING_SENT = '; nothing was sent';

/**
 * An error of an order write with what became of the order. Any other error, or one that says so already, stays as it
 * is.
 */
export function withStanding(operation: Pick<Operation, 'run'>, error: unknown, done: Standing): unknown {
	const { run } = operation;
	if (run.via !== 'intent' || !isExchangeError(error) || error.done !== undefined) return error;
	const advice = error.advice.replace(NOTHING_SENT, done === 'no' ? '' : '; this run sent nothing');
	return retold(error, { ...factsIn(error), advice: `${advice}; ${standing[run.kind][done]}`, done });
}

/**
 * Waits for the answer of a call. If an order write fails, the error says what became of the order. The code that
 * carries orders out says so of everything it sent, so an error that does not say it came before anything was sent,
 * except perhaps by an earlier run.
 */
export function telling<T>(operation: Operation, answer: Promise<T>, isRepeated: boolean): Promise<T> {
	if (!isOrderWrite(operation)) return answer;
	return answer.catch((error: unknown) => {
		throw withStanding(operation, error, isRepeated ? 'unknown' : 'no');
	});
}
