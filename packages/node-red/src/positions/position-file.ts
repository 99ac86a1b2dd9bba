import { inBackground } from '@partner-exchange/core/adapters';
/** The file of a position: synced, replaced as a whole, with the generation before it beside it. */
import { readFile } from 'node:fs/promises';
import { ExchangeError } from '@partner-exchange/core';
import { writeAtomically } from './atomic-write';

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
		const last = await valueIn(file);
		isSound = 'value' in last;
		if ('value' in last) return last.value;
		const before = await valueIn(file + BEFORE);
		if ('value' in before) {
			warn('The stored position is damaged; this node goes on from the one before it, and events may come twice');
			return before.value;
		}
		if (last.isMissing && before.isMissing) return undefined;
		throw positionLost();
	}
	async function write(value: object): Promise<void> {
		await writeAtomically(file, JSON.stringify(value), isSound ? { before: file + BEFORE } : {});
		isSound = true;
	}
	return {
		load: async () => await inTurn(file, read),
		save: async (value) => await inTurn(file, async () => await write(value)),
	};
}

const LOST = 'position';

export const positionLost = (): ExchangeError =>
	new ExchangeError('not_available', {
		field: LOST,
		what: 'The stored position is damaged, and so is the one before it, so this node does not know where it stood',
		advice:
			'Restore the file from a backup, or choose under "If the position is lost" to begin with new events, and deploy; nothing was skipped',
	});

export const isPositionLost = (error: unknown): boolean =>
	error instanceof ExchangeError && error.code === 'not_available' && error.field === LOST;

/** The value in a file; a crash or a disk may leave the file torn, empty or full of zeros. */
async function valueIn(file: string): Promise<{ value: object } | { isMissing: boolean }> {
	const text = await readFile(file, 'utf8').catch(unlessMissing);
	if (text === undefined) return { isMissing: true };
	try {
		const value: unknown = JSON.parse(text);
		return isPosition(value) ? { value } : { isMissing: false };
	} catch {
		return { isMissing: false };
	}
}

/** Whether a stored value may be a position; an empty one says nothing. */
export const isPosition = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

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
