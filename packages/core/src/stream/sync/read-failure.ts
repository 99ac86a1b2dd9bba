import { ExchangeError, isExchangeError } from '../../errors';
import type { StreamNotice } from '../contract';
import type { Subscriber } from '../delivery/subscriber';

interface FailureNoticePorts {
	name: string;
	log: { failed(error: unknown): void };
	notice(subscriber: Subscriber, notice: Omit<StreamNotice, 'state'>): void;
}

/** Tells subscribers that a reading failed, and when it is tried again. */
export type FailureNotice = (to: readonly Subscriber[], error: unknown, againMs?: number) => void;

export function createFailureNotice({ name, log, notice }: FailureNoticePorts, stopped: AbortSignal): FailureNotice {
	return (to, error, againMs) => {
		if (stopped.aborted) return;
		log.failed(error);
		const why = error instanceof ExchangeError ? error.summary : 'The reading failed';
		const again = againMs === undefined ? '' : `; it is tried again in ${Math.round(againMs / 1_000)} s`;
		const text = `What may have been missed cannot be read: ${why}${again}`;
		for (const subscriber of to) notice(subscriber, { kind: 'degraded', topic: name, text });
	};
}

export const isRefusal = (error: unknown): boolean =>
	isExchangeError(error, 'unauthorized') || isExchangeError(error, 'forbidden');
