import { tell } from '../background';
import { appendFileSync, close, constants, existsSync, fdatasync, fstatSync, open } from 'node:fs';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { forgetOldest } from '../bounded';
import { ExchangeError } from '../errors';
import { assertGiven, assertKind, callback, someText } from '../given';
import { isEntryOwner, isIntentEntry, type EntryOwner, type IntentEntry, type IntentJournal } from '../orders/journal';
import { isItem } from '../wire/payload';
import { fileLock } from './file-lock';
import { replaceablePath, replaceFile } from './replaced-file';

/** Lines after which the file is rewritten with the open intents only. */
const LINES_MAX = 2_000;
/** Most open intents. Each is an order of unknown outcome, so this many need a person. */
const OPEN_MAX = 10_000;
const OWNER_ONLY = 0o600;
/** How long an intent that was done is remembered, because the order list may not show its order yet. */
const RECENT_MS = 300_000;
/** Few enough of them to leave most lines of the file to others. */
const RECENT_MAX = 500;

type Line = { record: IntentEntry } | { settle: string; account: EntryOwner; outcome?: 'accepted' | 'refused' };

interface JournalHost {
	/** Receives what a person should know, such as a damaged line. One sentence without a final period. */
	warn?(text: string): void;
}

/**
 * A journal in one append-only file: one line with a checksum for each record or close, synced to the disk before
 * `record` resolves. A close is synced with the next record: it outlives the process, and where a machine loses its
 * power before that, the order is looked up once more. A line torn by a crash is skipped, as nothing was sent for it. No
 * generation before it is kept: every line has a checksum of its own, so damage takes single lines, and says so. One
 * process at a time writes; the file is readable by its owner only.
 *
 * @throws An {@link ExchangeError} from its methods: `not_available` where another process goes on using the file, `limit_reached`
 * with 10,000 open intents. An unwritable file rejects, and the order is not sent.
 *
 * @example
 * const journal = fileJournal('/var/lib/trader/intents.jsonl', { warn: console.warn });
 * const client = createClient(account, nodePorts(), { journal });
 */
export function fileJournal(file: string, host: JournalHost = {}): IntentJournal {
	assertKind(file, someText, { of: 'The file of a journal', field: 'file' });
	assertGiven(host, { warn: callback }, { of: 'What a journal takes beside its file' });
	const { warn = () => undefined } = host;
	const inTurn = oneAtATime();
	const lock = fileLock(`${file}.lock`);
	const end = appendedFile(file, OWNER_ONLY);
	const assertHeld = (): void => {
		if (!lock.isHeld()) throw inUse();
	};
	let opened: Opened | undefined;
	async function ready(): Promise<Opened> {
		const isHeld = lock.isHeld();
		// The last write succeeded, so the folder exists; a write that fails reports itself.
		if (isHeld && opened?.isSound) return opened;
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		if (!(await lock.wait())) throw inUse();
		// Where the lock was lost meanwhile, another process may have written.
		if (!isHeld && existsSync(file)) opened = undefined;
		// After a failed read, the next call reads again.
		return (opened ??= await load(file, warn));
	}

	/** Entries that arrive during a disk write are written together afterwards, with one sync. */
	let waiting: Waiting[] = [];
	function append(line: Line): Promise<void> {
		return new Promise((resolve, reject) => {
			waiting.push({ line, resolve, reject });
			if (waiting.length === 1) inTurn(writeWaiting).catch(() => undefined);
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
				await rewrite(file, journal, assertHeld);
			}
			// Appending to a half-written line would damage the next entry, so after a failure the next line begins a
			// new file.
			journal.isSound = false;
			const isRecord = fitting.some(({ line }) => 'record' in line);
			await end.append(fitting.map(({ line }) => lineText(line)).join(''), isRecord);
			// Another process may have read the file before these lines were in it, and then rewrite it without them.
			assertHeld();
			journal.isSound = true;
			journal.lines += fitting.length;
			for (const { line } of fitting) apply(journal, line);
			for (const { resolve } of fitting) resolve();
		} catch (error) {
			for (const { reject } of group) reject(error);
		}
	}

	return {
		record: (entry) => append({ record: entry }),
		close: (key, outcome, account) => append({ settle: key, account, outcome }),
		open: () => inTurn(async () => byTime((await ready()).entries.values())),
		recent: () =>
			inTurn(async () => {
				const journal = await ready();
				return byTime([...recentOf(journal), ...journal.entries.values()]);
			}),
	};
}

const byTime = (entries: Iterable<IntentEntry>): IntentEntry[] => [...entries].sort((a, b) => a.at - b.at);

const inUse = (): ExchangeError =>
	new ExchangeError('not_available', {
		what: 'another process uses it',
		advice: 'Give each process a folder of its own',
	});

const tooMany = (): ExchangeError =>
	new ExchangeError('limit_reached', {
		what: `it holds ${OPEN_MAX} orders of unknown outcome`,
		advice: 'Resolve them before you send more',
	});

interface Waiting {
	line: Line;
	resolve(): void;
	reject(error: unknown): void;
}

/** The entries of a group that fit into the journal; the others are refused. */
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
	/** By key and account: two accounts may use one name. */
	entries: Map<string, IntentEntry>;
	/** Intents that were done a short time ago. */
	done: Map<string, IntentEntry>;
	/** Whether the file ends with a complete line written by this process. */
	isSound: boolean;
	lines: number;
}

