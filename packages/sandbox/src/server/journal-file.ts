import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** An action as it is stored, with its time. */
interface Row {
	at: number;
	bytes: Uint8Array;
}

export interface Contents {
	state: Uint8Array;
	rows: Row[];
	progressedTo: number;
}

export type JournalFile = ReturnType<typeof openJournalFile>;

/**
 * Increased with every change of the file format, the state or the replay rules, because an older file would replay
 * differently.
 */
const FORMAT = 9;

const SCHEMA = `
	BEGIN;
	CREATE TABLE saved (id INTEGER PRIMARY KEY CHECK (id = 1), state BLOB NOT NULL);
	CREATE TABLE actions (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, action BLOB NOT NULL);
	CREATE TABLE progress (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);
	PRAGMA user_version = ${FORMAT};
	COMMIT;
`;

/** The data file of the journal. SQLite keeps whole what it was given, also when the process is killed. */
export function openJournalFile(file: string) {
	const database = openDatabase(file);
	const insert = database.prepare('INSERT INTO actions (at, action) VALUES (?, ?)');
	const save = database.prepare('INSERT OR REPLACE INTO saved VALUES (1, ?)');
	const progress = database.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?)');

	function transaction(work: () => void): void {
		database.exec('BEGIN');
		work();
		database.exec('COMMIT');
	}
	return {
		/** The contents of the file, or undefined for a new one. */
		load: (): Contents | undefined => readAll(database),
		/** Returns once the rows are on disk. */
		append: (rows: readonly Row[], progressedTo: number | undefined): void =>
			transaction(() => {
				for (const { at, bytes } of rows) insert.run(at, bytes);
				if (progressedTo !== undefined) progress.run(progressedTo);
			}),
		/** Replaces what is stored by this state. */
		save: (state: Uint8Array, progressedTo: number): void =>
			transaction(() => {
				database.exec('DELETE FROM actions');
				save.run(state);
				progress.run(progressedTo);
			}),
		close: (): void => database.close(),
	};
}

function readAll(database: DatabaseSync): Contents | undefined {
	const saved = database.prepare('SELECT state FROM saved').get();
	const progressed = database.prepare('SELECT at FROM progress').get();
	if (!saved || !progressed) return undefined;
	const rows = database.prepare('SELECT at, action FROM actions ORDER BY number').all();
	return {
		state: saved.state as Uint8Array,
		rows: rows.map(({ at, action }) => ({ at: Number(at), bytes: action as Uint8Array })),
		progressedTo: Number(progressed.at),
	};
}

function openDatabase(file: string): DatabaseSync {
	makePrivate(file);
	const database = new DatabaseSync(file);
	try {
		// EXCLUSIVE prevents two sandboxes from writing to the same file.
		database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
		const format = Number(database.prepare('PRAGMA user_version').get()?.user_version);
		if (format !== 0 && format !== FORMAT)
			throw new Error(
				'it was written by another version of the sandbox. Move it away to begin again, or choose another file with --data',
			);
		if (format === 0) database.exec(SCHEMA);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** The data file holds keys, so its owner alone may read it. */
const OWNER_ONLY = 0o600;

/**
 * Creates a file if it does not exist, and lets only its owner read it. A symbolic link is not followed, wherever it
 * leads, and a folder, whose other files somebody needs, is left as it is.
 */
function makePrivate(file: string): void {
	const stats = lstatSync(file, { throwIfNoEntry: false });
	if (stats?.isSymbolicLink()) throw new Error(`${file} is a symbolic link. Name the file it leads to, or remove it`);
	if (stats && !stats.isFile()) throw new Error(`${file} is no file. Name a file, which is made if it is not there`);
	if (stats) chmodSync(file, OWNER_ONLY);
	else closeSync(openSync(file, 'wx', OWNER_ONLY));
}
