/** The alerts node. It polls, because the stream has no topic for the wallet, nor one for rates. */
import type { Account, Client } from '@partner-exchange/core';
import { pollWatch, sleep, type WatchEvent } from '@partner-exchange/core/adapters';
import type { NodeAPI } from 'node-red';
import type { Opened } from '../account/account';
import { useAccount } from '../account/account-use';
import type { Completions } from '../delivery/completions';
import type { Deploys } from '../host/deploys';
import { inTurns, type SendingNode } from './event-sender';
import { alertMessageOf } from '../delivery/messages';
import { createOutbox, stalledText } from '../delivery/outbox';
import { secondsOf, watchedBy, outboxSettings } from './event-settings';
import { failedText } from '../host/failure';
import type { Node, Settings } from '../host/types';
import { createHostNode, type HostNode } from '../host/host-node';
import { ownedStore, checkpointStore, type CheckpointStore } from '../checkpoints/checkpoints';
import { nodeStatus, reportOnce, troubleOf, type NodeStatus } from '../host/status';
import { ports } from '../host/ports';
import { ALERTS_TYPE } from '../types';

/** This many warnings are remembered as said. Then all are forgotten, and each may be said again. */
const SAID_MAX = 1_000;
/** Random spread of the poll interval, so that many nodes do not poll at the same moment. */
const JITTER = 0.1;

export function registerAlerts(RED: NodeAPI, deploys: Deploys, completions: Completions): void {
	RED.nodes.registerType(ALERTS_TYPE, function (this: Node, settings: Settings) {
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

/** On which side of its line a value is, so that whoever deploys a low balance sees that it is. */
type Side = Awaited<ReturnType<typeof pollWatch>>['side'];

interface Watch extends SendingNode {
	status: NodeStatus;
	store: CheckpointStore;
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
	{ client }: Extract<Opened, { account: Account }>,
): Promise<void> | undefined {
	const { settings } = common;
	const store = ownedStore(checkpointStore(common, { event: String(settings.event) }), { ...common, client });
	try {
		return watch({ ...common, store, client, seconds: secondsOf(settings), warn: warnOnce(common.node) });
	} catch (error) {
		reportOnce(common, error);
		return undefined;
	}
}

/**
 * Polls and sends the events; the state is stored once the flow has finished with what was sent until then. Ends with
 * the node, and never throws.
 */
async function watch(settings: Watch): Promise<void> {
	const { client, status, signal, warn } = settings;
	const { outbox, isStored, close } = outboxOf(settings);
	let memory: { state: unknown } | undefined;
	let lastError = '';
	function show(side: Side): void {
		if (stopped(signal)) return;
		const trouble = troubleOf({ overdue: outbox.overdue(), isStored: isStored() }, 'watching');
		if (trouble === undefined) status.show('green', 'dot', side ? `watching · ${side}` : 'watching');
		else status.show('yellow', 'ring', trouble);
	}
	status.show('grey', 'dot', 'starting');
	while (!signal.aborted) {
		try {
			memory ??= { state: await settings.store.load() };
			const { events, state, side } = await pollWatch(client, memory.state, watchedBy(settings.settings), {
				signal,
				warn,
			});
			// The next node finds them again.
			if (stopped(signal)) break;
			if (events.length > 0) {
				show(side);
				await outbox.deliver(events);
			}
			outbox.onCheckpoint({ ...state });
			// The new state is used from here on even if it cannot be stored.
			memory = { state };
			lastError = '';
			show(side);
		} catch (error) {
			if (!stopped(signal)) lastError = reportOnce(settings, error, lastError);
		}
		await sleep(ports.clock, waitMsOf(settings.seconds), signal);
	}
	await close();
}

/** What was sent into the flow and is not finished, as for the events of the stream. */
function outboxOf(watching: Watch) {
	const { RED, node, deploys, completions, signal } = watching;
	const settings = outboxSettings(watching, watching.store);
	const { flowNode, save } = settings;
	const owner = { id: node.id, isRunning: () => deploys.running(flowNode) };
	const outbox = createOutbox<WatchEvent>(settings);
	const finished = inTurns(outbox.acknowledge);
	function send(events: readonly WatchEvent[]): void {
		for (const event of events) {
			const _msgid = RED.util.generateId();
			completions.follow(owner, _msgid, () => finished([event.eventKey]));
			if (node.send({ ...alertMessageOf(event), _msgid })) completions.sent(_msgid);
		}
	}
	outbox.attach({
		send,
		resend: (events) => {
			completions.forget(node);
			send(events);
		},
		stalled: (events) => node.warn(stalledText(events.length)),
	});
	signal.addEventListener('abort', outbox.end, { once: true });
	const close = async (): Promise<void> => {
		await outbox.detach();
		completions.forget(node);
		await save.flush();
	};
	return { outbox, isStored: () => !save.isFailing(), close };
}

/** A limit holds for long. Where so much was said that it is forgotten, it is said again. */
function warnOnce(node: HostNode): (text: string) => void {
	const said = new Set<string>();
	return (text) => {
		if (!said.has(text)) node.warn(text);
		if (said.size >= SAID_MAX) said.clear();
		said.add(text);
	};
}

const waitMsOf = (seconds: number): number => seconds * 1_000 * (1 + JITTER * ports.random());

/** A function, because TypeScript would otherwise assume the flag unchanged across an `await`. */
const stopped = (signal: AbortSignal): boolean => signal.aborted;
