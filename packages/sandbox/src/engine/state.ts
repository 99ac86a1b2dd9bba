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
	/** Identifies this exchange; changes with a reset, and with every exchange in memory. */
	run: RunId;
	/** How often this exchange was started; each start begins a new stream epoch. */
	openings: number;
	/**
	 * Separate generators for identifiers and for the seeded market, so that drawing from one does not change the other.
	 */
	random: { ids: RandomState; market: RandomState };
	settings: Settings;
	accounts: Map<string, Account>;
	house: Map<string, House>;
	markets: Map<string, MarketState>;
	orders: Map<string, Order>;
	orderCount: number;
	/** Ids of closed orders, oldest first; dropped in this order. */
	closed: Set<string>;
	transactions: Map<string, Transaction>;
	keys: Map<string, Key>;
	scenarios: ScenarioRun[];
	tasks: Task[];
	taskCount: number;
	/** Number of orders the seeded market has placed. */
	seededOrders: number;
}

/** A running scenario. */
export interface ScenarioRun {
	number: number;
	name: string;
	/** Stages played so far. */
	stage: number;
	/** How many times the present stage was retried. */
	again: number;
	accountId: string;
	orderId?: string;
	effects: Partial<Settings>;
}

/** An API key and the classes of operations it may use. (Interface, part 5.) */
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

/** Accounts for external money and rounding differences, so that every posting has two sides. */
export interface House {
	external: Holding;
	clearing: Holding;
}

export interface Account {
	id: string;
	email: string;
	name: string;
	kyb: 'approved' | 'pending' | 'rejected';
	/** True for accounts of the seeded market, which keep no history. */
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

interface Credit {
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
	/** Returned again for a repeated write. */
	answer: object;
	at: number;
}

/** Scheduled work as plain data, so that it is part of snapshots and of replays. */
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
	/** The mid price of the seeded market, and its open quotes. */
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
