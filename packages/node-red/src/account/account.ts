/** The config node: addresses and API key of one environment, and the client shared by all nodes that reference it. */
import {
	ExchangeError,
	isExchangeError,
	type Account,
	type AccountLimits,
	type IntentEntry,
	type Recovery,
	type Resolution,
} from '@partner-exchange/core';
import {
	accountOf,
	applyLimits,
	createAccounts,
	forgetOldest,
	inBackground,
	readLimits,
	resolutionText,
	sleep,
	type AccountUse,
	type OpenAccount,
} from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import { failureOf } from '../host/failure';
import type { Node, Settings } from '../host/types';
import { createHostNode, type HostNode } from '../host/host-node';
import { ports } from '../host/ports';
import { journalOf } from '../checkpoints/journal';
import { STOPPED } from '../host/status';
import { ACCOUNT_TYPE } from '../types';

/** The accounts of this process. They outlive their nodes: after a deploy the new ones must know the orders in flight. */
const accounts = createAccounts(ports.clock);

export type Opened =
	({ account: Account; limits?: AccountLimits; resolutions?: Resolutions } & OpenAccount) | { problem: ExchangeError };

/** The credentials, which Node-RED stores encrypted and apart from the flows. */
interface Secrets {
	apiKey: string;
	controlToken: string;
}

/** The config node as other nodes use it. */
export interface AccountNode extends Node<Secrets> {
	/** The open account, or the reason why its settings were refused. */
	opened: Opened;
}

export function registerAccount(RED: NodeAPI): void {
	RED.nodes.registerType(
		ACCOUNT_TYPE,
		function (this: AccountNode, settings: Settings) {
			const node = createHostNode(RED, this, settings);
			const stop = new AbortController();
			const resolutions = createResolutions();
			const opened = open(settings, this.credentials, {
				journal: journalOf(RED, this.id),
				// By the id of the node: a deploy creates a new one and must not reset the counters of a runaway flow.
				limits: accounts.limitsOf(this.id),
				signal: stop.signal,
				onResolved: (resolution) => {
					reportResolution(node, resolution);
					resolutions.tell(resolution);
				},
			});
			this.opened = 'problem' in opened ? opened : { ...opened, resolutions };
			if ('problem' in opened) return node.warn(failureOf(opened.problem).message);
			showStop(node, opened);
			inBackground(reportRecovered(node, opened, stop.signal));
			node.onClose(() => {
				stop.abort();
				opened.release();
			});
		},
		{ credentials: { apiKey: { type: 'password' }, controlToken: { type: 'password' } } },
	);
}

/**
 * Shows a resolution on the config node, where a Status node sees it: the node that sent the order has finished its
 * message.
 */
function reportResolution(node: HostNode, resolution: Resolution): void {
	node.warn(resolutionText(resolution));
	node.status({ ...resolutionStatus(resolution), shape: 'ring' });
}

function showStop(node: HostNode, { limits }: { limits?: AccountLimits }): void {
	const reason = limits?.stopped();
	if (reason === undefined) return;
	node.status({ fill: 'red', shape: 'ring', text: STOPPED });
	node.warn(`No order is sent: ${reason}`);
}

/** Pause before a journal that could not be read is opened again. */
const RECOVERY_PAUSE_MS = 5_000;

/**
 * Looks up the order writes that a crash or a deploy interrupted between sending and reply, and reports their outcomes.
 * Looks again until it could.
 */
async function reportRecovered(node: HostNode, opened: OpenAccount, signal: AbortSignal): Promise<void> {
	let logged = '';
	while (!signal.aborted) {
		const problem = await recoverOnce(node, opened, signal);
		if (problem === undefined) return;
		if (problem !== logged && !signal.aborted)
			node.warn(`Order writes of an earlier run cannot be looked up now: ${problem}`);
		logged = problem;
		await sleep(ports.clock, RECOVERY_PAUSE_MS, signal);
	}
}

/** Returns why it was not possible, or nothing. */
async function recoverOnce(node: HostNode, { client }: OpenAccount, signal: AbortSignal): Promise<string | undefined> {
	try {
		for await (const { entry, outcome } of client.recover(signal)) {
			const id = String(entry.fields.client_order_id ?? entry.fields.order_id ?? entry.key);
			node.warn(`${results[outcome](entry)}: an order write of an earlier run (${id}) was left open`);
		}
		return undefined;
	} catch (error) {
		return failureOf(error).message;
	}
}

const results: Readonly<Record<Recovery['outcome'], (entry: IntentEntry) => string>> = {
	accepted: () => 'Done',
	refused: () => 'Not done',
	unknown: () => 'Still unknown, use a resolve order node',
	elsewhere: ({ account }) =>
		`Of another account (${account?.address ?? 'unknown'}, with another address or key), and is kept until that account looks for it`,
};

const labels = { allowDifferentHosts: 'The setting allowDifferentHosts', names: 'Wire names' };

/** Opens an account. Never throws, so that a node with invalid settings cannot crash Node-RED. */
export function open(
	settings: Readonly<Record<string, unknown>>,
	secrets: Partial<Secrets> | undefined,
	host: Partial<AccountUse> = {},
): Opened {
	try {
		if (host.limits) applyLimits(host.limits, readLimits(settings));
		const account = accountOf({ ...settings, ...secrets }, labels);
		const opened = accounts.open(account, { ports, ...host });
		return { account: opened.client.account, limits: host.limits, ...opened };
	} catch (error) {
		if (isExchangeError(error)) return { problem: error };
		return { problem: new ExchangeError('invalid_account', { what: 'The account settings cannot be used' }) };
	}
}

/** The account with this node id, or the reason why it cannot be used. */
export function accountNamed(RED: NodeAPI, id: unknown): Opened {
	const node = typeof id === 'string' ? (RED.nodes.getNode(id) as AccountNode | null) : null;
	if (node?.opened) return node.opened;
	return {
		problem: new ExchangeError('invalid_account', {
			field: 'account',
			what: id ? 'The chosen account is disabled or does not exist' : 'No account is chosen',
			advice: 'Open the node, choose or add an account, and deploy',
		}),
	};
}

// Listeners for the final status of orders whose outcome was unknown.

/** Most listeners at once; the oldest is dropped first. */
const WAITING_MAX = 100;

type Hear = (resolution: Resolution) => void;

interface Resolutions {
	/** Calls `hear` once, when the order with this idempotency key is settled. */
	follow(key: string, hear: Hear): void;
	tell(resolution: Resolution): void;
}

function createResolutions(): Resolutions {
	const waiting = new Map<string, Hear>();
	return {
		follow: (key, hear) => {
			waiting.delete(key);
			forgetOldest(waiting.set(key, hear), WAITING_MAX);
		},
		tell: (resolution) => {
			const hear = waiting.get(resolution.key);
			waiting.delete(resolution.key);
			hear?.(resolution);
		},
	};
}

/** The status text of a resolution. */
export const resolutionStatus = ({ outcome }: Resolution) =>
	({ fill: outcome === 'unknown' ? 'yellow' : 'green', text: `order resolved · ${outcome}` }) as const;
