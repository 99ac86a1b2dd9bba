import type { Clock, StoredCheckpoint } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';
import { deepCopy, type ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from './clock';
import { emit } from './execution';

/** What a trigger stores between runs, in n8n's static data of the node. */
interface TriggerState {
	/** Whose positions they are: those of another account mean nothing. */
	owner?: string;
	positions?: StoredCheckpoint;
	/** Whether no events were in flight when this was written: a kill would repeat none. */
	idle?: boolean;
}

/** Writes down where a trigger stands. n8n writes static data with an emit that finds it changed, all of it, and at no other time. */
export interface PositionWriter {
	/** What was written before this start. */
	checkpoint: StoredCheckpoint | undefined;
	/** The trigger stands here now. */
	moved(positions: StoredCheckpoint): void;
	/** An execution for so many events begins. */
	begun(events: number): void;
	/** It ended, under this key. */
	ended(key: string | undefined): void;
	/** Resolves when nothing is being written: an older write must not come last. */
	written(): Promise<void>;
	/** From now on every position is written at once; answers when the latest is. */
	close(isRunning: boolean): Promise<void>;
}

/** Written with any event: the keys of 500 events, and a position. */
const BYTES_FREE = 8 * 1024;
/** What an event pays of more than that: after a burst, or with many open orders, it is 150 kB. */
const BYTES_PER_EVENT = 2 * 1024;
/** What is not paid for is written after this, so that a kill repeats the events of a second at most. */
const UNWRITTEN_MS_MAX = 1_000;

/** What n8n gives a trigger to write with. */
type WritingHost = Pick<ITriggerFunctions, 'getWorkflowStaticData' | 'emit' | 'helpers'>;

interface PositionWriterOptions {
	/** Whose positions they are. */
	owner: string;
	/** Whether what just ended should be written at once, because nothing follows that would do it. */
	isLast: () => boolean;
	clock?: Clock;
}

export function createPositionWriter(host: WritingHost, options: PositionWriterOptions): PositionWriter {
	const { owner, isLast, clock = hostClock } = options;
	const state = host.getWorkflowStaticData('node') as TriggerState;
	if (state.owner !== owner) Object.assign(state, { owner, positions: undefined, idle: false });
	const budget = createBudget(clock);
	let latest: StoredCheckpoint | undefined;
	/** The key of the execution that ended last, until the next begins. */
	let key: string | undefined;
	let phase: 'new' | 'running' | 'ended' | 'concluded' = 'new';
	let writing: Promise<void> | undefined;
	let later: Promise<void> | undefined;
	let knowsKeys = true;
	let isClosed = false;

	/** The next emit writes it. The state has to change right before it, or n8n may think that an earlier write was this one. */
	function put(idle: boolean): void {
		if (latest === undefined) return;
		Object.assign(state, { positions: latest, idle });
		budget.spend(JSON.stringify(latest).length);
		latest = undefined;
	}

	function conclude(): void {
		phase = 'concluded';
		if (!isClosed && !(knowsKeys && isLast())) return;
		if (isClosed || budget.allows()) writing = write();
		else later ??= sleep(clock, UNWRITTEN_MS_MAX).then(concludeLater);
	}

	function concludeLater(): void {
		later = undefined;
		if (phase === 'concluded' && !isClosed) conclude();
	}

	/** Nothing runs for a key that has run, but the static data is written. */
	async function write(): Promise<void> {
		if (key === undefined || latest === undefined) return;
		put(true);
		const started = await emit(host, [[]], key).catch(() => undefined);
		// An n8n that knows no keys, or keeps no executions, has started an empty one.
		if (started) knowsKeys = false;
	}

	return {
		checkpoint: state.positions && deepCopy(state.positions),
		moved: (positions) => {
			latest = positions;
			// n8n writes at the end of an activation by itself.
			if (phase === 'new') put(false);
			if (phase === 'ended') conclude();
		},
		begun: (events) => {
			[phase, key] = ['running', undefined];
			budget.earn(events);
			if (budget.allows()) put(false);
		},
		ended: (ran) => {
			[phase, key] = ['ended', ran];
		},
		written: async () => await writing,
		close: async (isRunning) => {
			isClosed = true;
			// The key of a run that has not begun would be taken over by a write, and its events would be lost.
			if (!isRunning) await write();
		},
	};
}

/** What may be written: a little with every event, much only after many of them or after a while. */
function createBudget(clock: Pick<Clock, 'elapsed'>) {
	let owed = 0;
	let spentAt = Number.NEGATIVE_INFINITY;
	return {
		allows: () => owed === 0 || clock.elapsed() - spentAt >= UNWRITTEN_MS_MAX,
		earn: (events: number) => void (owed = Math.max(0, owed - events * BYTES_PER_EVENT)),
		spend: (bytes: number) => {
			owed = Math.max(0, bytes - BYTES_FREE);
			spentAt = clock.elapsed();
		},
	};
}
