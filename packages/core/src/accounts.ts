import { acceptAccount, type Account } from './account';
import { forgetOldest } from './bounded';
import { createClient } from './client/client';
import type { Client } from './client/contract';
import { createAccountMemory } from './orders/memory';
import { createAccountLimits, type AccountLimits } from './orders/limits/account-limits';
import type { OrderPorts } from './orders/deps';
import { ACCOUNTS_MAX, perAccount } from './per-account';
import type { Clock, StreamingPorts } from './ports';
import type { Stream } from './stream/contract';
import { createRegistry, type SharedStream } from './stream/registry';
import { createStream } from './stream/stream';
import { createRateLimiters, type Priority } from './wire/rate-limiter';

/** What a host brings to one use of an account. */
export interface AccountUse extends Pick<OrderPorts, 'journal' | 'limits' | 'renewLimits' | 'onResolved' | 'signal'> {
	ports: StreamingPorts;
	/**
	 * The name under which orders in flight are found; without one that is the key. A host without a journal names
	 * its credential, because a key is often rotated just when the outcome of an order is unknown.
	 */
	name?: string;
}

/** An account that is ready to be used. All uses of it in a process share what the service has once for each account. */
export interface OpenAccount {
	client: Client;
	/** The account's stream, which connects on first use. */
	stream(): Stream;
	/** The same stream for a user that outlives this use. */
	share(): SharedStream;
	/** Whether the service is limiting the rate of this account at present. */
	isHindered(): boolean;
	/** Releases the stream, which closes some time after its last user has released it. */
	release(): void;
}

/** The accounts of one process. */
export interface Accounts {
	/** Limits under a name of the host, so that a new key, a deploy or a restart of a workflow resets no counter. */
	limitsOf(name: string): AccountLimits;
	/**
	 * Opens an account. What it shares is found by its normalized address and key: a key that was pasted with a space is
	 * the same account.
	 *
	 * @throws An {@link ExchangeError}: `invalid_account` when an address or the key cannot be right.
	 */
	open(account: Account, use: AccountUse): OpenAccount;
}

/** Creates the accounts of a process. A host makes them once. */
export function createAccounts(clock: Clock): Accounts {
	const streams = createRegistry(clock);
	const rateLimiterOf = createRateLimiters(clock);
	const limitsOf = perAccount(() => createAccountLimits(clock));
	const memoryOf = perAccount(() => createAccountMemory());
	/** The limits that count the orders of an account, whichever use its stream was opened for. */
	const countersOf = perAccount(() => new Set<AccountLimits>());

	function open(settings: Account, use: AccountUse): OpenAccount {
		const { ports, name, journal, limits, renewLimits, onResolved, signal } = use;
		const account = acceptAccount(settings);
		const { baseUrl, apiKey } = account;
		const limiter = rateLimiterOf(account);
		const counters = countersOf(JSON.stringify([baseUrl, apiKey]));
		if (limits) forgetOldest(counters.add(limits), ACCOUNTS_MAX);

		const limited = (priority: Priority): StreamingPorts => ({ ...ports, send: limiter.send(ports.send, priority) });

		/** Reads of the stream have priority over those of actions, so that many reads do not delay its events. */
		const share = (): SharedStream =>
			streams.share(account, () =>
				createStream({
					...ports,
					account,
					isForm: true,
					client: createClient(account, limited('first'), { isForm: true }),
					orderShown: (order) => counters.forEach((counter) => counter.orderShown(order)),
				}),
			);
		let shared: SharedStream | undefined;
		const stream = (): Stream => (shared ??= share()).stream;

		const client = createClient(account, limited('later'), {
			isForm: true,
			journal,
			limits,
			renewLimits,
			onResolved,
			signal,
			memory: memoryOf(JSON.stringify([baseUrl, name ?? apiKey])),
			commands: stream,
			orderEvents: (listener) => stream().onOrderUpdate(listener),
			streamStatus: () => streams.find(account)?.status(),
		});
		return { client, stream, share, isHindered: limiter.isHindered, release: () => shared?.release() };
	}

	return { limitsOf, open };
}
