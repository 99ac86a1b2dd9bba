import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { CHECKPOINT_VERSION } from '../../../packages/core/src/stream/log/checkpoint';
import { seal, type Sealed } from '../../../packages/core/src/sealed';

/** A checkpoint as an earlier run stored it: by default its keys are those of no event. */
export const checkpointOf = (topics: Record<string, Item>): StoredCheckpoint => ({
	version: CHECKPOINT_VERSION,
	topics: Object.fromEntries(
		Object.entries(topics).map(([topic, value]) => [topic, seal({ keys: '', ...value }, CHECKPOINT_VERSION)]),
	),
});

/** What a checkpoint holds of each topic. */
export const storedIn = (checkpoint: StoredCheckpoint | undefined): Record<string, Item> =>
	Object.fromEntries(
		Object.entries((checkpoint?.topics ?? {}) as Record<string, Sealed>).map(([topic, { value }]) => [
			topic,
			value as Item,
		]),
	);
