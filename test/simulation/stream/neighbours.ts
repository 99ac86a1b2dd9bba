import type { Consumer } from '@partner-exchange/core';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';

/** A misbehaving consumer, which the others on its connection must not notice. */
export type Fault = keyof typeof faults;

type Faulty = Pick<Consumer, 'deliver' | 'onCheckpoint'>;

const SLOW_MS = 30_000;

const faults = {
	throws: () => ({
		deliver: () => {
			throw new Error('a mistake of the host');
		},
	}),
	'never returns': () => ({ deliver: () => new Promise<void>(() => undefined) }),
	'is slow': (time) => ({ deliver: () => new Promise<void>((resolve) => void time.after(SLOW_MS, resolve)) }),
	'cannot store': () => ({
		deliver: async () => undefined,
		onCheckpoint: () => {
			throw new Error('a mistake of the host');
		},
	}),
} satisfies { readonly [name: string]: (time: VirtualTime) => Faulty };

export const drawFaults = (chance: Random): Fault[] =>
	chance.happens(0.15) ? [chance.pick(Object.keys(faults) as Fault[])] : [];

/** A consumer that wants all events the others want. */
export const faultyConsumer = (fault: Fault, topics: readonly string[], time: VirtualTime): Consumer => ({
	topics,
	batchMax: 10,
	retriesFirstConnection: true,
	...faults[fault](time),
});
