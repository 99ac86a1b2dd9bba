/** Stores the checkpoint of an events node across restarts: in a file, or in a context store chosen in the form. */
import { join, dirname } from 'node:path';
import { ExchangeError } from '@partner-exchange/core';
import {
	inBackground,
	isLost,
	LOST,
	ownCheckpoint,
	seal,
	sleep,
	unseal,
	withAccount,
	type OpenAccount,
	type CheckpointOwner,
	type Unsealed,
} from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import { type Hosted, notify } from '../host/host-node';
import { ports } from '../host/ports';
import { mkdir, readFile } from 'node:fs/promises';
import { replaceFile } from '@partner-exchange/core/node';
import { CHECKPOINT } from '../host/failure';

export interface CheckpointStore {
	/**
	 * The value saved last. Throws when it is damaged or cannot be read, because starting without a checkpoint skips what
	 * happened meanwhile. `LOST` where it is of another version, or damaged and given up by the form.
	 */
	load(): Promise<unknown>;
	save(value: unknown): Promise<void>;
}

/** What a node stores: its stream checkpoint, or the topics chosen by control messages. */
type StoredKind = 'checkpoint' | 'choice';

/** The folder of all files these nodes store. */
export const folderOf = (RED: NodeAPI): string => join(RED.settings.userDir ?? '.', 'partner-exchange');

export const fileNameOf = (nodeId: string, kind: StoredKind = 'checkpoint'): string =>
	`${nodeId.replace(/[^\w-]/g, '_')}${kind === 'checkpoint' ? '' : `-${kind}`}.json`;

/** How long a store that is not in use is waited for. */
const ELSEWHERE_MS_MAX = 2_000;
/** Most characters of a name that an error quotes. */
const SHOWN_MAX = 64;

/**
 * The store chosen in the form. A checkpoint follows its node to where it is kept now: of several stores the one it moved
 * to last has it, and the ones it left hold only that it left. A value with another tag belongs to another form, and
 * is ignored.
 */
export function checkpointStore(
	owner: Hosted,
	tag: Readonly<Record<string, string>> = {},
	kind: StoredKind = 'checkpoint',
): CheckpointStore {
	const { here, elsewhere } = storesOf(owner, kind);
	let moves = 0;
	/** Moves a checkpoint that was found elsewhere to this store. If it cannot be stored here, it stays where it is. */
	async function move(found: Kept, left: readonly CheckpointFile[]): Promise<void> {
		moves += 1;
		await here.save({ ...found, moves });
		for (const store of left) await store.save({ moves });
	}
	return {
		load: async () => {
			const [own, ...others] = [await foundAt(here), ...(await Promise.all(elsewhere.map(foundInTime)))];
			if (own.problem && !isUnusable(own.problem)) throw own.problem;
			const { found: latest } = others.reduce((best, each) => (rankOf(each) > rankOf(best) ? each : best), own);
			moves = latest ? movesOf(latest) : 0;
			// A checkpoint that no readable store has may be in a damaged one.
			const suspects = latest?.kept === undefined ? others : [];
			const problem = [own, ...suspects].map((each) => each.problem).find(isUnusable);
			if (problem) return giveUp(owner, problem);
			const left = others.filter(({ found }) => found?.kept !== undefined).map(({ store }) => store);
			if (latest !== own.found && latest?.kept !== undefined) await move(latest, left).catch(() => undefined);
			const isOurs = Object.entries(tag).every(([name, value]) => latest?.[name] === value);
			return isOurs ? latest?.kept : undefined;
		},
		save: async (value) => await here.save({ ...tag, moves, kept: value }),
	};
}

/** What a store holds: the value with its tag, or only that it left. */
type Kept = { kept?: unknown; moves?: unknown } & Record<string, unknown>;

const movesOf = ({ moves }: Kept): number => (typeof moves === 'number' ? moves : 0);

interface Found {
	store: CheckpointFile;
	found?: Kept | undefined;
	/** Why it cannot be read. */
	problem?: Error;
}

