/**
 * Whether messages reach the nodes they are sent to. While a deploy stops and starts nodes, what is sent to a stopped
 * one is dropped without a word.
 */
import type { EventEmitter } from 'node:events';

export interface Deploys {
	/** Whether a node's messages arrive just now. */
	running(node: Place): boolean;
	/** Called when everything runs again, with whether messages of the node may have been lost. Answers how to stop. */
	onStarted(node: Place, listener: (mayHaveLost: boolean) => void): () => void;
}

/** A node and the tab or subflow it stands in. */
export interface Place {
	id: string;
	z: string;
}

/** What Node-RED says of a deploy. */
export interface Change {
	type: 'full' | 'nodes' | 'flows';
	config?: { flows?: readonly { id: string; type: string }[] };
	diff?: Partial<Record<'added' | 'changed' | 'removed' | 'rewired' | 'linked' | 'flowChanged', readonly string[]>> & {
		globalConfigChanged?: boolean;
	};
}

export function watchDeploys(events: EventEmitter): Deploys {
	const listeners = new Map<(mayHaveLost: boolean) => void, Place>();
	// Nodes are made before all of their flow exists, so nothing is sent before the first start has ended either.
	let change: Change | undefined = { type: 'full' };
	events.on('flows:stopping', (stopping: Change) => (change = stopping));
	events.on('flows:started', () => {
		const ended = change;
		change = undefined;
		for (const [listener, place] of [...listeners]) listener(ended !== undefined && touches(ended, place));
	});
	return {
		running: (place) => change === undefined || !touches(change, place),
		onStarted: (place, listener) => {
			listeners.set(listener, place);
			return () => void listeners.delete(listener);
		},
	};
}

/**
 * Whether a deploy stops the node or anything its messages may go to. `linked` names all that is wired to something that
 * changed; where links and subflows are involved the wires do not tell, so the answer is yes.
 */
export function touches({ type, config, diff }: Change, { id, z }: Place): boolean {
	if (type === 'full' || !diff || diff.globalConfigChanged) return true;
	const { added = [], changed = [], removed = [], rewired = [], linked = [], flowChanged = [] } = diff;
	const involved = new Set([...added, ...changed, ...removed, ...rewired, ...linked, ...flowChanged]);
	if (involved.has(id) || flowChanged.includes(z) || added.includes(z) || removed.includes(z)) return true;
	return (config?.flows ?? []).some((node) => involved.has(node.id) && /^(link |subflow)/.test(node.type));
}
