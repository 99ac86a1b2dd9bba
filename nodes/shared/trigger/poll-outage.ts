import type { IPollFunctions } from 'n8n-workflow';
import { inOneText, nodeError } from '../host/errors';
import { log } from '../host/log';
import { isActivatedByN8n, isNews, recovered } from './outages';

/** Activations that have polled before. */
const begun = new WeakSet<IPollFunctions>();

/** What becomes of a poll. */
export interface PollOutcome {
	succeeded(): void;
	/**
	 * Throws what n8n has to hear: a person who publishes at once, and otherwise each outage once, for which n8n starts the
	 * error workflow. A start of n8n never fails, because n8n tries for 15 seconds and then leaves the trigger dead.
	 */
	failed(error: unknown): void;
}

export function beginPoll(host: IPollFunctions): PollOutcome {
	const isFirst = !begun.has(host);
	begun.add(host);
	return {
		succeeded: () => {
			if (recovered(host)) log(host, 'The wallet is read again');
		},
		failed: (error) => {
			const failure = nodeError(host.getNode(), error);
			if (host.getMode() !== 'manual' && isFirst && isActivatedByN8n(host))
				return log(host, `${inOneText(failure).message}. The trigger tries again at its next time`);
			if (host.getMode() === 'manual') throw failure;
			if (isFirst) throw inOneText(failure);
			if (isNews(host, error)) throw failure;
		},
	};
}