/** The store that was moved to has the number of the one that was left, and the checkpoint. */
const rankOf = ({ found }: Found): number => (found ? 2 * movesOf(found) + (found.kept === undefined ? 0 : 1) : -1);

const foundAt = async (store: CheckpointFile): Promise<Found> =>
	await store.load().then(
		(found) => ({ store, found: found as Kept | undefined }),
		(problem: Error) => ({ store, problem }),
	);

/** A store that is not in use may not answer at all. */
const foundInTime = async (store: CheckpointFile): Promise<Found> =>
	await Promise.race([foundAt(store), sleep(ports.clock, ELSEWHERE_MS_MAX).then(() => ({ store }))]);

/** What is stored there cannot be used. A store that does not answer may hold nothing. */
const isUnusable = (problem: Error | undefined): boolean => isCheckpointLost(problem) || isOfOtherVersion(problem);

/**
 * A store whose checkpoint belongs to one account. If the key has changed, and nothing shows that it is of the same
 * account, the node begins from now, and says so.
 */
export function ownedStore(
	store: CheckpointStore,
	{ node, settings, client }: Hosted & Pick<OpenAccount, 'client'>,
): CheckpointStore {
	let owner: CheckpointOwner | undefined;
	let asking: Promise<void> | undefined;
	let first: Promise<void> | undefined;
	const ask = (): Promise<void> =>
		(asking ??= withAccount(client, owner!).then((known) => {
			owner = known;
			asking = undefined;
		}));
	return {
		load: async () => {
			const stored = (await store.load()) as { owner?: unknown; checkpoint?: unknown } | typeof LOST | undefined;
			const own = await ownCheckpoint(client, stored, (text) => {
				notify({ node, settings }, { kind: 'checkpoint_lost', text });
				node.warn(text);
			});
			({ owner } = own);
			first = ask();
			return isLost(own.stored) ? own.stored : own.stored?.checkpoint;
		},
		save: async (checkpoint) => {
			// The account was asked for when the checkpoint was read, so the first checkpoint is stored with it. Later ones
			// do not wait.
			await first;
			await store.save({ owner, checkpoint });
			if (owner?.account === undefined) inBackground(ask());
		},
	};
}

/** A damaged checkpoint is given up only where the form says so. The stream then reports that it begins from now. */
function giveUp({ node, settings }: Hosted, problem: Error): typeof LOST {
	const isOther = isOfOtherVersion(problem);
	if (!isOther && settings.lost !== 'now') throw problem;
	const text = isOther
		? problem.message
		: 'The stored checkpoint was damaged; this node begins with new events, as its form says';
	notify({ node, settings }, { kind: 'checkpoint_lost', text });
	return LOST;
}

/** Where the form says that it is kept, and all other stores where it may have been kept. */
function storesOf(owner: Hosted, kind: StoredKind): { here: CheckpointFile; elsewhere: CheckpointFile[] } {
	const { RED, node, settings } = owner;
	const file = checkpointFile(join(folderOf(RED), fileNameOf(node.id, kind)), (problem) => node.warn(problem));
	const chosen = typeof settings.store === 'string' ? settings.store : '';
	const others = contextStoresOf(RED).filter((name) => name !== chosen);
	const stores = others.map((name) => contextStore(owner, name, kind));
	if (chosen === '') return { here: file, elsewhere: stores };
	return { here: contextStore(owner, chosen, kind), elsewhere: [file, ...stores] };
}

const contextStoresOf = (RED: NodeAPI): string[] =>
	Object.keys((RED.settings as { contextStorage?: object }).contextStorage ?? { default: {}, memory: {} });

/** For a name that it does not know, Node-RED uses its default store, which may forget at a restart. */
function assertStore(RED: NodeAPI, store: string): void {
	if (contextStoresOf(RED).includes(store)) return;
	throw new ExchangeError('invalid_input', {
		field: 'store',
		what: `This Node-RED has no context store named ${store.slice(0, SHOWN_MAX)}, in which the checkpoint is to be kept`,
		advice: 'Open the node, choose another under Checkpoint kept in, and deploy',
	});
}

