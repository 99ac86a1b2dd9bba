import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Archive, Retired } from '../engine/archive';
import { ARCHIVE_SCHEMA, openArchiveFile } from './archive-file';
import {
	keepDamagedCopy,
	makePrivate,
	openCommitCounter,
	sealOf,
	sumOf,
	verify,
	counterFileOf,
	type Contents,
	type SealedContents,
	type Row,
	type Tip,
	StorageError,
} from './seal';

/** The data file of the journal: numbered rows with checksums. */
export interface JournalFile {
	/**
	 * The contents of the file, or undefined for a new one. Throws when acknowledged rows are missing, after copying the
	 * file.
	 */
	load(): Contents | undefined;
	/** Returns once the rows are on disk. */
	append(rows: readonly Row[], progressedTo: number | undefined): void;
	save(state: Uint8Array, progressedTo: number, more?: SaveOptions): void;
	archive: Archive;
	close(): void;
}

interface SaveOptions {
	/** Whether this is the last save of a clean stop. */
	closed?: boolean;
	/** Records that were removed from this state and belong in the archive. */
	retired?: Retired;
	/** Whether the state belongs to another exchange, so that the archive is cleared. */
	isNew?: boolean;
}

/**
 * Increased with every change of the file format, the state or the replay rules, because an older file would replay
 * differently.
 */
const FORMAT = 7;

const SCHEMA = `
	BEGIN;
	CREATE TABLE saved (id INTEGER PRIMARY KEY CHECK (id = 1), state BLOB NOT NULL, number INTEGER NOT NULL);
	CREATE TABLE actions (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, action BLOB NOT NULL);
	CREATE TABLE tip (
		id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL, number INTEGER NOT NULL, sum INTEGER NOT NULL,
		progressed_to INTEGER NOT NULL, archived INTEGER NOT NULL, closed INTEGER NOT NULL, seal INTEGER NOT NULL
	);
	${ARCHIVE_SCHEMA}
	PRAGMA user_version = ${FORMAT};
	COMMIT;
`;

/** `damaged` receives errors found when the archive is read after the start. */
export function openJournalFile(file: string, damaged: (error: Error) => void = () => undefined): JournalFile {
	// If the file was deleted, the user wants a new exchange; if only its rows are gone, data was lost.
	const mayBeNew = !existsSync(file) || !existsSync(counterFileOf(file));
	const database = openDatabase(file, mayBeNew);
	const statements = prepare(database);
	const counter = openCommitCounter(file);
	const archive = openArchiveFile(database, (what) => {
		const error = new StorageError(file, new Error(`${what} does not fit its checksum`), keepDamagedCopy(file));
		damaged(error);
		throw error;
	});
	let tip: Tip = { commits: 0, number: 0, sum: 0, progressedTo: 0, archived: 0, closed: false };

	function transaction(work: () => Omit<Tip, 'commits'>): void {
		database.exec('BEGIN');
		const next = { ...work(), commits: tip.commits + 1 };
		statements.tip(next);
		database.exec('COMMIT');
		tip = next;
		// Written after the commit and before any response: the counter never counts more commits than the file holds, nor
		// fewer than were acknowledged.
		counter.write(tip.commits);
	}

	function close(): void {
		counter.close();
		database.close();
	}

	function load(): Contents | undefined {
		try {
			const contents = statements.read(archive.count());
			if (!contents && mayBeNew) return undefined;
			if (!contents) throw new Error('nothing is in it any more');
			tip = verify(contents, counter.read());
			return { state: contents.state, rows: contents.rows, progressedTo: tip.progressedTo };
		} catch (error) {
			const copy = keepDamagedCopy(file);
			close();
			throw new StorageError(file, error as Error, copy);
		}
	}

	return {
		load,
		append: (rows, progressedTo = tip.progressedTo) =>
			transaction(() => {
				let { number, sum } = tip;
				for (const row of rows) {
					sum = sumOf(row, (number += 1), sum);
					statements.insert(number, row);
				}
				return { number, sum, progressedTo, archived: tip.archived, closed: false };
			}),
		save: (state, progressedTo, { closed = false, retired, isNew = false } = {}) =>
			transaction(() => {
				if (isNew) archive.clear();
				if (retired) archive.put(retired);
				statements.save(state, tip.number);
				const [{ number }, sum] = [tip, sumOf({ at: 0, bytes: state }, tip.number, 0)];
				return { number, sum, progressedTo, archived: archive.count(), closed };
			}),
		archive,
		close,
	};
}

function prepare(database: DatabaseSync) {
	const insert = database.prepare('INSERT INTO actions (number, at, action) VALUES (?, ?, ?)');
	const save = database.prepare('INSERT OR REPLACE INTO saved (id, state, number) VALUES (1, ?, ?)');
	const clear = database.prepare('DELETE FROM actions');
	const tip = database.prepare('INSERT OR REPLACE INTO tip VALUES (1, ?, ?, ?, ?, ?, ?, ?)');
	return {
		insert: (number: number, { at, bytes }: Row) => insert.run(number, at, bytes),
		save: (state: Uint8Array, number: number) => {
			clear.run();
			save.run(state, number);
		},
		tip: (next: Tip) => {
			const { commits, number, sum, progressedTo, archived, closed } = next;
			return tip.run(commits, number, sum, progressedTo, archived, Number(closed), sealOf(next));
		},
		read: (archived: number) => readAll(database, archived),
	};
}

function readAll(database: DatabaseSync, archived: number): SealedContents | undefined {
	const saved = database.prepare('SELECT state, number FROM saved').get();
	const tip = database.prepare('SELECT * FROM tip').get() as Record<string, number> | undefined;
	const rows = database.prepare('SELECT at, action FROM actions ORDER BY number').all();
	if (!saved && !tip && rows.length === 0) return undefined;
	if (!saved || !tip) throw new Error('its saved state or the record of its last write is missing');
	return {
		state: saved.state as Uint8Array,
		number: Number(saved.number),
		archived,
		rows: rows.map(({ at, action }) => ({ at: Number(at), bytes: action as Uint8Array })),
		tip: {
			commits: tip.commits!,
			number: tip.number!,
			sum: tip.sum!,
			seal: tip.seal!,
			archived: tip.archived!,
			progressedTo: tip.progressed_to!,
			closed: tip.closed === 1,
		},
	};
}

function openDatabase(file: string, mayBeNew: boolean): DatabaseSync {
	let database: DatabaseSync | undefined;
	try {
		makePrivate(file);
		database = new DatabaseSync(file);
		// EXCLUSIVE prevents two sandboxes from writing to the same file.
		database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
		const format = Number(database.prepare('PRAGMA user_version').get()?.user_version);
		if (format > FORMAT)
			throw new Error(
				'it was written by a newer version of the sandbox. Update the sandbox, or choose another file with --data',
			);
		if (format !== 0 && format < FORMAT)
			throw new Error(
				'it was written by an older version of the sandbox. Move it away to begin again, or choose another file with --data',
			);
		if (format === 0 && !mayBeNew) throw new Error('corrupt: nothing is in it any more');
		if (format === 0) database.exec(SCHEMA);
		return database;
	} catch (error) {
		const copy = /not a database|malformed|corrupt/.test((error as Error).message) ? keepDamagedCopy(file) : undefined;
		database?.close();
		throw new StorageError(file, error as Error, copy);
	}
}
