import { doubled } from '../../backoff';
import type { Clock } from '../../ports';
import { OUTDATED_AGAIN_MS, REFUSALS_CONFIRM, REFUSED_RETRY_MS } from '../limits';

/** The pauses before a snapshot that was too old is read again. */
export function createGrowingPause() {
	let count = 0;
	return {
		pauseMs: (): number => doubled(OUTDATED_AGAIN_MS, count++),
		reset: (): void => void (count = 0),
	};
}

/** The pauses for a key without read permission. A refusal during a pause does not extend it. */
export function createReadRefusals(clock: Pick<Clock, 'elapsed'>) {
	let [count, endsAt] = [0, Number.NEGATIVE_INFINITY];
	return {
		pauseMs: (): number => {
			const now = clock.elapsed();
			if (now < endsAt) return endsAt - now;
			count += 1;
			const growth = 3 ** Math.max(0, count - REFUSALS_CONFIRM);
			const pauseMs = Math.min(REFUSED_RETRY_MS.cap, REFUSED_RETRY_MS.base * growth);
			endsAt = now + pauseMs;
			return pauseMs;
		},
		reset: (): void => {
			[count, endsAt] = [0, Number.NEGATIVE_INFINITY];
		},
	};
}
