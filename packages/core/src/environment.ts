import type { Account, AccountInput } from './account';
import { addressesOf } from './addresses';
import { isWrite, type Operation, type Options } from './catalogue';
import { ExchangeError } from './errors';
import { hostsIn, isLoopback } from './host-names';
import { readBoolean } from './input/value';

/**
 * Whether real money may be involved. A label may be wrong, so every host counts as production except this machine and
 * the test hosts the account confirms.
 */
export function isProduction({ testHosts, ...account }: AccountInput): boolean {
	if (account.environment === 'production') return true;
	const confirmed = hostsIn(testHosts);
	return !Object.values(addressesOf(account)).every((address) => {
		const { hostname, host } = new URL(address);
		return isLoopback(hostname) || confirmed.includes(hostname) || confirmed.includes(host);
	});
}

/** The permission a node or a script gives. */
interface Permission {
	/** Whether the node or script is allowed to act in production. */
	production: boolean;
	options?: Options;
}

/** Refuses writes in production unless the node or the script allows them explicitly. */
export function assertProductionAllowed(operation: Operation, account: Account, permission: Permission): void {
	if (permission.production || operation.nonProduction || !isWrite(operation) || !isProduction(account)) return;
	if (isDryRun(operation, permission.options)) return;
	const isUnproved = account.environment !== 'production';
	throw new ExchangeError('not_available', {
		operation: operation.label,
		field: 'production',
		what: isUnproved
			? `${hostOf(account)} is called ${account.environment}, but nothing confirms that no real money is there, and this node is not allowed to act in production`
			: 'The account is for production, and this node is not allowed to act there',
		advice: isUnproved
			? 'Write the host into Test Hosts of the account if it is a test environment; nothing was sent'
			: 'Turn on Allow Production in the node, in n8n among its Options, if real money is meant; nothing was sent',
	});
}

/** Only a valid true counts as a dry run; an invalid value is refused by name when the options are checked. */
function isDryRun(operation: Operation, options: Options = {}): boolean {
	const verdict = readBoolean(options.dry_run);
	return operation.options?.includes('dry_run') === true && 'value' in verdict && verdict.value;
}

const hostOf = ({ baseUrl }: Account): string => new URL(baseUrl).host;

/** Refuses operations that the environment does not offer or that need a missing key, before any request. */
export function assertAvailable(operation: Operation, account: Account): void {
	if (operation.sandboxOnly && account.environment !== 'sandbox') {
		throw new ExchangeError('not_available', {
			operation: operation.label,
			what: `The account is of environment ${account.environment}, and only a sandbox can be steered`,
			advice: 'Use an account of the sandbox environment; nothing was sent',
		});
	}
	if (operation.nonProduction && isProduction(account)) {
		const isUnproved = account.environment !== 'production';
		throw new ExchangeError('not_available', {
			operation: operation.label,
			what: isUnproved
				? `${hostOf(account)} is not confirmed as a test environment, and simulation does not exist in production`
				: 'Simulation does not exist in production',
			advice: isUnproved
				? 'Write the host into Test Hosts of the account if no real money is there; nothing was sent'
				: 'Use an account of the sandbox or staging environment; nothing was sent',
		});
	}
	if (operation.access !== 'public' && account.apiKey === '') {
		throw new ExchangeError('invalid_account', {
			operation: operation.label,
			field: 'apiKey',
			what: 'API Key is missing',
			advice: 'Enter the key of this environment; nothing was sent',
		});
	}
}
