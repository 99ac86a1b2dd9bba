/** The config node: the address and the key of one environment, and the one client every node that names it shares. */
import {
	ExchangeError,
	isExchangeError,
	type Account,
	type AccountLimits,
	type Settlement,
} from '@partner-exchange/core';
import { settledWords } from '@partner-exchange/core/adapters';
import type { Environment } from '@partner-exchange/core/catalogue';
import type { NodeAPI } from 'node-red';
import { failureOf } from './failure';
import type { Node, Settings } from './host';
import { journalOf } from './journal';
import { limitsOf } from './limits';
import { createSettlements, settledStatus, type Settlements } from './settlements';
import { STOPPED } from './status';
import { switchOf } from './strict';
import { connect, type AccountPorts, type Connected } from './streams';
import { ACCOUNT_TYPE } from './types';

export type Opened =
	({ account: Account; limits?: AccountLimits; settlements?: Settlements } & Connected) | { problem: ExchangeError };

/** What Node-RED keeps apart from the flows. */
export interface Secrets {
	apiKey: string;
	controlToken: string;
}

/** What other nodes see of the config node. */
export interface AccountNode extends Node<Secrets> {
	/** The settings were accepted, or the reason they were not. */
	opened: Opened;
}

export function registerAccount(RED: NodeAPI): void {
	RED.nodes.registerType(
		ACCOUNT_TYPE,
		function (this: AccountNode, settings: Settings) {
			RED.nodes.createNode(this, settings);
			const stop = new AbortController();
			const settlements = createSettlements();
			const limits = limitsOf(this.id, settings);
			const opened = isExchangeError(limits)
				? { problem: limits }
				: open(settings, this.credentials, {
						...{ journal: journalOf(RED, this.id), limits, signal: stop.signal },
						onSettled: (settlement) => {
							reportSettled(this, settlement);
							settlements.tell(settlement);
						},
					});
			this.opened = 'problem' in opened ? opened : { ...opened, settlements };
			if ('problem' in opened) this.warn(opened.problem.message);
			if ('problem' in opened) return;
			showStop(this, opened);
			void reportRecovered(this, opened, stop.signal);
			this.on('close', () => {
				stop.abort();
				opened.close();
			});
		},
		{ credentials: { apiKey: { type: 'password' }, controlToken: { type: 'password' } } },
	);
}

/** A Status node shows what is found after the message that asked for it has gone on. */
function reportSettled(node: Node, settlement: Settlement): void {
	node.warn(settledWords(settlement));
	node.status({ ...settledStatus(settlement), shape: 'ring' });
}

function showStop(node: Node, { limits }: { limits?: AccountLimits }): void {
	const reason = limits?.stopped();
	if (reason === undefined) return;
	node.status({ fill: 'red', shape: 'ring', text: STOPPED });
	node.warn(`No order is sent: ${reason}`);
}

/**
 * A crash or a deploy may have come between sending an order and learning its outcome. The outcome is read and
 * reported.
 */
async function reportRecovered(node: Node, { client }: Connected, signal: AbortSignal): Promise<void> {
	try {
		for await (const { entry, outcome } of client.recover(signal)) {
			const id = String(entry.fields.client_order_id ?? entry.fields.order_id ?? entry.key);
			node.warn(`An order write of an earlier run (${id}) was left open; it is ${found[outcome]}`);
		}
	} catch (error) {
		if (!signal.aborted)
			node.warn(`Order writes of an earlier run cannot be looked up now: ${failureOf(error).message}`);
	}
}

const found = { accepted: 'done', refused: 'not done', unknown: 'still unknown: use a resolve order node' };

/** The form's properties as the core takes them. */
function accountOf(settings: Readonly<Record<string, unknown>>, secrets: Partial<Secrets> = {}): Account {
	return {
		environment: settings.environment as Environment,
		baseUrl: String(settings.baseUrl ?? ''),
		wsUrl: String(settings.wsUrl ?? ''),
		apiKey: secrets.apiKey ?? '',
		controlToken: secrets.controlToken,
		allowDifferentHosts: switchOf(settings.allowDifferentHosts ?? false, 'allowDifferentHosts', 'invalid_account'),
		testHosts: String(settings.testHosts ?? ''),
		names: namesOf(settings.names),
	};
}

/** Names on the wire that the person set for inputs whose name the interface does not show. */
function namesOf(given: unknown): Account['names'] {
	if (typeof given !== 'string' || given.trim() === '') return undefined;
	try {
		const names: unknown = JSON.parse(given);
		const isNames =
			typeof names === 'object' && names !== null && Object.values(names).every((name) => typeof name === 'string');
		if (isNames && !Array.isArray(names)) return names as Record<string, string>;
	} catch {
		// Reported below, together with what is JSON but no object of names.
	}
	throw new ExchangeError('invalid_account', {
		field: 'names',
		what: 'Wire names must be a JSON object of names',
		advice: 'Write it as {"order.list.limit":"page_size"}, or leave it empty; nothing was sent',
	});
}

/** Never throws: a node with wrong settings must not take the host down with it. */
export function open(
	settings: Readonly<Record<string, unknown>>,
	secrets: Partial<Secrets> | undefined,
	host: AccountPorts = {},
): Opened {
	try {
		const connected = connect(accountOf(settings, secrets), host);
		return { account: connected.client.account, limits: host.limits, ...connected };
	} catch (error) {
		if (isExchangeError(error)) return { problem: error };
		return { problem: new ExchangeError('invalid_account', { what: 'The account settings cannot be used' }) };
	}
}

/** The account a node names, or what is wrong with it. */
export function accountNamed(RED: NodeAPI, id: unknown): Opened {
	const node = typeof id === 'string' ? (RED.nodes.getNode(id) as AccountNode | null) : null;
	if (node?.opened) return node.opened;
	return {
		problem: new ExchangeError('invalid_account', {
			field: 'account',
			what: 'No account is chosen',
			advice: 'Open the node, choose or add an account, and deploy',
		}),
	};
}
