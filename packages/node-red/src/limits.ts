/** What each account of the flows may send over time, and whether it is stopped. */
import { createAccountLimits, type AccountLimits, type ExchangeError, isExchangeError } from '@partner-exchange/core';
import { applyLimits, readLimits } from '@partner-exchange/core/adapters';
import type { Settings } from './host';
import { ports } from './streams';

/** A deploy makes a new account node, which must not reset the counts of a flow that runs wild. */
const limitsById = new Map<string, AccountLimits>();

/** The limits of a deployed account as its settings say now, or what is wrong with these. */
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
