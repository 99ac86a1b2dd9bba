import { copyFile, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { ExchangeError } from '../errors';
import type { IntentEntry, IntentJournal } from '../orders/journal';
import { appendedFile } from './appended-file';
import { fileLock } from './file-lock';

/** Lines after which the file is written anew with what is still open. */
const LINES_MAX = 2_000;
/** Most open intents. Each is an order whose outcome nobody knows, so this many need a person. */
const OPEN_MAX = 10_000;
const OWNER_ONLY = 0o600;

type Line = { record: IntentEntry } | { settle: string };

export interface JournalHost {
	/** Told what a person should know: a damaged line, say. One sentence without a final period. */
	warn?(text: string): void;
}

/**
 * A journal in one file that only grows: one line for each record or settlement, each with a checksum, on the disk before
 * `record` resolves. A line torn by a crash is left out, as nothing was sent for it. One process at a time writes it.
 */
export function fileJournal(file: string, { warn = () => undefined }: JournalHost = {}): IntentJournal {
	const inTurn = oneAtATime();
	const lock = fileLock(`${file}.lock`);
	const end = appendedFile(file, OWNER_ONLY);
	let opened: Opened | undefined;
	async function ready(): Promise<Opened> {
		// The last write found its folder and its lock, and a write that fails says so.
		if (opened?.isSound) return opened;
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		if (!(await lock.hold())) throw inUse();
		// A read that failed is tried again at the next call.
		return (opened ??= await load(file, warn));
	}

	/** What arrives while the disk is busy is written together, so that the disk is waited for once. */
	let waiting: Waiting[] = [];
	function append(line: Line): Promise<void> {
		return new Promise((resolve, reject) => {
			waiting.push({ line, resolve, reject });
			if (waiting.length === 1) void inTurn(writeWaiting);
		});
	}

	async function writeWaiting(): Promise<void> {
		const group = waiting;
		waiting = [];
		try {
			const journal = await ready();
			const fitting = thatFit(group, journal);
			if (fitting.length === 0) return;
			if (!journal.isSound || journal.lines + fitting.length > LINES_MAX) {
				await end.close();
				await rewrite(file, journal);
			}
			// Nothing may be appended to a half-written line, so after a failure the next line begins a new file.
			journal.isSound = false;
			await end.append(fitting.map(({ line }) => written(line)).join(''));
			journal.isSound = true;
			journal.lines += fitting.length;
			for (const { line } of fitting) apply(journal.entries, line);
			for (const { resolve } of fitting) resolve();
		} catch (error) {
			for (const { reject } of group) reject(error);
		}
	}

	return {
		record: (entry) => append({ record: entry }),
		settle: (key) => append({ settle: key }),
		open: () => inTurn(async () => [...(await ready()).entries.values()].sort((a, b) => a.at - b.at)),
	};
}

const inUse = (): ExchangeError =>
	new ExchangeError('not_available', {
		what: 'another process uses it',
		advice: 'Give each process a folder of its own',
	});

const tooMany = (): ExchangeError =>
	new ExchangeError('limit_reached', {
		what: `it holds ${OPEN_MAX} orders of unknown outcome`,
		advice: 'Settle them before you send more',
	});

interface Waiting {
	line: Line;
	resolve(): void;
	reject(error: unknown): void;
}

/** Those of a group that the journal has room for; the others are refused. */
function thatFit(group: readonly Waiting[], { entries }: Opened): Waiting[] {
	let room = OPEN_MAX - entries.size;
	return group.filter(({ line, reject }) => {
		if ('settle' in line) return true;
		if (room <= 0) reject(tooMany());
		room -= 1;
		return room >= 0;
	});
}

interface Opened {
	entries: Map<string, IntentEntry>;
	/** Whether the file ends with a whole line of this process. */
	isSound: boolean;
	lines: number;
}

async function load(file: string, warn: (text: string) => void): Promise<Opened> {
	const lines = (await textOf(file)).split('\n');
	const torn = lines.pop() ?? '';
	const entries = new Map<string, IntentEntry>();
	let damaged = 0;
	for (const text of lines) {
		const line = readLine(text);
		if (line) apply(entries, line);
		else damaged += 1;
	}
	// A line broken in the middle is no crash but a fault of the disk, so what was there is kept for a person to see.
	if (damaged > 0) {
		await copyFile(file, `${file}.damaged`);
		warn(
			`The journal of open orders has ${damaged} damaged ${damaged === 1 ? 'line' : 'lines'}, each perhaps an order of unknown outcome; the file is kept beside it with the ending .damaged, so compare it with the order list`,
		);
	}
	const last = readLine(torn);
	if (last) apply(entries, last);
	return { entries, isSound: false, lines: 0 };
}

async function textOf(file: string): Promise<string> {
	try {
		return await readFile(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
		throw error;
	}
}

/** Writes what is open beside the file, and puts it in its place in one step. */
async function rewrite(file: string, journal: Opened): Promise<void> {
	const beside = `${file}.new`;
	await write(beside, [...journal.entries.values()].map((record) => written({ record })).join(''));
	await rename(beside, file);
	await syncFolder(dirname(file));
	journal.lines = journal.entries.size;
}

/** Resolves when the text is on the disk. */
async function write(file: string, text: string): Promise<void> {
	const handle = await open(file, 'w', OWNER_ONLY);
	try {
		await handle.appendFile(text);
		await handle.datasync();
	} finally {
		await handle.close();
	}
}

/** A rename is durable only once its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r');
	try {
		await handle.sync();
	} catch {
		// Some file systems cannot sync a folder.
	} finally {
		await handle.close();
	}
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0');

function written(line: Line): string {
	const json = JSON.stringify(line);
	return `${checksum(json)} ${json}\n`;
}

function readLine(text: string): Line | undefined {
	const json = text.slice(9);
	if (text.slice(0, 8) !== checksum(json) || json === '') return undefined;
	return JSON.parse(json) as Line;
}

function apply(entries: Map<string, IntentEntry>, line: Line): void {
	if ('settle' in line) entries.delete(line.settle);
	else entries.set(line.record.key, line.record);
}

/** Runs tasks one after another, also when one of them fails. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const next = last.then(work);
		last = next.catch(() => undefined);
		return next;
	};
}
