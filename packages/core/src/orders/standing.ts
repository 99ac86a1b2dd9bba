import type { IntentKind, Operation } from '../catalogue';
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
