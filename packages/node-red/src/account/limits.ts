/** Order limits and stop switch of each account. */
import { createAccountLimits, type AccountLimits, type ExchangeError, isExchangeError } from '@partner-exchange/core';
import { applyLimits, readLimits } from '@partner-exchange/core/adapters';
import type { Settings } from '../host/types';
import { ports } from './streams';

/** Shared by id, because a deploy creates a new account node and must not reset the counters of a runaway flow. */
const limitsById = new Map<string, AccountLimits>();

/** The limits of an account with its current settings applied, or the error in the settings. */
export function limitsOf(id: string, settings: Settings): AccountLimits | ExchangeError {
	const limits = limitsById.get(id) ?? createAccountLimits(ports.clock);
	limitsById.set(id, limits);
	try {
		applyLimits(limits, readLimits(settings));
		return limits;
	} catch (error) {
		if (isExchangeError(error)) return error;
		throw error;
	}
}
