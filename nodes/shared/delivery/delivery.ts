import type { Consumer, StreamEvent, Clock } from '@partner-exchange/core';
import { sleep, inBackground, type CheckpointOwner } from '@partner-exchange/core/adapters';
import type { ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { createCheckpointWriter } from './checkpoint-writer';
import { createRun, type RunOptions } from './runs';

/** Deactivating a workflow waits at most this long for its last execution and for its last checkpoint to be stored. */
const STOP_MS_MAX = 2_000;

export interface Delivery extends Pick<Consumer, 'deliver' | 'onCheckpoint'> {
	/** Stops delivering and stores the last checkpoint. */
	close(): Promise<void>;
}

interface DeliveryOptions extends RunOptions {
	/** Resolves once events may be handed over. */
	opened: Promise<void>;
	/** Events are handed over. */
	began(events: readonly StreamEvent[]): void;
	/**
	 * Whether the checkpoint must be stored when an execution ends, because no other follows at once to carry it.
	 * `isPausing`: the events that are queued wait for their turn.
	 */
	isLast: (isPausing: boolean) => boolean;
	/** Most events delivered per second. */
	eventsPerSecond?: number;
}

/** An execution in flight, since when, and the event keys with which it ends. */
interface InFlight {
	began: number;
	keys: Promise<ReadonlySet<string>>;
}

/** Executions in flight, by node. An execution may outlive the trigger that started it. */
const inFlight = new Map<string, InFlight>();

/**
 * Delivers events to the workflow and acknowledges them when it has run. After a crash, unacknowledged events are
 * delivered again.
 */
export function deliver(
	host: ITriggerFunctions,
	owner: CheckpointOwner,
	{ opened, began, isLast, eventsPerSecond, ...options }: DeliveryOptions,
): Delivery {
	const name = `pe:${host.getWorkflow().id}:${host.getNode().id}`;
	const pacer = createPacer(hostClock, eventsPerSecond);
	const writer = createCheckpointWriter(host, { owner, isLast: () => isLast(pacer.isPausing()) });
	const stopped = new AbortController();
	const run = createRun(host, name, options, stopped.signal);
	const earlier = keysOf(inFlight.get(name), host, options.executionMsMax, stopped.signal);
	let delivering: Promise<void> | undefined;
	let isClosed = false;

	async function deliverOnce(batch: StreamEvent[]): Promise<void> {
		const delivered = await earlier;
		const events = batch.filter(({ eventKey }) => !delivered?.has(eventKey));
		await writer.written();
		if (events.length > 0) await pacer.turn(events.length, stopped.signal);
		if (isClosed) throw new Error('The trigger was stopped before these events were delivered');
		if (events.length === 0) return;
		const ran = runUntilDone(events);
		const keys = ran.then(checkpointStored).then(
			() => new Set(events.map(({ eventKey }) => eventKey)),
			() => new Set<string>(),
		);
		const entry = { began: hostClock.elapsed(), keys };
		inFlight.set(name, entry);
		inBackground(keys.then(() => inFlight.get(name) === entry && inFlight.delete(name)));
		await ran;
	}

	async function runUntilDone(events: StreamEvent[]): Promise<void> {
		writer.begun(events.length);
		writer.ended(await run(events));
	}

	/**
	 * The checkpoint after an execution is reported, and possibly stored, in the event-loop turn in which the execution
	 * ends.
	 */
	async function checkpointStored(): Promise<void> {
		await sleep(hostClock, 0);
		await writer.written();
	}

	return {
		deliver: async (events) => {
			await opened;
			began(events);
			await (delivering = deliverOnce(events).finally(() => (delivering = undefined)));
		},
		onCheckpoint: writer.moved,
		close: async () => {
			isClosed = true;
			stopped.abort();
			const closed = writer.close();
			await soon(delivering ? delivering.then(checkpointStored, checkpointStored) : closed);
		},
	};
}

/**
 * The events of an execution that outlived its trigger. n8n never ends one that was stopped before its turn, so a person
 * who activates the workflow again waits for it no longer than an execution may take.
 */
async function keysOf(
	entry: InFlight | undefined,
	host: ITriggerFunctions,
	executionMsMax: number,
	stopped: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
	if (entry === undefined || host.getActivationMode() !== 'activate') return await entry?.keys;
	const over = sleep(hostClock, Math.max(0, entry.began + executionMsMax - hostClock.elapsed()), stopped);
	return await Promise.race([entry.keys, over.then(() => undefined)]);
}

/** Waits for a promise that may take as long as an execution, but at most STOP_MS_MAX. */
export async function soon(done: Promise<unknown>): Promise<void> {
	await Promise.race([done.catch(() => undefined), sleep(hostClock, STOP_MS_MAX)]);
}

interface Pacer {
	/** Resolves when `count` events may be delivered, or immediately when `stopped` is aborted. */
	turn(count: number, stopped: AbortSignal): Promise<void>;
	/** Whether the next delivery has to wait. */
	isPausing(): boolean;
}

/** Limits the rate of a trigger: each delivery is followed by a pause in proportion to its number of events. */
export function createPacer(clock: Clock, perSecond: number | undefined): Pacer {
	let nextAt = Number.NEGATIVE_INFINITY;
	return {
		turn: async (count, stopped) => {
			if (perSecond === undefined) return;
			const waitMs = nextAt - clock.elapsed();
			if (waitMs > 0) await sleep(clock, waitMs, stopped);
			nextAt = Math.max(nextAt, clock.elapsed()) + (1_000 * count) / perSecond;
		},
		isPausing: () => clock.elapsed() < nextAt,
	};
}
