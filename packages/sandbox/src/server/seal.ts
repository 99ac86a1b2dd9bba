import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Checksums over what the data file holds, and a witness beside it of how much was acknowledged. */

export interface Row {
	at: number;
	bytes: Uint8Array;
}

/** Where the file stood after its last commit. */
export interface Tip {
	/** How many commits there were. */
	commits: number;
	/** How many actions there were, with those that are part of the saved state by now. */
	number: number;
	/** Over the saved state and every action after it, one after the other. */
	sum: number;
	progressedTo: number;
	/** How many finished orders, fills and keys there are beside the saved state. */
	archived: number;
	/** The sandbox stopped cleanly, with nothing in progress. */
	closed: boolean;
}

export interface Contents {
	state: Uint8Array;
	rows: Row[];
	progressedTo: number;
}

/** What was read from the file, not yet checked for completeness. */
export interface Found extends Omit<Contents, 'progressedTo'> {
	tip: Tip & { seal: number };
	/** How many actions are part of the saved state. */
	number: number;
	archived: number;
}

/** Continues a checksum with one more row, so that a missing, changed or moved row is noticed. */
export const sumOf = ({ at, bytes }: Row, number: number, before: number): number =>
	crc32(bytes, crc32(`${number} ${at} `, before));

export const sealOf = ({ commits, number, sum, progressedTo, archived, closed }: Tip): number =>
	crc32(JSON.stringify([commits, number, sum, progressedTo, archived, closed]));

/** Throws a description of what is wrong. `acknowledged` is the count in the witness file, if there is one. */
export function verify(found: Found, acknowledged: number | undefined): Tip {
	const { seal, ...tip } = found.tip;
	if (seal !== sealOf(tip)) throw new Error('the record of its last write does not fit its checksum');
	let sum = sumOf({ at: 0, bytes: found.state }, found.number, 0);
	for (const [index, row] of found.rows.entries()) sum = sumOf(row, found.number + index + 1, sum);
	const count = found.number + found.rows.length;
	if (count !== tip.number) throw new Error(`it holds ${count} actions of the ${tip.number} that were written`);
	if (found.archived !== tip.archived)
		throw new Error(`it holds ${found.archived} of ${tip.archived} finished orders, fills and keys`);
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
 * Names how many commits were acknowledged, outside the database: a log that lost its end looks to SQLite like one that
 * was never longer. It is not waited for, so after a power cut it may name fewer; never more than there were.
 */
export interface Witness {
	read(): number | undefined;
	write(commits: number): void;
	close(): void;
}

const NUMBER_LENGTH = 16;

export const witnessOf = (file: string): string => `${file}-tip`;

export function openWitness(file: string): Witness {
	const path = witnessOf(file);
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
			handle ??= openSync(path, existsSync(path) ? 'r+' : 'w');
			const number = String(commits).padStart(NUMBER_LENGTH, '0');
			// One write of one length in place: a kill leaves either the old text or the new one.
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
export function keepEvidence(file: string): string {
	const folder = `${file}.damaged`;
	if (existsSync(folder)) return folder;
	mkdirSync(folder);
	for (const path of [file, `${file}-wal`, witnessOf(file)])
		if (existsSync(path)) copyFileSync(path, join(folder, basename(path)));
	return folder;
}
