import type { Exchange } from '../api/exchange';
import type { Arrival } from './arrivals';
import type { SandboxClock } from './clock';
import type { Faults } from './faults';
import type { ReceivedRequest } from './requests';

/** What the parts of a running sandbox share. `reset` puts another exchange in the place of the present one. */
export interface Running {
	exchange: Exchange;
	clock: SandboxClock;
	clockKind: 'real' | 'virtual';
	faults: Faults;
	requests: ReceivedRequest[];
	/** The last few of them, with how each was answered. */
	arrivals: Arrival[];
	/** Runs a release of words once everything said so far is safe on disk; at once where nothing is kept. */
	afterCommit(release: () => void): void;
	reset(): void;
	/** One line per arrival, without keys. */
	log?: ((line: string) => void) | undefined;
}
