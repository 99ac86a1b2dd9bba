/** Checksums of the data file, and a file beside it that counts acknowledged commits. */
import {
	chmodSync,
	closeSync,
	copyFileSync,
	existsSync,
	fsyncSync,
	lstatSync,
	mkdirSync,
	openSync,
	readFileSync,
	writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface Row {
	at: number;
	bytes: Uint8Array;
}

/** The state of the file after its last commit. */
export interface Tip {
	/** Number of commits. */
	commits: number;
	/** Number of actions, including those already merged into the saved state. */
	number: number;
	/** Checksum over the saved state and all actions after it, in order. */
	sum: number;
	progressedTo: number;
	/** Number of archived orders, fills and keys. */
	archived: number;
	/** Whether the sandbox stopped cleanly, with nothing in progress. */
	closed: boolean;
}

export interface Contents {
	state: Uint8Array;
	rows: Row[];
	progressedTo: number;
}

/** What was read from the file; not verified yet. */
export interface SealedContents extends Omit<Contents, 'progressedTo'> {
	tip: Tip & { seal: number };
	/** Number of actions merged into the saved state. */
	number: number;
	archived: number;
}

/** Extends a checksum by one row, so that a missing, changed or moved row is detected. */
export const sumOf = ({ at, bytes }: Row, number: number, before: number): number =>
	crc32(bytes, crc32(`${number} ${at} `, before));

export const sealOf = ({ commits, number, sum, progressedTo, archived, closed }: Tip): number =>
	crc32(JSON.stringify([commits, number, sum, progressedTo, archived, closed]));

/** Throws an error that describes the damage. `acknowledged` is the count in the file beside it, if there is one. */
export function verify(contents: SealedContents, acknowledged: number | undefined): Tip {
	const { seal, ...tip } = contents.tip;
	if (seal !== sealOf(tip)) throw new Error('the record of its last write does not fit its checksum');
	let sum = sumOf({ at: 0, bytes: contents.state }, contents.number, 0);
	for (const [index, row] of contents.rows.entries()) sum = sumOf(row, contents.number + index + 1, sum);
	const count = contents.number + contents.rows.length;
	if (count !== tip.number) throw new Error(`it holds ${count} actions of the ${tip.number} that were written`);
	if (contents.archived !== tip.archived)
		throw new Error(`it holds ${contents.archived} of ${tip.archived} finished orders, fills and keys`);
	if (sum !== tip.sum) throw new Error('what it holds does not fit its checksum');
	if (acknowledged === undefined && !tip.closed)
		throw new Error(
			'the file beside it that ends in -tip is missing, so nobody knows whether its last writes are there',
		);
	if (acknowledged !== undefined && acknowledged > tip.commits)
		throw new Error(`its last ${acknowledged - tip.commits} writes are missing, and they were acknowledged`);
	return tip;
}

/**
 * Counts acknowledged commits outside the database, because SQLite cannot detect a log that lost its end. Not synced:
 * after a power failure the count may be lower than the true one, but never higher.
 */
interface CommitCounter {
	read(): number | undefined;
	write(commits: number): void;
	close(): void;
}

/** The data file holds keys, so its owner alone may read it. */
const OWNER_ONLY = 0o600;

/**
 * Creates a file if it does not exist, and lets only its owner read it. A symbolic link is not followed, wherever it
 * leads, and a folder, whose other files somebody needs, is left as it is.
 */
export function makePrivate(file: string): void {
	const stats = lstatSync(file, { throwIfNoEntry: false });
	if (stats?.isSymbolicLink()) throw new Error(`${file} is a symbolic link. Name the file it leads to, or remove it`);
	if (stats && !stats.isFile()) throw new Error(`${file} is no file. Name a file, which is made if it is not there`);
	if (stats) chmodSync(file, OWNER_ONLY);
	else closeSync(openSync(file, 'wx', OWNER_ONLY));
}

const NUMBER_LENGTH = 16;

export const counterFileOf = (file: string): string => `${file}-tip`;

export function openCommitCounter(file: string): CommitCounter {
	const path = counterFileOf(file);
	let handle: number | undefined;
	return {
		read() {
			if (!existsSync(path)) return undefined;
			const [number = '', sum = ''] = readFileSync(path, 'latin1').trimEnd().split(' ');
			if (sum !== String(crc32(number)) || number.length !== NUMBER_LENGTH)
				throw new Error(`the file beside it that ends in -tip does not fit its checksum`);
			return Number(number);
		},
		write(commits) {
			const isNew = handle === undefined;
			if (handle === undefined) makePrivate(path);
			handle ??= openSync(path, 'r+');
			const number = String(commits).padStart(NUMBER_LENGTH, '0');
			// A single in-place write of fixed length: a kill leaves either the old text or the new one.
			writeSync(handle, `${number} ${crc32(number)}`.padEnd(2 * NUMBER_LENGTH), 0, 'latin1');
			if (isNew) fsyncSync(handle);
		},
		close() {
			if (handle !== undefined) closeSync(handle);
			handle = undefined;
		},
	};
}

/** Copies a damaged file and its companions before SQLite changes them. An existing copy is kept. */
export function keepDamagedCopy(file: string): string {
	const folder = `${file}.damaged`;
	if (existsSync(folder)) return folder;
	mkdirSync(folder, { mode: 0o700 });
	for (const path of [file, `${file}-wal`, counterFileOf(file)])
		if (existsSync(path)) copyFileSync(path, join(folder, basename(path)));
	return folder;
}

const explanations: readonly [RegExp, string][] = [
	[/locked|busy/i, 'another sandbox is using it. Stop that one, or choose another file with --data'],
	[
		/not a database|malformed|corrupt|deserialize/i,
		'it is damaged or not a sandbox file. Move it away to start afresh, or choose another with --data',
	],
	[/unable to open|ENOENT/i, 'it cannot be opened. Check that its folder exists and may be written'],
	[
		/readonly|read-only|EROFS|EACCES|EPERM/i,
		'it may not be written. Give this user the right to write it and its folder, or choose another file with --data',
	],
	[/disk is full|ENOSPC|EDQUOT/i, 'the disk is full. Make room and start again; nothing that was answered is lost'],
	[/disk I\/O|EIO/i, 'the disk does not answer as it should. Copy the file to another disk and start again from there'],
];

const BEGIN_ANEW =
	'Put back a whole copy of it with the files beside it that begin with its name, or move them all away to begin again';

/** Says what is wrong with the data file and how to recover. */
export class StorageError extends Error {
	/** `kept` is the path of the copy of the damaged file. */
	constructor(file: string, cause: Error, copy?: string) {
		// Without the file's name, which may hold any of these words.
		const said = cause.message.replaceAll(file, '');
		const explanation = explanations.find(([pattern]) => pattern.test(said));
		const why = explanation
			? explanation[1]
			: copy === undefined
				? cause.message
				: `it is damaged: ${cause.message}. ${BEGIN_ANEW}`;
		super(`The data file ${file} cannot be used: ${why}.${copy === undefined ? '' : ` A copy of it is in ${copy}.`}`);
		this.name = 'StorageError';
	}
}
