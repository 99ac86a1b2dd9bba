import { doubled } from '../../backoff';
import { REFUSAL_AGAIN_MS, REFUSALS_CONFIRM, REFUSED_CONNECT_MS } from '../limits';

/** Counts consecutive failures to open a socket, and consecutive refusals of the key. */
export interface Refusals {
	opened(): void;
	unopened(): void;
	/** Whether a REST read should find out why the socket did not open. */
	isDiagnosisDue(status: number | undefined): boolean;
	/** The result of the diagnosis over REST. */
	diagnosed(isRefused: boolean): void;
	/** The delay before the next socket. `more` counts refusals that are not recorded yet. */
	delayMs(more?: number): number;
	/** The key was refused often enough in a row to count as refused. */
	isConfirmed(): boolean;
	/** The latest refusal is the one that confirmed it, so it is reported once. */
	isJustConfirmed(): boolean;
	everOpened(): boolean;
}

/** Where the host hides the status, a refused key looks like a dead network, so REST is asked every few failures. */
const DIAGNOSE_EVERY = 5;

export function createRefusals(): Refusals {
	let everOpened = false;
	let unopened = 0;
	let refusals = 0;
	return {
		opened: () => {
			everOpened = true;
			unopened = refusals = 0;
		},
		unopened: () => void (unopened += 1),
		isDiagnosisDue: (status) => isRefusal(status) || refusals > 0 || unopened % DIAGNOSE_EVERY === 1,
		diagnosed: (isRefused) => void (refusals = isRefused ? refusals + 1 : 0),
		delayMs: (more = 0) => delayMsOf(refusals + more),
		isConfirmed: () => refusals >= REFUSALS_CONFIRM,
		isJustConfirmed: () => refusals === REFUSALS_CONFIRM,
		everOpened: () => everOpened,
	};
}

export const isRefusal = (status: number | undefined): boolean => status === 401 || status === 403;

/** Short pauses until the refusal is confirmed, then growing ones. */
function delayMsOf(count: number): number {
	if (count < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * count;
	return doubled(REFUSED_CONNECT_MS, count - REFUSALS_CONFIRM);
}
