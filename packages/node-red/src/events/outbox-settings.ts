import type { OutboxSettings } from '../delivery/outbox';
import type { Deploys } from '../host/deploys';
import { ports } from '../host/ports';
import type { HostNode } from '../host/host-node';
import type { Settings } from '../host/types';
import { debouncedSave, type DebouncedSave } from '../positions/debounced-save';
import type { PositionStore } from '../positions/positions';
import { acknowledgementOf } from './event-settings';

/** What a listening node gives its outbox. `store`: where its position is kept. */
export const outboxSettings = (
	{ node, settings, deploys }: { node: HostNode; settings: Settings; deploys: Deploys },
	store: PositionStore,
): OutboxSettings & { save: DebouncedSave } => ({
	place: { id: node.id, z: node.z },
	acknowledgement: acknowledgementOf(settings),
	save: debouncedSave(store, ports.clock, () =>
		node.warn('The position cannot be stored, so a restart may send events again'),
	),
	deploys,
	clock: ports.clock,
	turn: () => new Promise((resolve) => setImmediate(resolve)),
});
