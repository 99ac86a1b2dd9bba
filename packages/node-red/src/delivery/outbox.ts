/** Delivers events to the flow of a listening node: when to send, and which events to send again after a deploy. */
import type { Clock, StoredCheckpoint } from '@partner-exchange/core';
import type { DebouncedSave } from '../checkpoints/debounced-save';
import type { Deploys, FlowNode } from '../host/deploys';
import { pendingAcknowledgements, type Keyed } from './pending-acknowledgements';

export interface Outbox<Event extends Keyed, Node extends AttachedNode<Event>> {
	deliver: (events: Event[]) => Promise<void>;
	onCheckpoint: (checkpoint: StoredCheckpoint) => void;
	acknowledge: (keys: readonly string[]) => void;
	/** Pending batches, or 0 while the oldest of them is not overdue. */
	overdue: () => number;
	node: () => Node | undefined;
	attach: (node: Node) => void;
	/**
	 * The node closes. Resolves when the checkpoint of what the flow has finished with until now is on its way to the
	 * store.
	 */
	detach: () => Promise<void>;
	end: () => void;
}

/** The node that currently sends into the flow. */
export interface AttachedNode<Event> {
	send(events: readonly Event[]): void;
	/** Sends events again that may have been lost; completions of earlier messages no longer count. */
	resend(events: readonly Event[]): void;
	/** Called with events the flow did not finish in time: they no longer hold up others. */
	stalled(events: readonly Event[]): void;
}

export const stalledText = (count: number): string =>
	`For an hour the flow has finished with none of the ${count} events under way: a node in it neither finishes nor fails. They count as taken now, and a restart does not repeat them`;

/** What acknowledges an event: the flow, or a timeout. */
export interface Acknowledgement {
	/** Time after which an event counts as acknowledged; `Infinity` if the flow acknowledges. */
	timeoutMs: number;
	/** Most batches sent but not acknowledged. */
	batchesMax: number;
	/** Time without an acknowledgement after which a full window counts as acknowledged; `Infinity` if never. */
	stalledMs: number;
}

export interface OutboxSettings {
	/** The tab of the node, which decides whether a deploy affects it. */
	flowNode: FlowNode;
	acknowledgement: Acknowledgement;
	save: Pick<DebouncedSave, 'put' | 'flush'>;
	deploys: Deploys;
	clock: Clock;
	/** Resolves in a later turn of the event loop, when Node-RED has delivered what was sent. */
	turn: () => Promise<void>;
}

export function createOutbox<Event extends Keyed, Node extends AttachedNode<Event> = AttachedNode<Event>>(
	settings: OutboxSettings,
): Outbox<Event, Node> {
	const { flowNode, deploys, turn, acknowledgement } = settings;
	let node: Node | undefined;
	/** Whether the previous node was stopped, perhaps before the flow had finished with its messages. */
	let wasReplaced = false;
	const isRunning = (): boolean => node !== undefined && deploys.running(flowNode);
	const pending = createPending<Event>(settings, isRunning);
	const isFull = (): boolean => pending.size() >= acknowledgement.batchesMax;
	const gate = createGate(() => isRunning() && !isFull());

	let cancelStall: (() => void) | undefined;
	/** A flow that finishes with nothing holds its events up for good, so at last they count as handed over. */
	function watchStall(): void {
		cancelStall?.();
		if (isFull() && acknowledgement.stalledMs !== Infinity)
			cancelStall = settings.clock.after(acknowledgement.stalledMs, () => {
				// A deploy begins the time again: it sends the events again.
				if (!isRunning()) return;
				const events = pending.all();
				node?.stalled(events);
				acknowledge(events.map(({ eventKey }) => eventKey));
			});
	}
	function acknowledge(keys: readonly string[]): void {
		pending.acknowledge(keys);
		watchStall();
		gate.open();
	}

	function resume(mayHaveLost: boolean): void {
		if (!isRunning()) return;
		if (mayHaveLost || wasReplaced) node?.resend(pending.resend());
		wasReplaced = false;
		watchStall();
		gate.open();
		pending.schedule();
	}
	const stopListening = deploys.onStarted(flowNode, resume);
	return {
		deliver: async (events) => {
			await gate.enter();
			pending.sent(events);
			watchStall();
			node?.send(events);
			await turn();
		},
		onCheckpoint: pending.onCheckpoint,
		acknowledge,
		overdue: pending.overdue,
		node: () => node,
		attach: (next) => {
			node = next;
			resume(false);
		},
		detach: async () => {
			if (node) wasReplaced = true;
			node = undefined;
			// A completion becomes an acknowledgement in the next turn and is counted in the one after; the stream reports
			// the checkpoint of a batch a turn after it was sent.
			await turn();
			await turn();
			pending.storeAcknowledged();
		},
		end: () => {
			stopListening();
			cancelStall?.();
			pending.stop();
			gate.end();
		},
	};
}

/** Pending acknowledgements with a timer: stores a checkpoint as soon as all events before it are acknowledged. */
function createPending<Event extends Keyed>(
	{ save, clock, acknowledgement }: OutboxSettings,
	isRunning: () => boolean,
) {
	const pending = pendingAcknowledgements<Event>(acknowledgement.timeoutMs);
	let cancel: (() => void) | undefined;
	let isStopped = false;
	function schedule(): void {
		const dueAt = pending.nextDueAt();
		if (cancel || dueAt === Infinity || isStopped) return;
		cancel = clock.after(Math.max(0, dueAt - clock.elapsed()), () => {
			cancel = undefined;
			if (!isRunning()) return;
			store();
			schedule();
		});
	}
	function store(now = clock.elapsed()): void {
		const checkpoint = pending.takeStorable(now);
		if (checkpoint) save.put(checkpoint);
	}
	return {
		schedule,
		sent: (events: Event[]) => pending.sent(events, clock.elapsed()),
		resend: () => pending.resend(clock.elapsed()),
		// Unlike a timeout, an acknowledgement is valid during a deploy as well.
		acknowledge: (keys: readonly string[]) => {
			pending.acknowledge(keys);
			store();
		},
		onCheckpoint: (checkpoint: StoredCheckpoint) => {
			pending.onCheckpoint(checkpoint);
			// The last one of a subscription that ends: behind what its filter rejected since the one before.
			if (isStopped) store(Number.NEGATIVE_INFINITY);
			else schedule();
		},
		size: pending.size,
		all: pending.all,
		// While the flow is stopped, no time counts as an acknowledgement.
		storeAcknowledged: () => store(Number.NEGATIVE_INFINITY),
		overdue: () => pending.overdue(clock.elapsed()),
		stop: () => {
			isStopped = true;
			cancel?.();
		},
	};
}

/** Lets callers pass while a condition holds, and makes them wait otherwise. */
interface Gate {
	/** Resolves when the gate is open; rejects after `end`. */
	enter: () => Promise<void>;
	/** Makes waiting callers check the condition again. */
	open: () => void;
	end: () => void;
}

function createGate(isOpen: () => boolean): Gate {
	const waiting = new Set<() => void>();
	let ended = false;
	const open = (): void => {
		for (const resolve of waiting) resolve();
		waiting.clear();
	};
	return {
		enter: async () => {
			while (!isOpen() && !ended) await new Promise<void>((resolve) => waiting.add(resolve));
			if (ended) throw new Error('The gate was taken away');
		},
		open,
		end: () => {
			ended = true;
			open();
		},
	};
}
