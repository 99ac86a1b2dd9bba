import { deserialize, serialize } from 'node:v8';
import type { Action } from '../engine/actions';
import type { Archive, Retired } from '../engine/archive';
import type { State, StateView } from '../engine/state';
import { openJournalFile } from './journal-file';
import { readState, writeState } from './saved-state';
import { StorageError } from './storage-error';

/**
 * Makes the exchange durable: a saved state, and the timed actions since then. The engine is deterministic, so
 * replaying the same actions at the same times restores everything else.
 */
export interface Journal {
	/** The saved state, or undefined for a new file. Throws when acknowledged data is missing or damaged. */
	load(): Saved | undefined;
	/** Buffers an action until the commit at the end of this turn of the event loop. */
	record(at: number, action: Action): void;
	/** Records that scheduled steps ran up to this time. */
	progress(at: number): void;
	/** Calls back once all earlier records are on disk. */
	afterCommit(release: () => void): void;
	/** Replaces saved state and actions by this state; `isNew` if it belongs to another exchange. */
	save(state: StateView, isNew?: boolean): void;
	/** Finished records, which leave memory when the state is saved. */
	archive: Archive;
	close(): void;
	/** Closes the file without changing it. */
	abandon(): void;
}

export interface Saved {
	state: State;
	actions: { at: number; action: Action }[];
	/** The latest time up to which a client may have seen effects of scheduled steps. */
	progressedTo: number;
}

export interface JournalOptions {
	file: string;
	/** The current state, saved when the number of actions reaches the limit. */
	state(): StateView;
	/** Removes from the state the records for the archive. */
	retire(): Retired;
	/** Called when the disk fails; pending responses are then never sent. */
	failed(error: Error): void;
}

/** After this many actions the state is saved anew, which bounds the time of a start. */
const ACTIONS_MAX = 20_000;

export function openJournal(options: JournalOptions): Journal {
	const file = openJournalFile(options.file, options.failed);
	let waiting: { at: number; action: Action }[] = [];
	let progressedTo: number | undefined;
	let releases: (() => void)[] = [];
	let scheduled = false;
	let count = 0;

	function dirty() {
		if (scheduled) return;
		scheduled = true;
		setImmediate(commit);
	}
	/** Writes everything that arrived in this turn in one transaction, so that the disk is synced once. */
	function commit() {
		if (!scheduled) return;
		scheduled = false;
		const [actions, ready, time] = [waiting, releases, progressedTo];
		[waiting, releases, progressedTo] = [[], [], undefined];
		try {
			file.append(
				actions.map(({ at, action }) => ({ at, bytes: serialize(action) })),
				time,
			);
		} catch (error) {
			return options.failed(new StorageError(options.file, error as Error));
		}
		for (const release of ready) release();
		count += actions.length;
		if (count > ACTIONS_MAX) save(options.state());
	}
	function save(state: StateView, { closed = false, isNew = false } = {}) {
		try {
			const retired = options.retire();
			file.save(writeState(state), state.now, { closed, retired, isNew });
		} catch (error) {
			return options.failed(new StorageError(options.file, error as Error));
		}
		count = 0;
	}
	return {
		load() {
			const contents = file.load();
			if (!contents) return undefined;
			count = contents.rows.length;
			return {
				state: readState(contents.state),
				actions: contents.rows.map(({ at, bytes }) => ({ at, action: deserialize(bytes) as Action })),
				progressedTo: contents.progressedTo,
			};
		},
		record(at, action) {
			waiting.push({ at, action });
			dirty();
		},
		progress(at) {
			progressedTo = at;
			dirty();
		},
		afterCommit(release) {
			if (scheduled) releases.push(release);
			else release();
		},
		save: (state, isNew) => save(state, { isNew }),
		archive: file.archive,
		abandon() {
			scheduled = false;
			file.close();
		},
		close() {
			commit();
			save(options.state(), { closed: true });
			file.close();
		},
	};
}
