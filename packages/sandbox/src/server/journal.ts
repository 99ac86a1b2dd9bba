import { deserialize, serialize } from 'node:v8';
import type { Action } from '../engine/actions';
import type { Archive, Retired } from '../engine/archive';
import type { State, StateView } from '../engine/state';
import { openJournalFile } from './journal-file';
import { StorageError } from './storage-error';

/**
 * What makes the exchange durable: a saved state, and the actions since then with their times. The engine does the same
 * things again when it is given the same actions at the same times, so nothing else has to be written.
 */
export interface Journal {
	/** The saved state, or undefined in a new file. Throws where what was acknowledged is not there whole. */
	load(): Saved | undefined;
	/** Buffers an action until the commit at the end of this turn. */
	record(at: number, action: Action): void;
	/** Records that scheduled steps ran up to this time. */
	progress(at: number): void;
	/** Calls back once everything recorded before is on disk. */
	afterCommit(release: () => void): void;
	/** Replaces saved state and actions by this state; `isNew` where it is the one of another exchange. */
	save(state: StateView, isNew?: boolean): void;
	/** What is over, which leaves the memory when the state is saved. */
	archive: Archive;
	close(): void;
	/** Closes the file without changing it. */
	abandon(): void;
}

export interface Saved {
	state: State;
	actions: { at: number; action: Action }[];
	/** The latest time whose scheduled steps a client may have seen. */
	progressedTo: number;
}

export interface JournalOptions {
	file: string;
	/** The state to save when the actions have become many. */
	state(): StateView;
	/** Takes out of the state what goes to the archive. */
	retire(): Retired;
	/** Called when the disk fails; answers that were waiting are never sent. */
	failed(error: Error): void;
}

/** Actions after which a new saved state replaces them, which bounds the time a start takes. */
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
	/** One transaction for everything that arrived in this turn: the disk is waited for once. */
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
			file.save(serialize(state), state.now, { closed, retired, isNew });
		} catch (error) {
			return options.failed(new StorageError(options.file, error as Error));
		}
		count = 0;
	}
	return {
		load() {
			const found = file.load();
			if (!found) return undefined;
			count = found.rows.length;
			return {
				state: deserialize(found.state) as State,
				actions: found.rows.map(({ at, bytes }) => ({ at, action: deserialize(bytes) as Action })),
				progressedTo: found.progressedTo,
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
