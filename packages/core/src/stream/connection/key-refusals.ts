import { doubled } from '../../backoff';
import { REFUSAL_AGAIN_MS, REFUSALS_CONFIRM, REFUSED_CONNECT_MS } from '../limits';

/** Sockets that did not open, and how often the key was refused. */
export interface KeyRefusals {
	hasEverOpened: boolean;
	/** Sockets in a row that did not open. */
	unopened: number;
	/** Refusals of the key in a row. */
	count: number;
}

/** Where the host hides the status, a refused key looks like a dead network, so REST is asked every few failures. */
const DIAGNOSE_EVERY = 5;

export const noKeyRefusals = (): KeyRefusals => ({ hasEverOpened: false, unopened: 0, count: 0 });

export const isRefusal = (status: number | undefined): boolean => status === 401 || status === 403;

/** Whether a REST read should find out why a socket did not open. */
export const isDiagnosisDue = ({ count, unopened }: KeyRefusals, status: number | undefined): boolean =>
	isRefusal(status) || count > 0 || unopened % DIAGNOSE_EVERY === 1;

/** Whether the key was refused often enough in a row to count as refused. */
export const isRefused = ({ count }: KeyRefusals): boolean => count >= REFUSALS_CONFIRM;

/** Whether the latest refusal is the one that confirmed it, so that it is reported once. */
export const isJustRefused = ({ count }: KeyRefusals): boolean => count === REFUSALS_CONFIRM;

/** The delay before the next socket: short until the refusal is confirmed, then growing. */
export function refusedDelayMs(count: number): number {
	if (count < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * count;
	return doubled(REFUSED_CONNECT_MS, count - REFUSALS_CONFIRM);
}
