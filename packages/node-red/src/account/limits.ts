/** Order limits and stop switch of each account. */
import { type AccountLimits, type ExchangeError, isExchangeError } from '@partner-exchange/core';
import { applyLimits, readLimits } from '@partner-exchange/core/adapters';
import type { Settings } from '../host/types';
import { stateOf } from './streams';

/**
 * The limits of an account with its current settings applied, or the error in the settings. Counters are shared by the
 * id of the node, because a deploy creates a new one and must not reset the counters of a runaway flow.
 */
export function limitsOf(id: string, settings: Settings): AccountLimits | ExchangeError {
	const { limits } = stateOf(id);
	try {
		applyLimits(limits, readLimits(settings));
		return limits;
	} catch (error) {
		if (isExchangeError(error)) return error;
		throw error;
	}
}
