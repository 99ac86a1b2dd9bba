import { inBackground } from '../background';

/** Intents looked up at once after their calls. */
export const SETTLING_MAX = 100;
/** Intents that wait for their turn. No process knows of more open ones. */
const WAITING_MAX = 10_000;

/** The lookups that follow calls of unknown outcome, a hundred at once; the others wait for their turn. */
export interface Settling {
	/** Does the work in its turn, unless work for this key is under way or waits. */
	add(key: string, work: () => Promise<void>): void;
}

export function createSettling(): Settling {
	const waiting = new Map<string, () => Promise<void>>();
	const running = new Set<string>();

	function next(): void {
		const [first] = waiting;
		if (!first || running.size >= SETTLING_MAX) return;
		const [key, work] = first;
		waiting.delete(key);
		running.add(key);
		const done = (): void => {
			running.delete(key);
			next();
		};
		inBackground(work().then(done, done));
	}
	return {
		add: (key, work) => {
			if (running.has(key) || waiting.has(key) || waiting.size >= WAITING_MAX) return;
			waiting.set(key, work);
			next();
		},
	};
}
