import type { ConnectionStatus } from '../../catalogue';
import type { Clock } from '../../ports';
import type { StreamState } from '../contract';
import { createFailureLog, instant } from '../failure-log';

/** Statistics of one connection. */
export interface ConnectionLog {
	opening(): void;
	opened(): void;
	entered(state: StreamState): void;
	state(): StreamState;
	failed(why: unknown): void;
	/** The service closed or refused the connection. */
	closed(wasOpen: boolean, facts: { code?: number; status?: number }): void;
	status(): Omit<ConnectionStatus, 'access' | 'topics'>;
}

export function createConnectionLog(clock: Pick<Clock, 'now'>): ConnectionLog {
	const failures = createFailureLog(clock);
	let state: StreamState = 'connecting';
	let since = clock.now();
	let attempts = 0;

	return {
		opening: () => void (attempts += 1),
		opened: () => void (attempts = 0),
		entered: (next) => {
			state = next;
			since = clock.now();
		},
		state: () => state,
		failed: failures.note,
		closed: (wasOpen, { code, status }) => {
			const number = status === undefined ? code && `code ${code}` : `status ${status}`;
			failures.note(`${wasOpen ? 'The service closed it' : 'It did not open'}${number ? ` (${number})` : ''}`);
		},
		status: () => ({ state, since: instant(since), attempts, ...failures.last() }),
	};
}
