import { devKeys } from '../engine/seed';
import { isOpen } from '../engine/order-life';
import { bookRecord, notificationRecord, orderRecord, recipientRecord, transactionRecord } from '../engine/records';
import { scenarios } from '../engine/scenarios';
import { marketOf, timestamp } from '../engine/world';
import type { AccountView, DeepReadonly, Key, Order, StateView, Transaction } from '../engine/state';
import { overview } from '../api/wallet-routes';
import { describeRequestLog } from './request-log';
import { faultKinds } from './faults';
import type { SandboxContext } from './context';

/** Body of GET /_sandbox/state, read by the console page and by tests. */
const RECENT_MAX = 50;
const LEVELS_MAX = 25;

export function describe(context: SandboxContext, addresses: object): object {
	const { exchange, faults, requests, clockKind } = context;
	const { engine, production, dialect } = exchange;
	const { state } = engine;
	return {
		ready: true,
		production,
		dialect,
		...addresses,
		now: timestamp(state.now),
		clock: clockKind,
		epoch: engine.events.epoch,
		settings: state.settings,
		accounts: [...state.accounts.values()]
			.filter(({ internal }) => !internal)
			.map((account) => describeAccount(exchange.engine, account)),
		keys: [...state.keys.values()].map((key) => describeKey(state, key)),
		markets: [...state.markets.values()].map((market) => ({
			pair_id: market.rules.pairId,
			trading: market.rules.trading,
			trade_count: market.tradeCount,
			book: bookRecord(market, state.now, LEVELS_MAX),
		})),
		faults: { kinds: faultKinds, armed: faults.armed, fired: faults.fired.slice(-RECENT_MAX) },
		scenarios: describeScenarios(),
		running_scenarios: state.scenarios.map(({ name, stage, number }) => ({
			name,
			stage,
			next_at: nextAt(state, number),
		})),
		house: Object.fromEntries(
			[...state.house].map(([currency, { external, clearing }]) => [
				currency,
				{ external: external.available, rounding: clearing.available },
			]),
		),
		requests: requests.length,
		recent_requests: describeRequestLog(context),
	};
}

const nextAt = ({ tasks }: StateView, number: number): string | null => {
	const task = tasks.find(({ step }) => step.kind === 'scenario' && step.number === number);
	return task ? timestamp(task.at) : null;
};

const describeKey = ({ accounts }: StateView, key: DeepReadonly<Key>): object => ({
	...key,
	email: accounts.get(key.accountId)?.email,
	printed: devKeys.some((grant) => grant.key === key.key),
});

export const describeScenarios = () =>
	Object.entries(scenarios).map(([name, { label, help }]) => ({ name, label, help }));

function describeAccount(engine: SandboxContext['exchange']['engine'], account: AccountView): object {
	const { state } = engine;
	const orders = account.orders
		.slice(-RECENT_MAX)
		.map((id) => state.orders.get(id))
		.filter((order): order is Order => order !== undefined);
	return {
		email: account.email,
		name: account.name,
		kyb: account.kyb,
		...overview(account, state.now),
		open_orders: orders.filter(isOpen).length,
		orders: orders.reverse().map((order) => orderRecord(order, marketOf(engine, order.pairId).rules)),
		transactions: account.transactions
			.slice(-RECENT_MAX)
			.reverse()
			.map((id) => transactionRecord(state.transactions.get(id) as Transaction)),
		recipients: [...account.recipients.values()].slice(-RECENT_MAX).reverse().map(recipientRecord),
		notifications: account.notifications.slice(-RECENT_MAX).map(notificationRecord),
	};
}
