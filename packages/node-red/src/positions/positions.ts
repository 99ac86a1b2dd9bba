/** Stores the position of an events node across restarts: in a file, or in a context store chosen in the form. */
import { join } from 'node:path';
import { ExchangeError } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import type { Settings } from '../host/types';
import type { HostNode } from '../host/host-node';
import { notify } from '../host/notices';
import { isPosition, isPositionLost, positionFile, positionLost, type PositionFile } from './position-file';

export interface PositionStore {
	/**
	 * The value saved last. Throws when it is damaged or cannot be read, because starting without a position skips what
	 * happened meanwhile; a damaged one is given up only where the form says so.
	 */
	load(): Promise<unknown>;
	save(value: unknown): Promise<void>;
}

/** What a node stores: its stream position, or the topics chosen by control messages. */
type StoredKind = 'position' | 'choice';

/** The folder of all files these nodes store. */
export const folderOf = (RED: NodeAPI): string => join(RED.settings.userDir ?? '.', 'partner-exchange');

export const fileNameOf = (nodeId: string, kind: StoredKind = 'position'): string =>
	`${nodeId.replace(/[^\w-]/g, '_')}${kind === 'position' ? '' : `-${kind}`}.json`;

/** Most characters of a name that an error quotes. */
const SHOWN_MAX = 64;

interface Owner {
	RED: NodeAPI;
	node: HostNode;
	settings: Settings;
}

/** The store chosen in the form. A value with another tag belongs to another account or form, and is ignored. */
export function positionStore(
	owner: Owner,
	tag: Readonly<Record<string, string>>,
	kind: StoredKind = 'position',
): PositionStore {
	const medium = mediumOf(owner, kind);
	return {
		load: async () => {
			const stored = (await loaded(medium, owner)) as ({ kept?: unknown } & Record<string, unknown>) | undefined;
			const isOurs = Object.entries(tag).every(([name, value]) => stored?.[name] === value);
			return isOurs ? stored?.kept : undefined;
		},
		save: async (value) => await medium.save({ ...tag, kept: value }),
	};
}

async function loaded(medium: PositionFile, { node, settings }: Owner): Promise<unknown> {
	try {
		return await medium.load();
	} catch (error) {
		if (!isPositionLost(error)) throw error;
		if (settings.lost === 'now') {
			const text = 'The stored position was damaged; this node begins with new events, as its form says';
			node.warn(text);
			notify({ node, settings }, { kind: 'position_lost', text });
			return undefined;
		}
		notify({ node, settings }, { kind: 'position_lost', text: (error as Error).message });
		throw error;
	}
}

function mediumOf({ RED, node, settings }: Owner, kind: StoredKind): PositionFile {
	const { store } = settings;
	if (typeof store === 'string' && store !== '') return contextStore({ RED, node, settings }, store, kind);
	return positionFile(join(folderOf(RED), fileNameOf(node.id, kind)), (problem) => node.warn(problem));
}

/** For a name that it does not know, Node-RED uses its default store, which may forget at a restart. */
function assertStore(RED: NodeAPI, store: string): void {
	const { contextStorage = { default: {}, memory: {} } } = RED.settings as { contextStorage?: object };
	if (Object.hasOwn(contextStorage, store)) return;
	throw new ExchangeError('invalid_input', {
		field: 'store',
		what: `This Node-RED has no context store named ${store.slice(0, SHOWN_MAX)}, in which the position is to be kept`,
		advice: 'Open the node, choose another under Position kept in, and deploy',
	});
}

function contextStore({ RED, node: { self } }: Owner, store: string, kind: StoredKind): PositionFile {
	const context = self.context();
	const key = `partner-exchange-${kind}`;
	return {
		load: async () => {
			assertStore(RED, store);
			const value = await new Promise((resolve, reject) =>
				context.get(key, store, (error, value: unknown) => (error ? reject(error) : resolve(value))),
			);
			if (value !== undefined && !isPosition(value)) throw positionLost();
			return value;
		},
		save: async (value) =>
			await new Promise((resolve, reject) =>
				context.set(key, value, store, (error) => (error ? reject(error) : resolve())),
			),
	};
}
