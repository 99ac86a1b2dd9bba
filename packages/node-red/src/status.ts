/** The status under a node: short words, colours as Node-RED uses them, production always marked. Never sizes or keys. */
import type { Account, AccountLimits, Counters, StreamState } from '@partner-exchange/core';
import { isProduction } from '@partner-exchange/core/adapters';
import type { Node, Status } from './host';
import type { StatusText } from './status-words';

const MARK = 'PRODUCTION';
/** The switch of the account is thrown. */
export const STOPPED = 'orders stopped';
/** Words the editor translates. */
const KEY = 'node-red:common.status.';

type Counted = Pick<Counters, 'delivered' | 'filtered' | 'gaps'> & { overdue: number };

export interface NodeStatus {
	show(fill: Status['fill'], shape: Status['shape'], text: StatusText): void;
	/** Nothing to say; a node that trades real money, or whose account is stopped, says so all the time. */
	idle(): void;
	/** The state of the node's subscription. */
	state(state: StreamState): void;
	/** Events delivered and left out by the filters, gaps found, and batches the flow has not acknowledged in time. */
	count(counted: Counted): void;
	/** Whether messages have told the node something else than its form. */
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

export function nodeStatus(node: Node, account: Account | undefined, limits?: AccountLimits): NodeStatus {
	const isReal = account !== undefined && isProduction(account);
	let shown: Status = { fill: 'grey', shape: 'ring', text: '' };
	/** The state of the connection, as long as nothing else is shown instead. */
	let shownState: StreamState | undefined;
	let overdueShown = 0;
	let isSteered = false;
	// Node-RED's own words cannot be joined with others.
	function put({ text, ...status }: Status): void {
		const words = [isReal && MARK, text, isSteered && 'by message'].filter((word) => word !== false);
		node.status({ ...status, text: words.length === 1 ? text : words.join(' · ').replace(KEY, '') });
	}
	function show(status: Status, state?: StreamState): void {
		shown = status;
		shownState = state;
		overdueShown = 0;
		put(status);
	}
	function showOverdue(overdue: number): void {
		if (overdue === overdueShown) return;
		overdueShown = overdue;
		put(overdue === 0 ? shown : { fill: 'yellow', shape: 'ring', text: `waiting for the flow · ${overdue} under way` });
	}
	return {
		show: (fill, shape, text) => show({ fill, shape, text }),
		idle: () => {
			if (limits?.stopped() !== undefined) put({ fill: 'red', shape: 'ring', text: STOPPED });
			else node.status(isReal ? { fill: 'yellow', shape: 'dot', text: MARK } : {});
		},
		state: (state) => show(states[state], state),
		count: ({ delivered, filtered, gaps, overdue }) => {
			if (shownState === 'live' || shownState === 'catching_up') showOverdue(overdue);
			if (shownState !== 'live' || overdue > 0 || delivered + filtered === 0) return;
			const parts = ['connected', delivered, filtered > 0 && `${filtered} filtered`, gaps > 0 && `${gaps} gaps`];
			const text = parts.filter((part) => part !== false).join(' · ');
			if (text !== shown.text) show({ ...states.live, text }, 'live');
		},
		steered: (is) => void (isSteered = is),
		clear: () => node.status({}),
	};
}