/** A value of a context store is sealed like a file. A generation before it would be damaged with it, in one file. */
function contextStore({ RED, node: { self } }: Hosted, store: string, kind: StoredKind): CheckpointFile {
	const context = self.context();
	const key = `partner-exchange-${kind}`;
	return {
		load: async () => {
			assertStore(RED, store);
			const value = await new Promise((resolve, reject) =>
				context.get(key, store, (error, value: unknown) => (error ? reject(error) : resolve(value))),
			);
			return valueOf(unseal(value, VERSION), `in the context store ${store}`);
		},
		save: async (value) =>
			await new Promise((resolve, reject) =>
				context.set(key, seal(value, VERSION), store, (error) => (error ? reject(error) : resolve())),
			),
	};
}

// The file of a checkpoint: sealed, synced, replaced as a whole, with the generation before it beside it.

interface CheckpointFile {
	/**
	 * The value saved last; of a damaged file, the one before it. Throws when neither can be read, because starting without
	 * a checkpoint skips what happened meanwhile.
	 */
	load(): Promise<unknown>;
	save(value: object): Promise<void>;
}

/** The ending of the generation before, which is replaced only by a file known to be sound. */
const BEFORE = '.before';

export function checkpointFile(file: string, warn: (problem: string) => void): CheckpointFile {
	let isSound = false;
	async function read(): Promise<unknown> {
		const last = await storedIn(file);
		isSound = last.is === 'sound';
		if (last.is === 'sound') return last.value;
		const before = await storedIn(file + BEFORE);
		if (before.is === 'sound') {
			warn(
				`The stored checkpoint is damaged; this node goes on from the one before it, and events may come twice (${file})`,
			);
			return before.value;
		}
		return last.is === 'absent' ? valueOf(before, `in ${file + BEFORE}`) : valueOf(last, `in ${file}`);
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
const VERSION = 1;

/** Throws on what is stored and cannot be used, because starting without a checkpoint skips what happened meanwhile. */
function valueOf(stored: Unsealed, place: string): unknown {
	if (stored.is === 'absent') return undefined;
	if (stored.is === 'sound') return stored.value;
	throw stored.is === 'damaged' ? checkpointLost(place) : checkpointOfOtherVersion(place);
}

const OTHER_VERSION = 'checkpoint version';

const checkpointLost = (place: string): ExchangeError =>
	new ExchangeError('not_available', {
		field: CHECKPOINT,
		what: `The stored checkpoint ${place} is damaged, and so is the one before it, so this node does not know where it stood`,
		advice:
			'Restore the file from a backup, or choose under "If the checkpoint is lost" to begin with new events, and deploy; nothing was skipped',
	});

const checkpointOfOtherVersion = (place: string): ExchangeError =>
	new ExchangeError('not_available', {
		field: OTHER_VERSION,
		what: `The stored checkpoint ${place} was written by another version of these nodes`,
		advice: 'Look up what happened meanwhile; this node begins with new events',
	});

const isAbout = (field: string) => (error: unknown) =>
	error instanceof ExchangeError && error.code === 'not_available' && error.field === field;

export const isCheckpointLost = isAbout(CHECKPOINT);
const isOfOtherVersion = isAbout(OTHER_VERSION);

/** What a file holds; a crash or a disk may leave it torn, empty, full of zeros or altered. */
const storedIn = async (file: string): Promise<Unsealed> =>
	unseal(await readFile(file, 'utf8').catch(unlessMissing(file)), VERSION);

const unlessMissing =
	(file: string) =>
	({ code = '' }: NodeJS.ErrnoException): undefined => {
		if (code === 'ENOENT') return undefined;
		throw new ExchangeError('not_available', {
			what: `The stored checkpoint in ${file} cannot be read (${code})`,
			advice: 'Check the disk and the rights of the folder partner-exchange, then deploy again; no event was skipped',
		});
	};

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
