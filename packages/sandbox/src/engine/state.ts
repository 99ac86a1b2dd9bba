import type { Access } from '@partner-exchange/core/catalogue';
import type { Book } from './book';
import type { Candles } from './candles';
import type { Market } from './market';
import type { Fill, Order, Trade } from './order';
import type { RandomState, RunId } from './random';
import type { DeepReadonly } from './read-only';

/** The persistent state. Plain data only, so that a snapshot is one serialisation. */
export interface State {
	now: number;
	/** Names this exchange: another one after a reset, and with every new one in memory. */
	run: RunId;
	/** How often this exchange was opened; each opening starts a new stream epoch. */
	openings: number;
	/** Separate generators for identifiers and for the seeded market, so that neither shifts the other. */
	random: { ids: RandomState; market: RandomState };
	settings: Settings;
	accounts: Map<string, Account>;
	house: Map<string, House>;
	markets: Map<string, MarketState>;
	orders: Map<string, Order>;
	orderCount: number;
	/** Closed orders, oldest first, in the order they are dropped. */
	closed: Set<string>;
	transactions: Map<string, Transaction>;
	keys: Map<string, Key>;
	scenarios: ScenarioRun[];
	tasks: Task[];
	taskCount: number;
	/** Counts the orders of the seeded market. */
	seededOrders: number;
}

/** A scenario under way. */
export interface ScenarioRun {
	number: number;
	name: string;
	/** Stages played so far. */
	stage: number;
	/** How often the present stage asked to be played again. */
	again: number;
	accountId: string;
	orderId?: string;
	effects: Partial<Settings>;
}

/** What a key may do, by class of action. (Interface, part 5.) */
export interface Key {
	key: string;
	accountId: string;
	access: KeyAccess[];
	environment: 'staging' | 'production';
	active: boolean;
}

export type KeyAccess = Exclude<Access, 'public'>;

export interface Settings {
	/** Delay from an order write to its execution. */
	orderDelayMs: number;
	/** Delay from a deposit or withdrawal to its completion. */
	settlementDelayMs: number;
	selfTrade: 'cancel_taker' | 'cancel_maker';
	replaceQuantity: 'total' | 'remaining';
	/** Outcome of new deposits and withdrawals. */
	transactionOutcome: 'completed' | 'failed' | 'cancelled';
	/** Delay before a new order appears in the order list, as with a lagging read replica. */
	listLagMs: number;
	/** Retention of idempotency keys. */
	keyRetentionMs: number;
	marketMaker: 'off' | 'live' | 'quiet';
}

export interface Holding {
	available: bigint;
	locked: bigint;
}

/** External and rounding accounts, so that every posting has two sides. */
export interface House {
	external: Holding;
	clearing: Holding;
}

export interface Account {
	id: string;
	email: string;
	name: string;
	kyb: 'approved' | 'pending' | 'rejected';
	/** Accounts of the seeded market keep no history. */
	internal: boolean;
	holdings: Map<string, Holding>;
	credit: Credit;
	orders: string[];
	fills: Fill[];
	transactions: string[];
	recipients: Map<string, Recipient>;
	notifications: Notification[];
	idempotency: Map<string, IdempotencyRecord>;
}

export interface Credit {
	currency: string;
	limit: bigint;
	used: bigint;
	nextDueAt: number | null;
	overdue: boolean;
	withdrawalBlocked: boolean;
	status: string;
}

/** One namespace per account, shared by the REST header, the key of a command and its request_id. */
export interface IdempotencyRecord {
	fingerprint: string;
	/** The answer, returned again for repeats. */
	answer: object;
	at: number;
}

/** Scheduled work as plain data, so that snapshots contain it and replays repeat it. */
export type Step =
	| { kind: 'process_order'; orderId: string }
	| { kind: 'cancel_order'; orderId: string }
	| { kind: 'replace_order'; orderId: string; newOrderId: string; asked: bigint }
	| { kind: 'settle_transaction'; transactionId: string; outcome: 'completed' | 'failed' | 'cancelled' }
	| { kind: 'market_maker' }
	| { kind: 'scenario'; number: number };

export interface Task {
	at: number;
	/** Breaks ties by insertion order. */
	number: number;
	step: Step;
}

export interface MarketState {
	rules: Market;
	book: Book;
	places: number;
	trades: Trade[];
	tradeCount: number;
	candles: Candles;
	/** The price the seeded market quotes around, and its open quotes. */
	middle: bigint;
	quotes: string[];
}

export interface Transaction {
	id: string;
	accountId: string;
	kind: 'deposit' | 'withdrawal';
	rail: 'fiat' | 'crypto';
	currency: string;
	settlementRail: string | null;
	chain: string | null;
	amount: bigint;
	status: 'pending' | 'completed' | 'failed' | 'cancelled';
	reference: string;
	createdAt: number;
	updatedAt: number;
}

export interface Recipient {
	id: string;
	type: 'fiat' | 'crypto';
	currency: string;
	label: string;
	accountName: string | null;
	accountNumber: string | null;
	bankCode: string | null;
	bankName: string | null;
	chain: string | null;
	cryptoAddress: string | null;
	createdAt: number;
	updatedAt: number;
}

export interface Notification {
	id: string;
	title: string;
	body: string;
	at: number;
}

export type StateView = DeepReadonly<State>;
export type AccountView = DeepReadonly<Account>;
export type MarketView = DeepReadonly<MarketState>;
