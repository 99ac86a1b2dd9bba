import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Action } from '../engine/actions';
import type { State, StateView } from '../engine/state';

/**
 * What makes the exchange durable: a saved state, and the actions since then with their times. The engine does the same
 * things again when it is given the same actions at the same times, so nothing else has to be written.
 */
export interface Journal {
	/** The saved state, or undefined in a new file. */
	load(): Saved | undefined;
	/** Remembers an action until the commit at the end of this turn. */
	record(at: number, action: Action): void;
	/** Remembers that time has passed and things have fallen due. */
	progress(at: number): void;
	/** Runs a release of words once all that came before it is on disk. */
	afterCommit(release: () => void): void;
	/** Replaces saved state and actions by this state. */
	save(state: StateView): void;
	close(): void;
	/** Lets go of the file and leaves it as it was. */
	abandon(): void;
}

export interface Saved {
	state: State;
	actions: { at: number; action: Action }[];
	/** Up to when what fell due may have been told to somebody. */
	progressedTo: number;
}

export interface JournalOptions {
	file: string;
	/** The state to save when the actions have become many. */
	state(): StateView;
	/** Told when the disk refuses; what was waiting is never told to anybody. */
	failed(error: Error): void;
}

/** Counts the changes of the state and of the rules that replay actions: a file of another format would go its own way. */
const FORMAT = 3;
/** Actions after which a new saved state replaces them, which bounds the time a start takes. */
const ACTIONS_MAX = 50_000;

const SCHEMA = `
	CREATE TABLE IF NOT EXISTS saved (id INTEGER PRIMARY KEY CHECK (id = 1), state BLOB NOT NULL, progressed_to INTEGER NOT NULL);
	CREATE TABLE IF NOT EXISTS actions (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, action BLOB NOT NULL);
`;

export function openJournal(options: JournalOptions): Journal {
	const database = openDatabase(options.file);
	const statements = prepare(database);
	let waiting: { at: number; action: Action }[] = [];
	let progressedTo: number | undefined;
	let releases: (() => void)[] = [];
	let scheduled = false;
	let count = statements.count();

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
			database.exec('BEGIN');
			for (const { at, action } of actions) statements.insert(at, serialize(action));
			if (time !== undefined) statements.progress(time);
			database.exec('COMMIT');
		} catch (error) {
			return options.failed(storageError(options.file, error as Error));
		}
		for (const release of ready) release();
		count += actions.length;
		if (count > ACTIONS_MAX) save(options.state());
	}
	function save(state: StateView) {
		database.exec('BEGIN');
		statements.save(serialize(state), state.now);
		database.exec('DELETE FROM actions');
		database.exec('COMMIT');
		count = 0;
	}
	return {
		load: () => load(database, options.file),
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
		save,
		abandon() {
			scheduled = false;
			database.close();
		},
		close() {
			commit();
			save(options.state());
			database.close();
		},
	};
}

function prepare(database: DatabaseSync) {
	const insert = database.prepare('INSERT INTO actions (at, action) VALUES (?, ?)');
	const progress = database.prepare('UPDATE saved SET progressed_to = ?');
	const save = database.prepare('INSERT OR REPLACE INTO saved (id, state, progressed_to) VALUES (1, ?, ?)');
	const count = database.prepare('SELECT count(*) AS count FROM actions');
	return {
		insert: (at: number, action: Uint8Array) => insert.run(at, action),
		progress: (at: number) => progress.run(at),
		save: (state: Uint8Array, at: number) => save.run(state, at),
		count: () => Number(count.get()?.count),
	};
}

function openDatabase(file: string): DatabaseSync {
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file);
		// EXCLUSIVE: two sandboxes on one file would not know of each other.
		database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
		const format = Number(database.prepare('PRAGMA user_version').get()?.user_version);
		if (format > FORMAT)
			throw new Error(
				'it was written by a newer version of the sandbox. Update the sandbox, or choose another file with --data',
			);
		if (format !== 0 && format < FORMAT)
			throw new Error(
				'it was written by an older version of the sandbox. Move it away to begin anew, or choose another file with --data',
			);
		database.exec(SCHEMA);
		database.exec(`PRAGMA user_version = ${FORMAT}`);
		return database;
	} catch (error) {
		database?.close();
		throw storageError(file, error as Error);
	}
}

function load(database: DatabaseSync, file: string): Saved | undefined {
	try {
		const saved = database.prepare('SELECT state, progressed_to FROM saved').get();
		if (!saved) return undefined;
		const rows = database.prepare('SELECT at, action FROM actions ORDER BY number').all();
		return {
			state: deserialize(saved.state as Uint8Array) as State,
			actions: rows.map(({ at, action }) => ({ at: Number(at), action: deserialize(action as Uint8Array) as Action })),
			progressedTo: Number(saved.progressed_to),
		};
	} catch (error) {
		database.close();
		throw storageError(file, error as Error);
	}
}

const explanations: readonly [RegExp, string][] = [
	[/locked|busy/i, 'another sandbox is using it. Stop that one, or choose another file with --data'],
	[
		/not a database|malformed|corrupt|deserialize|Unable to deserialize/i,
		'it is damaged or not a sandbox file. Move it away to start afresh, or choose another with --data',
	],
	[/unable to open/i, 'it cannot be opened. Check that its folder exists and may be written'],
	[/full/i, 'the disk is full. Make room and start again'],
];

/** Says what is wrong with the file and the way out. */
export function storageError(file: string, error: Error): Error {
	const known = explanations.find(([pattern]) => pattern.test(error.message));
	return new Error(`The data file ${file} cannot be used: ${known ? known[1] : error.message}.`);
}
