/** Converts the forms of the events and alerts nodes to settings of the core. Pure. */
import type { Account } from '@partner-exchange/core';
import { readStream, readWatch, type StreamSettings, type Watch } from '@partner-exchange/core/adapters';
import type { Acknowledgement, OutboxSettings } from '../delivery/outbox';
import type { Settings } from '../host/types';
import { eventsStored, readOwn, alertStored } from './fields';
import type { Deploys } from '../host/deploys';
import { ports } from '../host/ports';
import type { HostNode } from '../host/host-node';
import { debouncedSave, type DebouncedSave } from '../checkpoints/debounced-save';
import type { CheckpointStore } from '../checkpoints/checkpoints';

/** Default time, in seconds, after which an event counts as acknowledged. */
const SETTLE_S = 1;
/** A longer time counts as this one, because events under way would otherwise never count as acknowledged. */
const SETTLE_S_MAX = 600;
/** Most unacknowledged batches in the flow; delivery pauses at this number. */
const UNACKNOWLEDGED_MAX = 50;
/**
 * Time without a completed message after which a flow that has as many as it may have no longer holds up others: a node
 * in it neither finishes nor fails.
 */
const STALLED_MS = 3_600_000;
/**
 * Events taken from the stream in a turn of the event loop, more than arrive in one, so that no burst puts a node behind.
 * A node with batch size 1 still sends one message per event.
 */
const EVENTS_PER_BATCH = 250;

/** All settings on which a subscription depends. */
export function signatureOf(settings: Settings, { environment, baseUrl, wsUrl, apiKey }: Account): string {
	const { store, settle } = settings;
	return JSON.stringify([
		environment,
		baseUrl,
		wsUrl,
		apiKey,
		streamOf(settings),
		batchOf(settings),
		store,
		settle,
		acknowledgedBy(settings),
	]);
}

/** Topics and filters of the form. Throws on what cannot be meant. */
export const streamOf = (settings: Settings): StreamSettings => readStream(eventsStored(settings));

export const batchOf = (settings: Settings): number => readOwn('batch', settings);

/** What acknowledges an event: completion of its message, its message returning to the node, or a time. */
type AcknowledgedBy = 'complete' | 'back' | 'time';

export const acknowledgedBy = ({ taken }: Settings): AcknowledgedBy =>
	taken === 'back' || taken === 'time' ? taken : 'complete';

/**
 * If messages return to the node, each is acknowledged on its own, and the limit of unacknowledged batches counts
 * messages.
 */
export const batchMaxOf = (settings: Settings): number =>
	acknowledgedBy(settings) === 'back' ? batchOf(settings) : Math.max(batchOf(settings), EVENTS_PER_BATCH);

const acknowledgementOf = (settings: Settings): Acknowledgement =>
	acknowledgedBy(settings) === 'time'
		? { timeoutMs: settleMsOf(settings), batchesMax: Infinity, stalledMs: Infinity }
		: {
				timeoutMs: Infinity,
				batchesMax: UNACKNOWLEDGED_MAX,
				// A flow that says itself when it is done may take as long as it likes.
				stalledMs: acknowledgedBy(settings) === 'back' ? Infinity : STALLED_MS,
			};

const settleMsOf = ({ settle }: Settings): number => {
	const seconds = settle === undefined || settle === '' ? SETTLE_S : Number(settle);
	return (Number.isFinite(seconds) ? Math.min(SETTLE_S_MAX, Math.max(0, seconds)) : SETTLE_S) * 1_000;
};

/** What the node watches. */
export const watchedBy = (settings: Settings): Watch => {
	const { event = 'transaction' } = settings;
	return readWatch(event, alertStored(event, settings));
};

/** The poll interval. An invalid one is refused, because falling back to a default would go unnoticed. */
export const secondsOf = (settings: Settings): number => readOwn('seconds', settings);

/** What a listening node gives its outbox. `store`: where its checkpoint is kept. */
export const outboxSettings = (
	{ node, settings, deploys }: { node: HostNode; settings: Settings; deploys: Deploys },
	store: CheckpointStore,
): OutboxSettings & { save: DebouncedSave } => ({
	flowNode: { id: node.id, z: node.z },
	acknowledgement: acknowledgementOf(settings),
	save: debouncedSave(store, ports.clock, () =>
		node.warn('The checkpoint cannot be stored, so a restart may send events again'),
	),
	deploys,
	clock: ports.clock,
	turn: () => new Promise((resolve) => setImmediate(resolve)),
});
