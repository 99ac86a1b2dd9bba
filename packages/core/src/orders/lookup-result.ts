import { isExchangeError, type ErrorCode } from '../errors';
import type { Evidence } from './state';

/** Failures that another reading with the same key will not change. */
const lasting: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'invalid_account', 'invalid_input'];

/** Turns a reading that throws into one that failed, which is never the same as finding nothing. */
export async function evidenceOf(reading: () => Promise<Evidence>): Promise<Evidence> {
	try {
		return await reading();
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		return { shows: 'failure', error, lasting: lasting.includes(error.code) };
	}
}
