/** The file of a position: sealed, synced, replaced as a whole, with the generation before it beside it. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ExchangeError } from '@partner-exchange/core';
import { inBackground, seal, unseal, type Unsealed } from '@partner-exchange/core/adapters';
import { replaceFile } from '@partner-exchange/core/node';
import { POSITION } from '../host/failure';

export interface PositionFile {
	/**
	 * The value saved last; of a damaged file, the one before it. Throws when neither can be read, because starting without
	 * a position skips what happened meanwhile.
	 */
	load(): Promise<unknown>;
	save(value: object): Promise<void>;
}

/** The ending of the generation before, which is replaced only by a file known to be sound. */
const BEFORE = '.before';

export function positionFile(file: string, warn: (problem: string) => void): PositionFile {
	let isSound = false;
	async function read(): Promise<unknown> {
		const last = await storedIn(file);
		isSound = last.is === 'sound';
		if (last.is === 'sound') return last.value;
		const before = await storedIn(file + BEFORE);
		if (before.is === 'sound') {
			warn('The stored position is damaged; this node goes on from the one before it, and events may come twice');
			return before.value;
		}
		return valueOf(last.is === 'absent' ? before : last);
	}
	async function write(value: object): Promise<void> {
		await mkdir(dirname(file), { recursive: true });
		await replaceFile(file, JSON.stringify(seal(value, VERSION)), isSound ? { before: file + BEFORE } : {});
		isSound = true;
	}
	return {
		load: async () => await inTurn(file, read),
		save: async (value) => await inTurn(file, async () => await write(value)),
	};
}

/** Counted up when what is stored means something else than before; nothing of another version is read. */
export const VERSION = 1;

/** Throws on what is stored and cannot be used, because starting without a position skips what happened meanwhile. */
export function valueOf(stored: Unsealed): unknown {
	if (stored.is === 'absent') return undefined;
	if (stored.is === 'sound') return stored.value;
	throw stored.is === 'damaged' ? positionLost() : positionOfOtherVersion();
}

const OTHER_VERSION = 'position version';

const positionLost = (): ExchangeError =>
	new ExchangeError('not_available', {
		field: POSITION,
		what: 'The stored position is damaged, and so is the one before it, so this node does not know where it stood',
		advice:
			'Restore the file from a backup, or choose under "If the position is lost" to begin with new events, and deploy; nothing was skipped',
	});

const positionOfOtherVersion = (): ExchangeError =>
	new ExchangeError('not_available', {
		field: OTHER_VERSION,
		what: 'The stored position was written by another version of these nodes',
		advice: 'Look up what happened meanwhile; this node begins with new events',
	});

const isAbout = (field: string) => (error: unknown) =>
	error instanceof ExchangeError && error.code === 'not_available' && error.field === field;

export const isPositionLost = isAbout(POSITION);
export const isOfOtherVersion = isAbout(OTHER_VERSION);

/** What a file holds; a crash or a disk may leave it torn, empty, full of zeros or altered. */
const storedIn = async (file: string): Promise<Unsealed> =>
	unseal(await readFile(file, 'utf8').catch(unlessMissing), VERSION);

function unlessMissing({ code = '' }: NodeJS.ErrnoException): undefined {
	if (code === 'ENOENT') return undefined;
	throw new ExchangeError('not_available', {
		what: `The stored position cannot be read (${code})`,
		advice: 'Check the disk and the rights of the folder partner-exchange, then deploy again; no event was skipped',
	});
}

/** The last use of each file that is in use. */
const lastUses = new Map<string, Promise<unknown>>();

/** Uses a file one at a time: the node that a deploy replaced may still be writing it when the new node reads it. */
async function inTurn<T>(file: string, use: () => Promise<T>): Promise<T> {
	const used = (lastUses.get(file) ?? Promise.resolve()).then(use);
	const over = used.catch(() => undefined);
	lastUses.set(file, over);
	inBackground(over.then(() => lastUses.get(file) === over && lastUses.delete(file)));
	return await used;
}
