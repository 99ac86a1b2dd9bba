/**
 * The status below a node: short words, Node-RED's colours, and a mark for production. Never contains amounts or keys.
 */
import type { Account, AccountLimits, Counters, StreamState } from '@partner-exchange/core';
import { isProduction } from '@partner-exchange/core/adapters';
import { failedText, failureOf } from './failure';
import type { Status } from './types';
import type { HostNode } from './host-node';
import type { StatusText } from './status-words';

const MARK = 'PRODUCTION';
/** Shown while the stop switch of the account is on. */
export const STOPPED = 'orders stopped';
/** Prefix of status texts that Node-RED translates. */
const KEY = 'node-red:common.status.';

interface Troubles {
	/** Batches that the flow has not acknowledged in time. */
	overdue: number;
	/** Whether the checkpoint could be stored. */
	isStored: boolean;
}
type Counted = Pick<Counters, 'delivered' | 'filtered' | 'gaps'> & Troubles;

/** What a listening node shows in place of its state. */
export const troubleOf = ({ overdue, isStored }: Troubles, state: 'connected' | 'watching'): StatusText | undefined =>
	overdue > 0 ? `waiting for the flow · ${overdue} under way` : isStored ? undefined : `${state} · not stored`;

export interface NodeStatus {
	show(fill: Status['fill'], shape: Status['shape'], text: StatusText): void;
	/** Shows what the node did, unless the account is stopped. */
	done(status: Status): void;
	/** Clears the status, but keeps the marks for production and for a stopped account. */
	idle(): void;
	/** Shows the state of the subscription. */
	state(state: StreamState): void;
	/** Shows events delivered and filtered out, and gaps, or a trouble. */
	count(counted: Counted): void;
	/** Sets whether control messages have changed the subscription from that of the form. */
	steered(is: boolean): void;
	clear(): void;
}

const states: Readonly<Record<StreamState, Status>> = {
	connecting: { fill: 'yellow', shape: 'ring', text: `${KEY}connecting` },
	catching_up: { fill: 'blue', shape: 'dot', text: 'catching up' },
	live: { fill: 'green', shape: 'dot', text: `${KEY}connected` },
	waiting: { fill: 'red', shape: 'ring', text: `${KEY}disconnected` },
	refused: { fill: 'red', shape: 'ring', text: 'key refused' },
	closed: { fill: 'grey', shape: 'ring', text: 'closed' },
	failed: { fill: 'red', shape: 'ring', text: 'stopped' },
};

export function nodeStatus(
	node: Pick<HostNode, 'status'>,
	account: Account | undefined,
	limits?: AccountLimits,
): NodeStatus {
	const isReal = account !== undefined && isProduction(account);
	let current: Status = { fill: 'grey', shape: 'ring', text: '' };
	/** The connection state now shown; undefined while another status is shown. */
	let shownState: StreamState | undefined;
	let troubleShown: string | undefined;
	let isSteered = false;
	// Node-RED's translation keys cannot be combined with other text.
	function put({ text, ...status }: Status): void {
		const words = [isReal && MARK, text, isSteered && 'by message'].filter((word) => word !== false);
		node.status({ ...status, text: words.length === 1 ? text : words.join(' · ').replace(KEY, '') });
	}
	function show(status: Status, state?: StreamState): void {
		current = status;
		shownState = state;
		troubleShown = undefined;
		put(status);
	}
	function showTrouble(text: StatusText | undefined): void {
		if (text === troubleShown) return;
		troubleShown = text;
		put(text === undefined ? current : { fill: 'yellow', shape: 'ring', text });
	}
	function idle(status?: Status): void {
		if (limits?.stopped() !== undefined) put({ fill: 'red', shape: 'ring', text: STOPPED });
		else if (status) put(status);
		else node.status(isReal ? { fill: 'yellow', shape: 'dot', text: MARK } : {});
	}
	return {
		show: (fill, shape, text) => show({ fill, shape, text }),
		done: idle,
		idle: () => idle(),
		state: (state) => show(states[state], state),
		count: ({ delivered, filtered, gaps, ...troubles }) => {
			if (shownState !== 'live' && shownState !== 'catching_up') return;
			showTrouble(troubleOf(troubles, 'connected'));
			if (shownState !== 'live' || troubleShown !== undefined || delivered + filtered === 0) return;
			const parts = ['connected', delivered, filtered > 0 && `${filtered} filtered`, gaps > 0 && `${gaps} gaps`];
			const text = parts.filter((part) => part !== false).join(' · ');
			if (text !== current.text) show({ ...states.live, text }, 'live');
		},
		steered: (is) => void (isSteered = is),
		clear: () => node.status({}),
	};
}

/** Shows an error under the node, and reports it unless it is the one before. Returns its message. */
export function reportOnce({ node, status }: Reporting, error: unknown, before = ''): string {
	const failure = failureOf(error);
	status.show('red', 'ring', failedText(error));
	if (failure.message !== before) node.fail(failure);
	return failure.message;
}

interface Reporting {
	node: Pick<HostNode, 'fail'>;
	status: Pick<NodeStatus, 'show'>;
}
