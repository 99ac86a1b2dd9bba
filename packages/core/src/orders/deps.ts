import type { Account } from '../account';
import type { CommandAction, OperationId } from '../catalogue';
import type { Read } from '../context';
import type { ExchangeError } from '../errors';
import type { Ports } from '../ports';
import type { Item } from '../wire/payload';
import type { Accepted } from '../wire/request';
import type { ServiceClock } from '../wire/remote-clock';
import type { AccountLimits } from './limits/account-limits';
import type { InFlightIntents } from './in-flight';
import type { IntentEntry, IntentJournal } from './journal';
import type { OrderList } from './lookup/list';
import type { Machine } from './machine/machine';
import type { Plan } from './plan';
import type { Handler } from './run';
import type { OrderEvents } from './wakeup';

/** Where cancel and replace commands go. A stream is one. */
interface CommandChannel {
	/** Sends one command. Rejects with outcome_unknown when its acknowledgement is lost. */
	command(
		action: CommandAction,
		fields: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
	): Promise<{ data: Readonly<Record<string, unknown>> }>;
}

/** An intent by what went on the wire. */
export interface OpenIntent {
	key: string;
	operation: OperationId;
	fields: Accepted;
}

/** The outcome of an intent whose call ended with outcome unknown. */
export interface Settlement extends OpenIntent {
	outcome: 'accepted' | 'refused' | 'unknown';
	/** What was found, where it was accepted. */
	result?: Item;
	error?: ExchangeError;
}

/** What a host adds to a client so that its orders are placed once. Everything is optional. */
export interface OrderPorts {
	/** Where cancel and replace commands go. Called when one is sent, so that no connection opens before. */
	commands?: () => CommandChannel;
	/** Wakes up when an order changes; without it the order is polled. */
	orderEvents?: OrderEvents;
	journal?: IntentJournal;
	/** What the account may send over time, and the switch that stops it. */
	limits?: AccountLimits;
	/** Called with the outcome of each intent that a call left unknown. Without it there is no lookup after the call. */
	onSettled?: (settlement: Settlement) => void;
	/** Ends what goes on after the calls. */
	signal?: AbortSignal;
	/** One per account, shared by all clients a host makes for it. */
	inFlight?: InFlightIntents;
	machine?: Machine;
}

/** What orders use of the client. */
export interface ClientAccess {
	account: Account;
	ports: Ports;
	/** Reads once, without retry. */
	read: Read;
	service: ServiceClock;
}

/** Everything that an order write needs besides the intent. */
export interface OrderDependencies extends ClientAccess {
	list: OrderList;
	host: OrderPorts;
	inFlight: InFlightIntents;
	machine: Machine;
	/** Loads what an earlier process left open, once. */
	restore: () => Promise<IntentEntry[]>;
}

/** What one kind of intent needs to be sent and looked up. */
export interface HandlerContext extends ClientAccess {
	list: OrderList;
	plan: Plan;
	inFlight: InFlightIntents;
	commands?: () => CommandChannel;
}

/** What differs between the kinds of intents. Checking and recording are the same for all. */
export type Exchange = Pick<Handler, 'send' | 'lookup'>;
