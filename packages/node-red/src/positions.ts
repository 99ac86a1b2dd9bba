/** The position of a listening node across restarts: in a file of its own, or in a context store the operator chose. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import { writeAtomically } from './atomic-write';
import type { Node } from './host';

export interface PositionStore {
	/** What was saved last, or nothing: a file that cannot be read counts as a first start, and is reported. */
	load(): Promise<unknown>;
	save(value: unknown): Promise<void>;
}

/** What a node keeps: where it stood, or what messages told it to listen to. */
type Kept = 'position' | 'choice';

/** The folder of everything our nodes store. */
export const folderOf = (RED: NodeAPI): string => join(RED.settings.userDir ?? '.', 'partner-exchange');

export const fileNameOf = (nodeId: string, kept: Kept = 'position'): string =>
	`${nodeId.replace(/[^\w-]/g, '_')}${kept === 'position' ? '' : `-${kept}`}.json`;

export function positionStore(RED: NodeAPI, node: Node, store: unknown, kept: Kept = 'position'): PositionStore {
	if (typeof store === 'string' && store !== '') return contextStore(node, store, kept);
	return fileStore(join(folderOf(RED), fileNameOf(node.id, kept)), (problem) => node.warn(problem));
}

export function fileStore(file: string, warn: (problem: string) => void): PositionStore {
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
		save: async (value) => await writeAtomically(file, JSON.stringify(value)),
	};
}

function contextStore(node: Node, store: string, kept: Kept): PositionStore {
	const context = node.context();
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

/** Stores a value together with its owner: a value of another owner counts as none. */
export function scoped(keeper: PositionStore, tag: Readonly<Record<string, string>>): PositionStore {
	return {
		load: async () => {
			const stored = (await keeper.load()) as ({ kept?: unknown } & Record<string, unknown>) | null | undefined;
			const isOurs = Object.entries(tag).every(([name, value]) => stored?.[name] === value);
			return isOurs ? stored?.kept : undefined;
		},
		save: async (kept) => await keeper.save({ ...tag, kept }),
	};
}
