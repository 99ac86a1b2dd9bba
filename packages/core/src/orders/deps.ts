import type { Account } from '../account';
import type { CommandAction } from '../catalogue';
import type { Read } from '../context';
import type { ExchangeError } from '../errors';
import type { Ports } from '../ports';
import type { Item } from '../wire/payload';
import type { ServiceClock } from '../wire/remote-clock';
import type { AccountLimits } from './limits/account-limits';
import type { AccountMemory } from './memory';
import type { EntryOwner, IntentJournal, OpenIntent, Restored } from './journal';
import type { OrderList } from './log/order-list';
import type { Machine } from './machine/machine';
import type { Plan } from './plan';
import type { Handler } from './run';
import type { OrderEvents } from './wakeup';

/** Sends cancel and replace commands; the stream implements it. */
interface CommandChannel {
	/**
	 * Sends one command. Rejects with outcome_unknown when the acknowledgement is lost, and sends nothing when
	 * `assertWanted`, asked once the connection is ready, rejects.
	 */
	command(
		action: CommandAction,
		fields: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
		assertWanted?: () => Promise<void>,
	): Promise<{ data: Readonly<Record<string, unknown>> }>;
}

/** The outcome, learnt later, of an intent whose call ended with outcome unknown. */
export interface Resolution extends OpenIntent {
	/** `unknown` when the search ended without proof. */
	outcome: 'accepted' | 'refused' | 'unknown';
	/** The order that was found, when the outcome is accepted. */
	result?: Item;
	/** Why the intent was refused or stays unknown. */
	error?: ExchangeError;
}

/** What a host adds to a client so that its orders are placed once. Everything is optional. */
export interface OrderPorts {
	/** The channel for cancel and replace commands. Called when one is sent, so that no connection opens earlier. */
	commands?: () => CommandChannel;
	/** Reports changes of an order; without it the order is polled. */
	orderEvents?: OrderEvents;
	/**
	 * Where open intents survive a crash, such as {@link fileJournal}. Without it they are forgotten with the process.
	 */
	journal?: IntentJournal;
	/** Limits on what the account may send over time, and its stop switch. */
	limits?: AccountLimits;
	/**
	 * Reads the limits and the stop switch again, where a person may have changed them meanwhile. Called before every
	 * transmission.
	 */
	renewLimits?: () => Promise<void>;
	/** Called with the later outcome of each intent that a call left unknown. Without it no lookup follows the call. */
	onResolved?: (resolution: Resolution) => void;
	/** Stops the lookups that continue after a call has ended. */
	signal?: AbortSignal;
	/** One per account, shared by all clients a host makes for it. */
	memory?: AccountMemory;
}

/** The parts of the client that orders use. */
export interface ClientAccess {
	account: Account;
	ports: Ports;
	/** Reads once, without retry. */
	read: Read;
	service: ServiceClock;
}

/** Everything that an order write needs besides the intent. */
export interface OrderDependencies extends ClientAccess {
	/** Whose intents these are, as the journal names it. Worked out once, because it is a digest of the key. */
	owner: EntryOwner;
	list: OrderList;
	host: OrderPorts;
	memory: AccountMemory;
	machine: Machine;
	/** The intents an earlier process left open. */
	restored: Restored;
}

/** What one kind of intent needs to be sent and looked up. */
export interface HandlerContext extends OrderDependencies {
	plan: Plan;
	/** Rejects when the order must not be sent any more, because the account is stopped. */
	assertWanted: () => Promise<void>;
}

/** What differs between the kinds of intents. Checking and recording are the same for all. */
export type KindHandler = Pick<Handler, 'send' | 'lookup'>;
