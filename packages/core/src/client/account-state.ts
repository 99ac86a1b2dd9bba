import { createInFlightIntents, type InFlightIntents } from '../orders/in-flight';
import { createAccountLimits, type AccountLimits } from '../orders/limits/account-limits';
import { perAccount } from '../per-account';
import type { Clock } from '../ports';
import { createPageLengths, type PageLengths } from '../wire/page-length';

/** What all clients of one account share in a process: those of all its nodes, and those before and after a deploy. */
export interface AccountState {
	inFlight: InFlightIntents;
	limits: AccountLimits;
	pageLengths: PageLengths;
}

/** The states of a process, each under a name by which its host tells accounts apart. */
export const createAccountStates = (clock: Clock): ((name: string) => AccountState) =>
	perAccount(() => ({
		inFlight: createInFlightIntents(),
		limits: createAccountLimits(clock),
		pageLengths: createPageLengths(),
	}));
