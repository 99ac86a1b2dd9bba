import type { Account } from '../account';
import type { CommandAction } from '../catalogue';
import type { Read } from '../context';
import type { Ports } from '../ports';
import type { InFlightIntents } from './in-flight';
import type { IntentEntry, IntentJournal } from './journal';
import type { Machine } from './machine';
import type { Plan } from './plan';
import type { Handler } from './run';
import type { OrderEvents } from './wakeup';

/** Where cancel and replace commands go. A stream is one. */
export interface CommandChannel {
	/** Sends one command. Rejects with outcome_unknown when its acknowledgement is lost. */
	command(
		action: CommandAction,
		fields: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
	): Promise<{ data: Readonly<Record<string, unknown>> }>;
}

/** What a host adds to a client so that its orders are placed once. Everything is optional. */
export interface OrderPorts {
	/** Where cancel and replace commands go. Called when one is sent, so that no connection opens before. */
	commands?: () => CommandChannel;
	/** Tells early that an order moved; without it the order is read now and then. */
	orderEvents?: OrderEvents;
	journal?: IntentJournal;
	/** One per account, shared by all clients a host makes for it. */
	inFlight?: InFlightIntents;
	machine?: Machine;
}

/** What the client lends to its orders. */
export interface ClientAccess {
	account: Account;
	ports: Ports;
	/** Reads once, without retry. */
	read: Read;
}

/** Everything that an order write needs besides the intent. */
export interface OrderDependencies extends ClientAccess {
	host: OrderPorts;
	inFlight: InFlightIntents;
	machine: Machine;
	/** Loads what an earlier process left open, once. */
	restore: () => Promise<IntentEntry[]>;
}

/** What one kind of intent needs to be sent and looked up. */
export interface HandlerContext extends ClientAccess {
	plan: Plan;
	commands?: () => CommandChannel;
}

/** What differs between the kinds of intents. Checking and recording are the same for all. */
export type Exchange = Pick<Handler, 'send' | 'lookup'>;
