import { createInFlightIntents, type InFlightIntents } from '../orders/in-flight';
import { createAccountLimits, type AccountLimits } from '../orders/limits/account-limits';
import type { Clock } from '../ports';
import { createPageLengths, type PageLengths } from '../wire/page-length';

/** What all clients of one account share in a process: those of all its nodes, and those before and after a deploy. */
export interface AccountState {
	inFlight: InFlightIntents;
	limits: AccountLimits;
	pageLengths: PageLengths;
}

/** Accounts kept in memory at once; the least recently used one is dropped first, and its orders are read anew. */
export const ACCOUNTS_MAX = 1_000;

/** The states of a process, each under a name by which its host tells accounts apart. */
export function createAccountStates(clock: Clock): (name: string) => AccountState {
	const states = new Map<string, AccountState>();
	return (name) => {
		const state = states.get(name) ?? {
			inFlight: createInFlightIntents(),
			limits: createAccountLimits(clock),
			pageLengths: createPageLengths(),
		};
		states.delete(name);
		states.set(name, state);
		const [oldest] = states.keys();
		if (states.size > ACCOUNTS_MAX && oldest !== undefined) states.delete(oldest);
		return state;
	};
}
