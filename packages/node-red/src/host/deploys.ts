/** Tells when a deploy has nodes stopped. Node-RED silently drops messages sent to a stopped node. */
import type { EventEmitter } from 'node:events';

export interface Deploys {
	/** Whether messages of the node are delivered now. */
	running(node: FlowNode): boolean;
	/**
	 * Calls the listener when all flows run again; `mayHaveLost` says whether the deploy may have dropped messages of the
	 * node. Returns a function that removes the listener.
	 */
	onStarted(node: FlowNode, listener: (mayHaveLost: boolean) => void): () => void;
}

/** A node, and the tab or subflow it belongs to (`z`). */
export interface FlowNode {
	id: string;
	z: string;
}

/** The payload of Node-RED's events about a deploy. */
export interface Change {
	type: 'full' | 'nodes' | 'flows';
	config?: { flows?: readonly { id: string; type: string }[] };
	diff?: Partial<Record<'added' | 'changed' | 'removed' | 'rewired' | 'linked' | 'flowChanged', readonly string[]>> & {
		globalConfigChanged?: boolean;
	};
}

export function watchDeploys(events: EventEmitter): Deploys {
	const listeners = new Map<(mayHaveLost: boolean) => void, FlowNode>();
	// Node-RED creates nodes before their flows are complete, so the first start counts as a deploy too.
	let change: Change | undefined = { type: 'full' };
	events.on('flows:stopping', (stopping: Change) => (change = stopping));
	events.on('flows:started', () => {
		const ended = change;
		change = undefined;
		for (const [listener, node] of [...listeners]) listener(ended !== undefined && touches(ended, node));
	});
	return {
		running: (node) => change === undefined || !touches(change, node),
		onStarted: (node, listener) => {
			listeners.set(listener, node);
			return () => void listeners.delete(listener);
		},
	};
}

/**
 * Whether a deploy stops the node or a node that its messages may reach. `linked` names the nodes wired to a changed
 * one; link nodes and subflows pass messages without wires, so if one of them changed the answer is yes.
 */
export function touches({ type, config, diff }: Change, { id, z }: FlowNode): boolean {
	if (type === 'full' || !diff || diff.globalConfigChanged) return true;
	const { added = [], changed = [], removed = [], rewired = [], linked = [], flowChanged = [] } = diff;
	const involved = new Set([...added, ...changed, ...removed, ...rewired, ...linked, ...flowChanged]);
	if (involved.has(id) || flowChanged.includes(z) || added.includes(z) || removed.includes(z)) return true;
	return (config?.flows ?? []).some((node) => involved.has(node.id) && /^(link |subflow)/.test(node.type));
}
