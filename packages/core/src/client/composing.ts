import type { Operation, OperationId } from '../catalogue';
import type { CallContext } from '../context';
import type { Ports } from '../ports';
import type { Accepted } from '../wire/request';
import type { UntypedClient } from './contract';

/** What an operation that is computed from others works with. */
export interface Composing {
	operation: Operation;
	input: Accepted;
	context: CallContext;
	ports: Ports;
	/** Calls the other operations as anybody calls them. */
	client: Pick<UntypedClient, 'call' | 'items'>;
	/** The runs in progress that act, by what they act on, of all clients of the account. */
	running: Map<string, Promise<unknown>>;
}

/** The ids of the operations it is computed from. */
export const composedOf = ({ run }: Operation): readonly OperationId[] =>
	run.via === 'composed' ? (run.of as readonly OperationId[]) : [];
