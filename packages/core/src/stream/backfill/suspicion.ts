import type { Clock } from '../../ports';
import { READ_LAG_MS_MAX } from '../limits';

/**
 * Whether messages of a topic may be missing. Without a suspicion everything came live since a reading looked, and a reading
 * need not pass all of it again.
 */
export interface Suspicion {
	/** Messages may be missing before this moment. */
	arises(): void;
	/** A reading that began at a moment found whatever was missing. Lists lag, so it may have been too early. */
	looked(beganAt: number): void;
	isOpen(): boolean;
}

export function createSuspicion(clock: Pick<Clock, 'elapsed'>): Suspicion {
	let since: number | undefined;
	return {
		arises: () => void (since = clock.elapsed()),
		looked: (beganAt) => {
			if (since !== undefined && beganAt - since >= READ_LAG_MS_MAX) since = undefined;
		},
		isOpen: () => since !== undefined,
	};
}
