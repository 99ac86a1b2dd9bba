/** Stores the position of an events node across restarts: in a file, or in a context store chosen in the form. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExchangeError } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import { writeAtomically } from './atomic-write';
import { run, type HostNode } from './host-node';

export interface PositionStore {
	/**
	 * The value saved last. A damaged file is reported and treated as missing. Throws when it cannot be read, because
	 * starting without a position skips what happened meanwhile.
	 */
	load(): Promise<unknown>;
	save(value: unknown): Promise<void>;
}

/** What a node stores: its stream position, or the topics chosen by control messages. */
type Kept = 'position' | 'choice';

/** The folder of all files these nodes store. */
export const folderOf = (RED: NodeAPI): string => join(RED.settings.userDir ?? '.', 'partner-exchange');

export const fileNameOf = (nodeId: string, kept: Kept = 'position'): string =>
	`${nodeId.replace(/[^\w-]/g, '_')}${kept === 'position' ? '' : `-${kept}`}.json`;

export function positionStore(RED: NodeAPI, node: HostNode, store: unknown, kept: Kept = 'position'): PositionStore {
	if (typeof store === 'string' && store !== '') return contextStore(node, store, kept);
	return fileStore(join(folderOf(RED), fileNameOf(node.id, kept)), (problem) => node.warn(problem));
}

export function fileStore(file: string, warn: (problem: string) => void): PositionStore {
	const read = async (): Promise<unknown> => {
		const text = await readFile(file, 'utf8').catch(unlessMissing);
		if (text === undefined) return undefined;
		try {
			return JSON.parse(text) as unknown;
		} catch {
			warn('The stored position cannot be read, so this node starts with new events');
			return undefined;
		}
	};
	return {
		load: async () => await inTurn(file, read),
		save: async (value) => await inTurn(file, async () => await writeAtomically(file, JSON.stringify(value))),
	};
}

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
	run(over.then(() => lastUses.get(file) === over && lastUses.delete(file)));
	return await used;
}

function contextStore({ self }: HostNode, store: string, kept: Kept): PositionStore {
	const context = self.context();
	const key = `partner-exchange-${kept}`;
	return {
		load: async () =>
			await new Promise((resolve, reject) =>
				context.get(key, store, (error, value) => (error ? reject(error) : resolve(value))),
			),
		save: async (value) =>
			await new Promise((resolve, reject) =>
				context.set(key, value, store, (error) => (error ? reject(error) : resolve())),
			),
	};
}

/** Stores a value with a tag; a value with another tag is ignored. */
export function scoped(store: PositionStore, tag: Readonly<Record<string, string>>): PositionStore {
	return {
		load: async () => {
			const stored = (await store.load()) as ({ kept?: unknown } & Record<string, unknown>) | null | undefined;
			const isOurs = Object.entries(tag).every(([name, value]) => stored?.[name] === value);
			return isOurs ? stored?.kept : undefined;
		},
		save: async (kept) => await store.save({ ...tag, kept }),
	};
}
