/** What stands under a node: short words, colours as Node-RED uses them, production always marked. Never sizes or keys. */
import type { Account, StreamState } from '@partner-exchange/core';
import type { Node, Status } from './host';

const MARK = 'PRODUCTION';
/** Words the editor translates. */
const KEY = 'node-red:common.status.';
const CATCHING_UP = 'catching up';

export interface Light {
	show(fill: Status['fill'], shape: Status['shape'], text: string): void;
	/** Nothing to say; a node that trades real money says so all the time. */
	idle(): void;
	/** Connecting; the state of the stream takes over from here. */
	waiting(): void;
	/** How much has arrived, while connected, or how much the flow keeps for long. */
	count(delivered: number, gaps: number, late: number): void;
	clear(): void;
}

export function lightOf(node: Node, account: Pick<Account, 'environment'> | undefined): Light {
	const real = account?.environment === 'production';
	let shown: Status = { fill: 'grey', shape: 'ring', text: '' };
	/** What stands there instead while the flow keeps something for long. */
	let lateShown = 0;
	// A translated word cannot be joined with others.
	const put = ({ text, ...status }: Status): void =>
		node.status({ ...status, text: real ? `${MARK} · ${text.replace(KEY, '')}` : text });
	const show: Light['show'] = (fill, shape, text) => {
		lateShown = 0;
		put((shown = { fill, shape, text }));
	};
	function showLate(late: number): void {
		if (late === lateShown) return;
		lateShown = late;
		put(late === 0 ? shown : { fill: 'yellow', shape: 'ring', text: `waiting for the flow · ${late} under way` });
	}
	return {
		show,
		idle: () => (real ? node.status({ fill: 'yellow', shape: 'dot', text: MARK }) : node.status({})),
		waiting: () => show('yellow', 'ring', `${KEY}connecting`),
		count: (delivered, gaps, late) => {
			const isConnected = /connected/.test(shown.text) && !/disconnected/.test(shown.text);
			if (isConnected || shown.text === CATCHING_UP) showLate(late);
			if (!isConnected || late > 0) return;
			const text = `connected · ${delivered}${gaps > 0 ? ` · ${gaps} gaps` : ''}`;
			if (delivered > 0 && text !== shown.text) show('green', 'dot', text);
		},
		clear: () => node.status({}),
	};
}

/** An error code as the two or three words a status has room for. */
export const inWords = (code: string): string => code.replaceAll('_', ' ');

const states: Readonly<Record<StreamState, Status>> = {
	connecting: { fill: 'yellow', shape: 'ring', text: `${KEY}connecting` },
	catching_up: { fill: 'blue', shape: 'dot', text: CATCHING_UP },
	live: { fill: 'green', shape: 'dot', text: `${KEY}connected` },
	waiting: { fill: 'red', shape: 'ring', text: `${KEY}disconnected` },
	closed: { fill: 'grey', shape: 'ring', text: 'closed' },
	failed: { fill: 'red', shape: 'ring', text: 'stopped' },
};

export function stateLight(light: Light, state: StreamState): void {
	const { fill, shape, text } = states[state];
	light.show(fill, shape, text);
}
