/** Where a listening node stood, kept across restarts: in a file of its own, or in a context store the operator chose. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import { replaceFile } from './durable';
import type { Node } from './host';

export interface Keeper {
	/** What was saved last, or nothing: a file that cannot be read counts as a first start, and is said aloud. */
	load(): Promise<unknown>;
	save(value: unknown): Promise<void>;
}

const CONTEXT_KEY = 'partner-exchange-position';

/** Where everything stands that our nodes keep. */
export const folderOf = (RED: NodeAPI): string => join(RED.settings.userDir ?? '.', 'partner-exchange');

export const fileNameOf = (nodeId: string): string => `${nodeId.replace(/[^\w-]/g, '_')}.json`;

export function keeperOf(RED: NodeAPI, node: Node, store: unknown): Keeper {
	if (typeof store === 'string' && store !== '') return contextKeeper(node, store);
	return fileKeeper(join(folderOf(RED), fileNameOf(node.id)), (problem) => node.warn(problem));
}

export function fileKeeper(file: string, warn: (problem: string) => void): Keeper {
	return {
		load: async () => {
			const text = await readFile(file, 'utf8').catch(() => undefined);
			if (text === undefined) return undefined;
			try {
				return JSON.parse(text) as unknown;
			} catch {
				warn('The stored position cannot be read, so this node starts with new events');
				return undefined;
			}
		},
		save: async (value) => await replaceFile(file, JSON.stringify(value)),
	};
}

function contextKeeper(node: Node, store: string): Keeper {
	const context = node.context();
	return {
		load: async () =>
			await new Promise((resolve, reject) =>
				context.get(CONTEXT_KEY, store, (error, value) => (error ? reject(error) : resolve(value))),
			),
		save: async (value) =>
			await new Promise((resolve, reject) =>
				context.set(CONTEXT_KEY, value, store, (error) => (error ? reject(error) : resolve())),
			),
	};
}

/** What is kept together with whom it belongs to: what belongs to somebody else counts as nothing. */
export function tagged(keeper: Keeper, tag: Readonly<Record<string, string>>): Keeper {
	return {
		load: async () => {
			const stored = (await keeper.load()) as ({ kept?: unknown } & Record<string, unknown>) | null | undefined;
			const isOurs = Object.entries(tag).every(([name, value]) => stored?.[name] === value);
			return isOurs ? stored?.kept : undefined;
		},
		save: async (kept) => await keeper.save({ ...tag, kept }),
	};
}
