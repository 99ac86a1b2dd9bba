/** Stores the position of an events node across restarts: in a file, or in a context store chosen in the form. */
import { join } from 'node:path';
import { ExchangeError } from '@partner-exchange/core';
import { seal, unseal } from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import type { Settings } from '../host/types';
import type { HostNode } from '../host/host-node';
import { notify } from '../host/notices';
import { isOfOtherVersion, isPositionLost, positionFile, valueOf, VERSION, type PositionFile } from './position-file';

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
		if (!isPositionLost(error) && !isOfOtherVersion(error)) throw error;
		const isGivenUp = settings.lost === 'now' || isOfOtherVersion(error);
		const text =
			isGivenUp && isPositionLost(error)
				? 'The stored position was damaged; this node begins with new events, as its form says'
				: (error as Error).message;
		notify({ node, settings }, { kind: 'position_lost', text });
		if (!isGivenUp) throw error;
		node.warn(text);
		return undefined;
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

/** A value of a context store is sealed like a file. A generation before it would be damaged with it, in one file. */
function contextStore({ RED, node: { self } }: Owner, store: string, kind: StoredKind): PositionFile {
	const context = self.context();
	const key = `partner-exchange-${kind}`;
	return {
		load: async () => {
			assertStore(RED, store);
			const value = await new Promise((resolve, reject) =>
				context.get(key, store, (error, value: unknown) => (error ? reject(error) : resolve(value))),
			);
			return valueOf(unseal(value, VERSION));
		},
		save: async (value) =>
			await new Promise((resolve, reject) =>
				context.set(key, seal(value, VERSION), store, (error) => (error ? reject(error) : resolve())),
			),
	};
}
