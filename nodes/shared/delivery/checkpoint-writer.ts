import type { Clock, StoredCheckpoint } from '@partner-exchange/core';
import { forgetOldest, inBackground, isLost, sleep, type CheckpointOwner } from '@partner-exchange/core/adapters';
import { deepCopy, type ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from '../host/clock';
import { emit } from '../host/execution';
import { staticDataOf } from '../host/static-data';

/** What a trigger stores between runs, in n8n's static data of the node. */
interface TriggerState {
	/** Whose the checkpoints are; those of another account are ignored. */
	owner: CheckpointOwner;
	checkpoint: StoredCheckpoint;
	/** Whether no events were in flight at the time of storing, so that a kill would repeat none. */
	idle: boolean;
}

/**
 * Stores the checkpoint of a trigger. n8n saves static data only together with an emit, if it changed, and always as a
 * whole.
 */
export interface CheckpointWriter {
	/** Reports a new checkpoint. */
	moved(checkpoint: StoredCheckpoint): void;
	/** Reports that an execution for this many events begins. */
	begun(events: number): void;
	/** Reports that the execution ended, and its key. */
	ended(key: string | undefined): void;
	/** Resolves when no write is in progress, so that an older write cannot finish last. */
	written(): Promise<void>;
	/** Stores the latest checkpoint at once, and every later one; resolves when no write is left, not even an earlier one. */
	close(): Promise<void>;
}

/** Bytes stored with every execution for free: the keys of 500 events, and a checkpoint. */
const BYTES_FREE = 8 * 1024;
/** Bytes above that which each event allows. The state reaches 150 kB after a burst, or with many open orders. */
const BYTES_PER_EVENT = 2 * 1024;
/** A larger state is stored after this time at the latest, so that a kill repeats the events of one second at most. */
const UNWRITTEN_MS_MAX = 1_000;

/** The part of the n8n context that storing needs. */
type WritingHost = Pick<ITriggerFunctions, 'getWorkflowStaticData' | 'getWorkflow' | 'getNode' | 'emit' | 'helpers'>;

export interface CheckpointWriterOptions {
	/** Whose the checkpoints are from now on. */
	owner: CheckpointOwner;
	/** Whether the checkpoint must be stored when an execution ends, because no further event is queued to carry it. */
	isLast: () => boolean;
	clock?: Clock;
}

/**
 * Checkpoints of triggers that were stopped before they started an execution, by workflow and node. n8n has stored
 * nothing of them since their activation. A trigger that is then published with a wider filter would take for new what
 * the narrower one rejected.
 */
const unstored = new Map<string, TriggerState>();
/**
 * Checkpoints of this many stopped triggers are kept. When there are more, the one stopped first is forgotten, and begins
 * where n8n has stored it.
 */
const UNSTORED_MAX = 100;

const nameOf = (host: Pick<WritingHost, 'getWorkflow' | 'getNode'>): string =>
	JSON.stringify([host.getWorkflow().id, host.getNode().id]);

/** What was stored before this start; a copy, because n8n's own object changes with what is stored next. */
export function storedState(host: WritingHost & Pick<ITriggerFunctions, 'getActivationMode'>) {
	const data = staticDataOf<TriggerState>(host);
	// Where n8n activates it by itself, another process may have stored more meanwhile.
	if (!['activate', 'update'].includes(host.getActivationMode())) unstored.delete(nameOf(host));
	const later = unstored.get(nameOf(host));
	if (later) data.write(later);
	const stored = data.read();
	return isLost(stored) ? stored : deepCopy(stored);
}

export function createCheckpointWriter(host: WritingHost, options: CheckpointWriterOptions): CheckpointWriter {
	const { owner, isLast, clock = hostClock } = options;
	const data = staticDataOf<TriggerState>(host);
	const budget = createBudget(clock);
	let latest: StoredCheckpoint | undefined;
	/** The state before the first execution. */
	let newest: TriggerState | undefined;
	/** The key of the execution that ended last; undefined while one is running. */
	let key: string | undefined;
	let phase: 'new' | 'running' | 'ended' | 'concluded' = 'new';
	let writing = Promise.resolve();
	let later: Promise<void> | undefined;
	let supportsKeys = true;
	let isClosed = false;

	/**
	 * Puts the checkpoint into the static data, which the next emit saves. Call it right before the emit, or n8n may take
	 * an earlier save for this one.
	 */
	function put(idle: boolean): void {
		if (latest === undefined) return;
		// A copy, because the owner is completed later, and what is sealed must not change.
		const state = { owner: { ...owner }, checkpoint: latest, idle };
		if (phase === 'new') newest = state;
		data.write(state);
		budget.spend(JSON.stringify(latest).length);
		latest = undefined;
	}

	function conclude(): void {
		phase = 'concluded';
		if (!isClosed && !(supportsKeys && isLast())) return;
		if (isClosed || budget.allows()) inBackground(save());
		else later ??= sleep(clock, UNWRITTEN_MS_MAX).then(concludeLater);
	}

	function concludeLater(): void {
		later = undefined;
		if (phase === 'concluded' && !isClosed) conclude();
	}

	const save = (): Promise<void> => (writing = writing.then(write));

	/**
	 * Emits under a key that has already run: n8n starts no execution, but saves the static data. While an execution is
	 * in flight there is no such key: its own could replace it and lose its events.
	 */
	async function write(): Promise<void> {
		if (key === undefined || latest === undefined) return;
		put(true);
		const started = await emit(host, [[]], key).catch(() => undefined);
		// An execution was started, so this n8n does not deduplicate keys, or deletes its executions.
		if (started) supportsKeys = false;
	}

	return {
		moved: (checkpoint) => {
			latest = checkpoint;
			// n8n saves static data by itself at the end of an activation.
			if (phase === 'new') put(false);
			if (phase === 'ended') conclude();
		},
		begun: (events) => {
			[phase, key] = ['running', undefined];
			unstored.delete(nameOf(host));
			budget.earn(events);
			if (budget.allows()) put(false);
		},
		ended: (ran) => void ([phase, key] = ['ended', ran]),
		written: async () => await writing,
		close: () => {
			isClosed = true;
			if (phase === 'new' && newest) forgetOldest(unstored.set(nameOf(host), deepCopy(newest)), UNSTORED_MAX);
			// n8n closes its database right after its triggers, so a write in progress has to be waited for.
			return save();
		},
	};
}

/** Limits the bytes written: a small state with every execution, a large one only after many events or some time. */
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
