import { REFUSAL_AGAIN_MS, REFUSALS_CONFIRM, REFUSED_CONNECT_MS } from '../limits';

/** Counts consecutive failures to open a socket, and consecutive refusals of the key. */
export interface Refusals {
	opened(): void;
	unopened(): void;
	/** Whether REST should be asked what is wrong. */
	isDiagnosisDue(status: number | undefined): boolean;
	/** The result of the check over REST. */
	diagnosed(isRefused: boolean): void;
	/** How long to wait for the next socket, if the key was refused so many times more than is known. */
	delayMs(more?: number): number;
	/** The key was refused each time it was asked again. */
	isConfirmed(): boolean;
	/** And this is the first time that it is certain. */
	isJustConfirmed(): boolean;
	everOpened(): boolean;
}

/** A refused key and a dead network look alike where the host hides the status, so every so many tries REST is asked. */
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

/** Soon, to confirm the refusal, and then at growing pauses. */
function delayMsOf(count: number): number {
	if (count < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * count;
	return Math.min(REFUSED_CONNECT_MS.cap, REFUSED_CONNECT_MS.base * 2 ** (count - REFUSALS_CONFIRM));
}