async function load(file: string, warn: (text: string) => void): Promise<Opened> {
	const lines = (await readText(replaceablePath(file))).split('\n');
	const torn = lines.pop() ?? '';
	const journal: Opened = { entries: new Map(), done: new Map(), isSound: false, lines: 0 };
	// A crash leaves the beginning of a line, and a file that is nothing else held no more.
	let damaged = lines.length === 0 && !LINE_BEGUN.test(torn) ? 1 : 0;
	for (const text of lines) {
		const line = readLine(text);
		if (line) apply(journal, line);
		else damaged += 1;
	}
	// A broken line in the middle is a disk fault and not a crash, so the damaged file is kept for inspection.
	if (damaged > 0) {
		const copy = `${file}.damaged`;
		await rm(copy, { force: true });
		await copyFile(file, copy, constants.COPYFILE_EXCL);
		tell(() =>
			warn(
				`The journal of open orders has ${damaged} damaged ${damaged === 1 ? 'line' : 'lines'} (or of another version), each perhaps an order of unknown outcome; the file is kept beside it with the ending .damaged, so compare it with the order list`,
			),
		);
	}
	// The last line is whole where all it lacks is its line break, or where a disk has made that another character.
	const last = readLine(torn) ?? readLine(torn.slice(0, -1));
	if (last) apply(journal, last);
	return journal;
}

async function readText(file: string): Promise<string> {
	try {
		return await readFile(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
		throw error;
	}
}

/** Leaves only the open intents in the journal, and those done a short time ago. */
async function rewrite(file: string, journal: Opened, check: () => void): Promise<void> {
	const done = recentOf(journal).flatMap((record): Line[] => [
		{ record },
		{ settle: record.key, account: record.account, outcome: 'accepted' },
	]);
	const open = [...journal.entries.values()].map((record): Line => ({ record }));
	await replaceFile(file, [...done, ...open].map(lineText).join(''), { check });
	journal.lines = done.length + open.length;
}

/** Any beginning of a line, the empty one too. */
const LINE_BEGUN = /^(?:[0-9a-f]{0,8}|[0-9a-f]{8} .*)$/s;

/** Counted up when a line means something else than before. A line of another version fails its checksum and is reported. */
const VERSION = 1;

const checksum = (json: string): string => crc32(json, VERSION).toString(16).padStart(8, '0');

function lineText(line: Line): string {
	const json = JSON.stringify(line);
	return `${checksum(json)} ${json}\n`;
}

function readLine(text: string): Line | undefined {
	const json = text.slice(9);
	if (text.slice(0, 8) !== checksum(json)) return undefined;
	try {
		const line: unknown = JSON.parse(json);
		return isLine(line) ? line : undefined;
	} catch {
		return undefined;
	}
}

/** A checksum proves that a line is whole, and not that this program wrote it. */
const isLine = (line: unknown): line is Line =>
	isItem(line) && ('settle' in line ? isSettling(line) : isIntentEntry(line.record));

const isSettling = ({ settle, account }: Readonly<Record<string, unknown>>): boolean =>
	typeof settle === 'string' && isEntryOwner(account);

function apply({ entries, done }: Opened, line: Line): void {
	if ('record' in line) return void entries.set(entryKey(line.record), line.record);
	const name = entryKey({ key: line.settle, account: line.account });
	const entry = entries.get(name);
	entries.delete(name);
	if (!entry || line.outcome !== 'accepted') return;
	done.delete(name);
	done.set(name, entry);
	forgetOldest(done, RECENT_MAX);
}

const entryKey = ({ key, account }: Pick<IntentEntry, 'key' | 'account'>): string =>
	JSON.stringify([key, account.address, account.key]);

function recentOf({ done }: Opened): IntentEntry[] {
	for (const [name, { at }] of done) if (Date.now() - at > RECENT_MS) done.delete(name);
	return [...done.values()];
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

// Callbacks, because the promises of node:fs/promises cost as much as the operations themselves.
const [opened, synced, closed] = [open, fdatasync, close].map((step) => promisify(step)) as [
	(file: string, flags: number, mode: number) => Promise<number>,
	(fd: number) => Promise<void>,
	(fd: number) => Promise<void>,
];

const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;
/** The file has no explicit end of use, so it is closed after this idle time. */
const IDLE_MS = 1_000;

/**
 * A file that is appended to and stays open between writes, because opening and closing costs as much as writing. Not
 * for concurrent writes.
 */
function appendedFile(file: string, mode: number) {
	let fd: number | undefined;
	let isBusy = false;
	const idle = setTimeout(() => {
		if (isBusy) idle.refresh();
		else release().catch(() => undefined);
	}, IDLE_MS).unref();

	async function release(): Promise<void> {
		const descriptor = fd;
		fd = undefined;
		// What has to outlive the machine is already synced, so a failing close loses nothing.
		if (descriptor !== undefined) await closed(descriptor).catch(() => undefined);
	}

	return {
		/**
		 * Resolves when the text is at the end of the file with this name, where it outlives the process. With `isSynced` it
		 * is on the disk then, with all that was appended before, and outlives the machine.
		 */
		append: async (text: string, isSynced: boolean): Promise<void> => {
			isBusy = true;
			try {
				// A deleted file would lose what is written to it, so the file is opened again.
				if (fd !== undefined && fstatSync(fd).nlink === 0) await release();
				fd ??= await opened(file, FLAGS, mode);
				// Some hundred bytes into the cache of the system: handing them to another thread costs ten times as much.
				appendFileSync(fd, text);
				if (isSynced) await synced(fd);
			} finally {
				isBusy = false;
				idle.refresh();
			}
		},
		/** Call before renaming another file to this name. */
		close: release,
	};
}
