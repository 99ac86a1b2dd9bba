/** Initial state of a new exchange: accounts, keys and balances. */
import { emptyBook } from './book';
import { emptyCandles } from './candles';
import { bringIn, emptyHolding } from './ledger';
import { seedMarkets, type Market } from './market';
import { MAKER_ID, startMarketMaker, TAKER_ID } from './market-maker';
import { seedHistory } from './price-history';
import { seedRandom, type RunId } from './random';
import { conflict } from './refusal';
import type { Account, AccountView, Key, KeyAccess, MarketState, Settings, State, StateView } from './state';

const WALLET_CURRENCIES = ['NGN', 'USD'];
const DAY_MS = 86_400_000;

export const settingsDefault: Settings = {
	orderDelayMs: 5,
	settlementDelayMs: 50,
	selfTrade: 'cancel_taker',
	replaceQuantity: 'total',
	transactionOutcome: 'completed',
	listLagMs: 0,
	keyRetentionMs: DAY_MS,
	marketMaker: 'off',
};

export const ACCESS_CLASSES: readonly KeyAccess[] = [
	'exchangeRead',
	'orderCreate',
	'orderExecute',
	'walletRead',
	'recipients',
];

export interface Seed {
	seed: number;
	now: number;
	run: RunId;
	settings: Partial<Settings>;
	keys: readonly KeyGrant[];
}

/** A key to issue, by the email of its account. An unknown email opens an account. */
export interface KeyGrant {
	key: string;
	email?: string;
	access?: readonly KeyAccess[];
	environment?: Key['environment'];
	active?: boolean;
}

export const TRADER_EMAIL = 'trader@sandbox.test';
/** An account that is not ready, whose key is refused. */
export const NEWCOMER_EMAIL = 'newcomer@sandbox.test';

type Holder = Pick<Account, 'id' | 'email' | 'name'> & Partial<Pick<Account, 'kyb' | 'internal'>>;

const partner = { NGN: 50_000_000_00n, USD: 100_000_00n };
const market = { internal: true, NGN: 10n ** 18n, USD: 10n ** 15n };

const accounts: readonly (Holder & { NGN: bigint; USD: bigint })[] = [
	{ id: 'trader', email: TRADER_EMAIL, name: 'Sandbox Trader Ltd', ...partner },
	{ id: 'second', email: 'second@sandbox.test', name: 'Second Sandbox Ltd', ...partner },
	{ id: 'newcomer', email: NEWCOMER_EMAIL, name: 'Newcomer Ltd', kyb: 'pending', NGN: 0n, USD: 0n },
	{ id: MAKER_ID, email: 'maker@exchange.internal', name: 'Seeded Maker', ...market },
	{ id: TAKER_ID, email: 'taker@exchange.internal', name: 'Seeded Taker', ...market },
];

export const devKeys: readonly KeyGrant[] = [
	{ key: 'sandbox-key' },
	{ key: 'sandbox-key-read', access: ['exchangeRead', 'walletRead'] },
	{ key: 'sandbox-key-exchange-read', access: ['exchangeRead'] },
	{ key: 'sandbox-key-order-create', access: ['orderCreate'] },
	{ key: 'sandbox-key-order-execute', access: ['orderExecute'] },
	{ key: 'sandbox-key-wallet-read', access: ['walletRead'] },
	{ key: 'sandbox-key-recipients', access: ['recipients'] },
	{ key: 'sandbox-key-inactive', active: false },
	{ key: 'sandbox-key-second', email: 'second@sandbox.test' },
	{ key: 'sandbox-key-newcomer', email: NEWCOMER_EMAIL },
	{ key: 'sandbox-key-production', environment: 'production' },
];

export function seedState({ seed, now, run, settings, keys }: Seed): State {
	const state: State = {
		now,
		run,
		openings: 0,
		random: { ids: seedRandom(seed, 1), market: seedRandom(seed, 2) },
		settings: { ...settingsDefault, ...settings },
		accounts: new Map(),
		house: new Map(),
		markets: new Map(seedMarkets().map((rules) => [rules.pairId, openMarket(rules)])),
		orders: new Map(),
		orderCount: 0,
		closed: new Set(),
		transactions: new Map(),
		keys: new Map(),
		scenarios: [],
		tasks: [],
		taskCount: 0,
		seededOrders: 0,
	};
	for (const { NGN, USD, ...holder } of accounts) {
		const account = openAccount(state, holder);
		bringIn(state, account, 'NGN', NGN);
		bringIn(state, account, 'USD', USD);
	}
	for (const grant of [...devKeys, ...keys]) issueKey(state, grant);
	if (state.settings.marketMaker !== 'off') {
		for (const { candles, middle } of state.markets.values()) seedHistory(candles, { seed, now, close: middle });
		startMarketMaker({ state, events: { epoch: '', kept: 0, logs: new Map() } });
	}
	return state;
}

const openMarket = (rules: Market): MarketState => ({
	rules,
	book: emptyBook(),
	places: 0,
	trades: [],
	tradeCount: 0,
	candles: emptyCandles(),
	middle: rules.openingPrice,
	quotes: [],
});

function openAccount(state: State, holder: Holder): Account {
	const account: Account = {
		kyb: 'approved',
		internal: false,
		...holder,
		holdings: new Map(WALLET_CURRENCIES.map((currency) => [currency, emptyHolding()])),
		credit: {
			currency: 'NGN',
			limit: 5_000_000_00n,
			used: 0n,
			nextDueAt: null,
			overdue: false,
			withdrawalBlocked: false,
			status: 'active',
		},
		orders: [],
		fills: [],
		transactions: [],
		recipients: new Map(),
		notifications: [],
		idempotency: new Map(),
	};
	state.accounts.set(account.id, account);
	return account;
}

export function findAccount(state: State, email: string): Account | undefined;
export function findAccount(state: StateView, email: string): AccountView | undefined;
export function findAccount(state: StateView, email: string): AccountView | undefined {
	for (const account of state.accounts.values()) if (account.email === email && !account.internal) return account;
	return undefined;
}

const KEYS_MAX = 1_000;

export function issueKey(
	state: State,
	{ key, email = TRADER_EMAIL, access, environment = 'staging', active = true }: KeyGrant,
): Key {
	if (state.keys.size >= KEYS_MAX && !state.keys.has(key))
		throw conflict('too_many_keys', `The sandbox keeps at most ${KEYS_MAX} keys.`);
	const account = findAccount(state, email) ?? openAccount(state, { id: email, email, name: email });
	const issued: Key = { key, accountId: account.id, access: [...(access ?? ACCESS_CLASSES)], environment, active };
	state.keys.set(key, issued);
	return issued;
}
