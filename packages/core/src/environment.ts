import type { Account } from './account';
import { environments, type Operation } from './catalogue';
import { ExchangeError } from './errors';

/** Refuses what an environment does not offer and what cannot work without a key, before any packet. */
export function assertAvailable(operation: Operation, account: Account): void {
	if (operation.nonProduction && !environments[account.environment].simulation) {
		throw new ExchangeError('not_available', {
			operation: operation.label,
			what: 'Simulation does not exist in production',
			advice: 'Use an account of the sandbox or staging environment; nothing was sent',
		});
	}
	if (operation.access !== 'public' && account.apiKey === '') {
		throw new ExchangeError('invalid_account', {
			operation: operation.label,
			field: 'apiKey',
			what: 'The account has no API key',
			advice: 'Enter the key of this environment; nothing was sent',
		});
	}
}
