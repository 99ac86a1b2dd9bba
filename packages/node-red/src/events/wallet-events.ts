/** The wallet node. It polls, because the stream has no topic for the wallet. */
import { pollBalances, pollTransactions, type Account, type Client, type PollOptions } from '@partner-exchange/core';
import { sleep } from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import type { Opened } from '../account/account';
import { useAccount } from '../account/account-use';
import type { Completions } from '../delivery/completions';
import type { Deploys, Place } from '../host/deploys';
import { walletMessageOf, type WalletEvent } from '../delivery/messages';
import { secondsOf, tagOf, watchedBy } from './event-settings';
import { failedText, failureOf } from '../host/failure';
import type { Node, Settings } from '../host/types';
import { createHostNode, type HostNode } from '../host/host-node';
import { isPositionLost } from '../positions/position-file';
import { positionStore, type PositionStore } from '../positions/positions';
import { nodeStatus, type NodeStatus } from '../host/status';
import { ports } from '../host/ports';
import { WALLET_EVENTS_TYPE } from '../types';

/** Random spread of the poll interval, so that many nodes do not poll at the same moment. */
const JITTER = 0.1;
/** When the flow has not finished with an event after this time, the status says so. */
const OVERDUE_MS = 10_000;
const RUNNING_CHECK_MS = 100;
const NOT_STORED = 'watching · not stored';

export function registerWalletEvents(RED: NodeAPI, deploys: Deploys, completions: Completions): void {
	RED.nodes.registerType(WALLET_EVENTS_TYPE, function (this: Node, settings: Settings) {
		const node = createHostNode(RED, this, settings);
		useAccount({ RED, node, settings, deploys }, (opened) => {
			const status = nodeStatus(node, 'account' in opened ? opened.account : undefined);
			const stop = new AbortController();
			const common = { RED, node, settings, status, deploys, completions, signal: stop.signal };
			let watching: Promise<void> | undefined;
			if ('problem' in opened) status.show('red', 'ring', failedText(opened.problem));
			else watching = begin(common, opened);
			return async () => {
				stop.abort();
				status.clear();
				await watching;
			};
		});
	});
}

interface Watch {
	RED: NodeAPI;
	node: HostNode;
	settings: Settings;
	status: NodeStatus;
	deploys: Deploys;
	completions: Completions;
	store: PositionStore;
	client: Client;
	signal: AbortSignal;
	/** Pause between two polls. */
	seconds: number;
	/** Says once that a limit was reached. */
	warn: (text: string) => void;
}

/** Starts to watch, unless the form holds an interval that cannot be used. */
function begin(
	common: Omit<Watch, 'store' | 'client' | 'seconds' | 'warn'>,
	{ account, client }: Extract<Opened, { account: Account }>,
): Promise<void> | undefined {
	const { settings } = common;
	const store = positionStore(common, tagOf(account, settings));
	try {
		return watch({ ...common, store, client, seconds: secondsOf(settings), warn: warnOnce(common.node) });
	} catch (error) {
		reportOnce(common, error, '');
		return undefined;
	}
}

/**
 * Polls, sends the events, and stores the state once the flow has finished with them. Ends with the node, and never
 * throws.
 */
async function watch(settings: Watch): Promise<void> {
	const { status, signal } = settings;
	let memory: { state: unknown } | undefined;
	let lastError = '';
	let isStored = true;
	status.show('grey', 'dot', 'starting');
	while (!signal.aborted) {
		try {
			memory ??= { state: await settings.store.load() };
			memory = { state: await pollOnce(settings, memory.state) };
			lastError = '';
			// The new state is used from here on even if it cannot be stored.
			if (!stopped(signal)) isStored = await keep(settings, memory.state, isStored);
			if (!stopped(signal))
				status.show(isStored ? 'green' : 'yellow', isStored ? 'dot' : 'ring', isStored ? 'watching' : NOT_STORED);
		} catch (error) {
			if (!stopped(signal)) lastError = reportOnce(settings, error, lastError);
		}
		await sleep(ports.clock, waitMsOf(settings.seconds), signal);
	}
}

/** Polls once. Returns the new state, or the old one if the flow may not have received the events. */
async function pollOnce(task: Watch, before: unknown): Promise<unknown> {
	const { node, settings, client, signal } = task;
	const { events, state } = await poll(client, settings, before, { signal, warn: task.warn });
	if (events.length > 0) {
		const isTaken = await sendEvents(task, { id: node.id, z: node.z }, events);
		if (!isTaken) return before;
	}
	return state;
}

/** Stores the state and warns once if that fails. Returns whether it is stored. */
async function keep({ node, store }: Watch, state: unknown, wasStored: boolean): Promise<boolean> {
	try {
		if (state !== undefined) await store.save(state);
		return true;
	} catch {
		if (wasStored) node.warn('The position cannot be stored, so a restart may send events again');
		return false;
	}
}

/**
 * Sends events and waits until the flow has finished with all of them. Returns false if a deploy or a close came first.
 */
async function sendEvents(
	{ RED, node, status, deploys, completions, signal }: Watch,
	place: Place,
	events: readonly WalletEvent[],
): Promise<boolean> {
	while (!deploys.running(place) && !signal.aborted) await sleep(ports.clock, RUNNING_CHECK_MS, signal);
	if (signal.aborted) return false;
	return await new Promise((resolve) => {
		let open = events.length;
		const stopListening = deploys.onStarted(place, (mayHaveLost) => mayHaveLost && finish(false));
		const cancelOverdue = ports.clock.after(OVERDUE_MS, () =>
			status.show('yellow', 'ring', `waiting for the flow · ${open} under way`),
		);
		const abort = (): void => finish(false);
		signal.addEventListener('abort', abort, { once: true });
		function finish(isTaken: boolean): void {
			stopListening();
			cancelOverdue();
			signal.removeEventListener('abort', abort);
			completions.forget(node);
			resolve(isTaken);
		}
		for (const event of events) {
			const _msgid = RED.util.generateId();
			completions.follow({ id: node.id, isRunning: () => deploys.running(place) }, _msgid, () => {
				open -= 1;
				if (open === 0) finish(true);
			});
			if (node.send({ ...walletMessageOf(event), _msgid })) completions.sent(_msgid);
		}
	});
}

async function poll(client: Client, settings: Settings, before: unknown, options: PollOptions) {
	const watched = watchedBy(settings);
	return 'threshold' in watched
		? await pollBalances(client, before, [watched.threshold], options)
		: await pollTransactions(client, before, watched.filters, options);
}

/** Reports an error unless it equals the previous one. Polling continues. */
function reportOnce({ node, status }: Pick<Watch, 'node' | 'status'>, error: unknown, before: string): string {
	const failure = failureOf(error);
	status.show('red', 'ring', isPositionLost(error) ? 'position lost' : failedText(error));
	if (failure.message !== before) node.fail(failure);
	return failure.message;
}

/** There are few limits, and each holds for long. */
function warnOnce(node: HostNode): (text: string) => void {
	const said = new Set<string>();
	return (text) => {
		if (!said.has(text)) node.warn(text);
		said.add(text);
	};
}

const waitMsOf = (seconds: number): number => seconds * 1_000 * (1 + JITTER * ports.random());

/** A function, because TypeScript would otherwise assume the flag unchanged across an `await`. */
const stopped = (signal: AbortSignal): boolean => signal.aborted;
