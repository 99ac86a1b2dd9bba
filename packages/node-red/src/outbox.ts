/** Sends events into the flow behind a listening node: when they may be sent, and which are sent again after a deploy. */
import type { Clock, ExchangeError, StoredCheckpoint, StreamEvent, StreamNotice } from '@partner-exchange/core';
import type { DebouncedSave } from './debounced-save';
import type { Deploys, Place } from './deploys';
import { createGate } from './gate';
import { pendingAcknowledgements } from './pending-acknowledgements';

export interface Outbox {
	deliver: (events: StreamEvent[]) => Promise<void>;
	onCheckpoint: (checkpoint: StoredCheckpoint) => void;
	acknowledge: (keys: readonly string[]) => void;
	/** Pending batches, once the oldest of them is overdue. */
	overdue: () => number;
	node: () => AttachedNode | undefined;
	attach: (node: AttachedNode | undefined) => void;
	end: () => void;
}

/** The node that sends into the flow at present. */
export interface AttachedNode {
	send(events: readonly StreamEvent[]): void;
	/** Sends again what may have been lost. Only what is sent from now on counts. */
	resend(events: readonly StreamEvent[]): void;
	notice(notice: StreamNotice): void;
	failed(error: ExchangeError): void;
}

/** What acknowledges an event: the flow, or a time. */
export interface Acknowledgement {
	/** Time after which an event counts as acknowledged; `Infinity` when the flow acknowledges it. */
	timeoutMs: number;
	/** Batches sent before the oldest of them is acknowledged. */
	batchesMax: number;
}

export interface OutboxSettings {
	/** Where the node stands, which decides whether a deploy affects it. */
	place: Place;
	acknowledgement: Acknowledgement;
	save: DebouncedSave;
	deploys: Deploys;
	clock: Clock;
	/** Resolves when the host has had a turn to deliver what was sent. */
	turn: () => Promise<void>;
}

export function createOutbox(settings: OutboxSettings): Outbox {
	const { place, deploys, turn, acknowledgement } = settings;
	let node: AttachedNode | undefined;
	/** The last node was stopped, perhaps before the flow finished with what it sent. */
	let wasReplaced = false;
	const isRunning = (): boolean => node !== undefined && deploys.running(place);
	const pending = createPending(settings, isRunning);
	const gate = createGate(() => isRunning() && pending.size() < acknowledgement.batchesMax);

	function resume(mayHaveLost: boolean): void {
		if (!isRunning()) return;
		if (mayHaveLost || wasReplaced) node?.resend(pending.resend());
		wasReplaced = false;
		gate.open();
		pending.schedule();
	}
	const stopListening = deploys.onStarted(place, resume);
	return {
		deliver: async (events) => {
			await gate.pass();
			pending.sent(events);
			node?.send(events);
			await turn();
		},
		onCheckpoint: pending.onCheckpoint,
		acknowledge: (keys) => {
			pending.acknowledge(keys);
			gate.open();
		},
		overdue: pending.overdue,
		node: () => node,
		attach: (next) => {
			if (node && !next) wasReplaced = true;
			node = next;
			resume(false);
		},
		end: () => {
			stopListening();
			pending.stop();
			gate.end();
		},
	};
}

/** Pending acknowledgements on a clock: a position is stored as soon as it may be. */
function createPending({ save, clock, acknowledgement }: OutboxSettings, isRunning: () => boolean) {
	const pending = pendingAcknowledgements(acknowledgement.timeoutMs);
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
	function store(): void {
		const checkpoint = pending.storable(clock.elapsed());
		if (checkpoint) save.put(checkpoint);
	}
	return {
		schedule,
		sent: (events: StreamEvent[]) => pending.sent(events, clock.elapsed()),
		resend: () => pending.resend(clock.elapsed()),
		// An acknowledgement is as good during a deploy as at any other time.
		acknowledge: (keys: readonly string[]) => {
			pending.acknowledge(keys);
			store();
		},
		onCheckpoint: (checkpoint: StoredCheckpoint) => {
			pending.onCheckpoint(checkpoint);
			schedule();
		},
		size: pending.size,
		overdue: () => pending.overdue(clock.elapsed()),
		stop: () => {
			isStopped = true;
			cancel?.();
		},
	};
}
