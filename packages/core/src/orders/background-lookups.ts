import { inBackground } from '../background';

/** Intents looked up at once after their calls. */
export const BACKGROUND_LOOKUPS_MAX = 100;
/** Intents that wait for their turn. No process knows of more open ones. */
const WAITING_MAX = 10_000;

/**
 * The lookups that follow calls of unknown outcome, a hundred at once; the others wait for their turn. Work is done in
 * its turn, unless work for its key is under way or waits.
 */
export type BackgroundLookups = (key: string, work: () => Promise<void>) => void;

export function createBackgroundLookups(): BackgroundLookups {
	const waiting = new Map<string, () => Promise<void>>();
	const running = new Set<string>();

	function next(): void {
		const [first] = waiting;
		if (!first || running.size >= BACKGROUND_LOOKUPS_MAX) return;
		const [key, work] = first;
		waiting.delete(key);
		running.add(key);
		const done = (): void => {
			running.delete(key);
			next();
		};
		inBackground(work().then(done, done));
	}
	return (key, work) => {
		if (running.has(key) || waiting.has(key) || waiting.size >= WAITING_MAX) return;
		waiting.set(key, work);
		next();
	};
}
