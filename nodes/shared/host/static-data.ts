import { ExchangeError } from '@partner-exchange/core';
import { LOST, seal, unseal } from '@partner-exchange/core/adapters';
import type { IDataObject } from 'n8n-workflow';

interface StoringHost {
	getWorkflowStaticData(type: 'node'): unknown;
}

/** What n8n stores for a node, sealed; n8n's database replaces it as a whole, so no generation before it is kept. */
export interface StaticData<State extends object> {
	/** What was stored last: nothing at the first start, and `LOST` where another version stored it. */
	read(): Partial<State> | typeof LOST;
	/** n8n saves it with the next emit, or at the end of a poll. */
	write(state: State): void;
}

/** Counted up when what is stored means something else than before; nothing of another version is read. */
const VERSION = 1;

/**
 * A damaged or imported workflow may hold anything in its place. A position that was damaged, or cannot be stored, would
 * repeat or lose events, so nothing is begun then.
 */
export function staticDataOf<State extends object>(host: StoringHost): StaticData<State> {
	const stored = host.getWorkflowStaticData('node');
	if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) throw damaged();
	const data = stored as IDataObject;
	return {
		read: () => {
			if (Object.keys(data).length === 0) return {};
			const stored = unseal(data, VERSION);
			if (stored.is === 'sound') return stored.value as State;
			if (stored.is !== 'other_version') throw damaged();
			return LOST;
		},
		write: (state) => void Object.assign(data, seal(state, VERSION)),
	};
}

const damaged = (): ExchangeError =>
	new ExchangeError('not_available', {
		what: "What n8n stores for this node is damaged: the workflow's static data holds no sound record under its name",
		advice:
			'Rename the node, so that it begins a new record, activate the workflow again, and look up what happened meanwhile',
	});
