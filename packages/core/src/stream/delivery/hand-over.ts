import { backoff } from '../../backoff';
import { inBackground } from '../../background';
import { sleep, type Clock } from '../../ports';
import type { StreamEvent } from '../contract';
import { TAKE_RETRY_MS } from '../limits';
import { acknowledged, sizeOf, take, type Entry, type Queue } from './queue';

/** Hands what waits to the host, one call at a time, and again until the host acknowledges it. */
export interface HandOver {
	start(): void;
	/** Hands over what was added to the queue, unless the host is busy. */
	added(): void;
	/** Whether it was started and not closed. */
	isRunning(): boolean;
	isClosed(): boolean;
	/** Ends it; returns whether it was started. The call in flight may still be acknowledged. */
	close(): boolean;
}

interface HandOverPorts {
	deliver(events: StreamEvent[]): Promise<void>;
	batchMax: number;
	clock: Clock;
	random: () => number;
	/** The host acknowledged these, which wait no longer. */
	acknowledged(entries: readonly Entry[]): void;
	/** The host rejected the same events for the `tries`th time. They are delivered again after a pause. */
	rejected(tries: number): void;
}

export function createHandOver(queue: Queue, ports: HandOverPorts): HandOver {
	const { clock, random } = ports;
	const closed = new AbortController();
	let [isStarted, isBusy] = [false, false];

	function added(): void {
		if (!isStarted || isBusy || closed.signal.aborted || sizeOf(queue) === 0) return;
		isBusy = true;
		inBackground(handAll());
	}

	async function handAll(): Promise<void> {
		// Events that arrive in the same turn of the event loop are delivered together.
		await Promise.resolve();
		while (sizeOf(queue) > 0 && !closed.signal.aborted) {
			const batch = take(queue, Math.max(1, ports.batchMax));
			if (!(await isTaken(batch.map(({ event }) => event)))) break;
			acknowledged(queue, batch);
			ports.acknowledged(batch);
		}
		isBusy = false;
	}

	/** Delivers the same events until the host acknowledges them; false once it is closed. */
	async function isTaken(events: StreamEvent[]): Promise<boolean> {
		for (let tries = 1; ; tries += 1) {
			try {
				await ports.deliver(events);
				return true;
			} catch {
				ports.rejected(tries);
			}
			await sleep(clock, backoff(TAKE_RETRY_MS, tries, random), closed.signal);
			if (closed.signal.aborted) return false;
		}
	}

	return {
		start: () => {
			isStarted = true;
			added();
		},
		added,
		isRunning: () => isStarted && !closed.signal.aborted,
		isClosed: () => closed.signal.aborted,
		close: () => {
			closed.abort();
			return isStarted;
		},
	};
}
