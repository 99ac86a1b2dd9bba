import { ExchangeError } from '@partner-exchange/core';
import { LOST, seal, unseal } from '@partner-exchange/core/adapters';
import type { IDataObject, INode } from 'n8n-workflow';

interface StoringHost {
	getWorkflowStaticData(type: 'global'): unknown;
	getNode(): Pick<INode, 'id' | 'name'>;
}

/**
 * The name of what is stored for a node. What n8n itself keeps for a node has the node's name, and is lost where a person
 * gives it another one; the ID stays.
 */
export const recordOf = ({ id }: Pick<INode, 'id'>): string => `partner-exchange:${id}`;

/** What n8n stores for a node, sealed; n8n's database replaces it as a whole, so no generation before it is kept. */
export interface StaticData<State extends object> {
	/** What was stored last: nothing at the first start, and `LOST` where another version stored it. */
	read(): Partial<State> | typeof LOST;
	/** n8n saves it with the next emit, or at the end of a poll. */
	write(state: State): void;
}

/**
 * The names of the nodes that store something, by their IDs, for each workflow that n8n has activated. A workflow that a
 * program wrote may give two nodes one ID: each would go on from the checkpoint of the other, and lose events.
 */
const storing = new WeakMap<object, Map<string, string>>();

function assertOwnId(all: object, { id, name }: Pick<INode, 'id' | 'name'>): void {
	const names = storing.get(all) ?? new Map<string, string>();
	storing.set(all, names);
	const other = names.get(id) ?? name;
	names.set(id, other);
	if (other === name) return;
	throw new ExchangeError('not_available', {
		what: `This node has the same ID as the node ${other} of this workflow, under which n8n stores the checkpoint of both`,
		advice: 'Put a copy of this node in its place, which gets an ID of its own, and publish the workflow again',
	});
}

/** Counted up when what is stored means something else than before; nothing of another version is read. */
const VERSION = 1;

/**
 * A damaged or imported workflow may hold anything in its place. A checkpoint that was damaged, or cannot be stored, would
 * repeat or lose events, so nothing is begun then.
 */
export function staticDataOf<State extends object>(host: StoringHost): StaticData<State> {
	const all = host.getWorkflowStaticData('global');
	if (typeof all !== 'object' || all === null || Array.isArray(all)) throw damaged();
	assertOwnId(all, host.getNode());
	const records = all as IDataObject;
	const record = recordOf(host.getNode());
	return {
		read: () => {
			if (!Object.hasOwn(records, record)) return {};
			const stored = unseal(records[record], VERSION);
			if (stored.is === 'sound') return stored.value as State;
			if (stored.is !== 'other_version') throw damaged();
			return LOST;
		},
		write: (state) => void (records[record] = seal(state, VERSION) as unknown as IDataObject),
	};
}

const damaged = (): ExchangeError =>
	new ExchangeError('not_available', {
		what: "What n8n stores for this node is damaged: the workflow's static data holds no sound record under its ID",
		advice:
			'Put a copy of the node in its place, which begins a new record, activate the workflow again, and look up what happened meanwhile',
	});
