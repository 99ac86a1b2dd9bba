import type { Exchange } from '../api/exchange';
import type { SandboxClock } from './clock';
import type { Faults } from './faults';
import type { RequestLog } from './request-log';

/** State shared by the server modules. `reset` replaces its exchange. */
export interface SandboxContext {
	exchange: Exchange;
	clock: SandboxClock;
	clockKind: 'real' | 'virtual';
	faults: Faults;
	requests: RequestLog;
	/** Runs the callback once all earlier writes are on disk; immediately without a data file. */
	afterCommit(release: () => void): void;
	reset(): void;
	/** Receives one line per request; lines never contain keys. */
	log?: ((line: string) => void) | undefined;
}
