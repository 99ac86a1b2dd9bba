import type { Consumer, StoredCheckpoint, StreamEvent } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';
import { deepCopy, type ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from './clock';
import { emit } from './execution';
import { createPacer } from './pacer';
import { createRun, type RunOptions } from './runs';

/** Stopping a workflow does not wait longer than this for its last execution, and for its last position to be written. */
const STOP_MS_MAX = 2_000;

/** What a trigger stores between runs, in n8n's static data of the node. */
interface TriggerState {
	/** Whose positions they are: those of another account mean nothing. */
	owner?: string;
	positions?: StoredCheckpoint;
	/** Whether no events were in flight when this was written: a kill would repeat none. */
	idle?: boolean;
}

export interface Delivery extends Pick<Consumer, 'deliver' | 'onCheckpoint' | 'checkpoint'> {
	/** Stores the last position. */
	close(): Promise<void>;
}

export interface DeliveryOptions extends RunOptions {
	/** Whether what just ended should be written down at once, because nothing follows that would do it. */
	isLast: () => boolean;
	/** How many events are handed over in a second at most. */
	eventsPerSecond?: number;
}

/** Executions in flight, by node: resolves with the event keys of the execution that ended. It may outlive its trigger. */
const inFlight = new Map<string, Promise<ReadonlySet<string>>>();

/**
 * Hands events to the workflow and moves on when it has run. n8n writes static data with each emit and at no other time:
 * a position is put there before the next emit, and events in flight during a crash are delivered again.
 */
export function deliver(
	host: ITriggerFunctions,
	owner: string,
	{ isLast, eventsPerSecond, ...options }: DeliveryOptions,
): Delivery {
	const state = host.getWorkflowStaticData('node') as TriggerState;
	const name = `pe:${host.getWorkflow().id}:${host.getNode().id}`;
	const earlier = inFlight.get(name);
	if (state.owner !== owner) Object.assign(state, { owner, positions: undefined, idle: false });
	const stopped = new AbortController();
	const run = createRun(host, name, options, stopped.signal);
	const pacer = createPacer(hostClock, eventsPerSecond);
	/** The key of the execution that ended last, until the next begins. */
	let ended: string | undefined;
	let delivering: Promise<void> | undefined;
	let writing: Promise<void> | undefined;
	let knowsKeys = true;
	let isClosed = false;

	async function deliverOnce(given: StreamEvent[]): Promise<void> {
		const delivered = await earlier;
		const events = given.filter(({ eventKey }) => !delivered?.has(eventKey));
		// Writes run one after another: an older one must not come last.
		await writing;
		if (events.length > 0) await pacer.turn(events.length, stopped.signal);
		if (isClosed) throw new Error('The trigger was stopped before these events were delivered');
		if (events.length === 0) return;
		const ran = runUntilDone(events);
		const done = ran.then(settled).then(
			() => new Set(events.map(({ eventKey }) => eventKey)),
			() => new Set<string>(),
		);
		inFlight.set(name, done);
		void done.then(() => inFlight.get(name) === done && inFlight.delete(name));
		await ran;
	}

	async function runUntilDone(events: StreamEvent[]): Promise<void> {
		ended = undefined;
		state.idle = false;
		ended = await run(events);
	}

	/** The position behind an execution is reported, and perhaps written, within the turn of its end. */
	async function settled(): Promise<void> {
		await sleep(hostClock, 0);
		await writing;
	}

	/** Nothing runs for a key that has run, but the static data is written. */
	async function write(): Promise<void> {
		if (ended === undefined) return;
		const started = await emit(host, [[]], ended).catch(() => undefined);
		// An n8n that knows no keys, or keeps no executions, has started an empty one.
		if (started) knowsKeys = false;
	}

	return {
		checkpoint: state.positions && deepCopy(state.positions),
		deliver: (events) => (delivering = deliverOnce(events).finally(() => (delivering = undefined))),
		onCheckpoint: (positions) => {
			state.positions = positions;
			if (ended === undefined || state.idle) return;
			state.idle = true;
			if (isClosed || (knowsKeys && isLast())) writing = write();
		},
		close: async () => {
			isClosed = true;
			stopped.abort();
			// The key of a run that has not begun would be taken over by a write, and its events would be lost.
			await soon(delivering ? delivering.then(settled) : write());
		},
	};
}

/** Waits for something that may last as long as an execution, but not for longer than a stop may take. */
export async function soon(done: Promise<unknown>): Promise<void> {
	await Promise.race([done.catch(() => undefined), sleep(hostClock, STOP_MS_MAX)]);
}
