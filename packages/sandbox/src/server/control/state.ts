import type { Engine } from '../../engine/engine';
import { devKeys } from '../../engine/seed';
import { isOpen } from '../../engine/order-life';
import { ordersOf } from '../../engine/order-lists';
import { bookRecord, notificationRecord, orderRecord, recipientRecord, transactionRecord } from '../../engine/records';
import { scenarios } from '../../engine/scenarios';
import { marketOf, timestamp } from '../../engine/world';
import type { AccountView, Key, StateView, Transaction } from '../../engine/state';
import type { Order } from '../../engine/order';
import type { DeepReadonly } from '../../engine/read-only';
import { partOf } from '../../api/call';
import { overview } from '../../api/wallet-routes';
import { faultTexts } from '../faults';
import type { SandboxContext } from '../context';
import { recentRequests } from '../request-log';

/** Most entries per list in the body of GET /_sandbox/state, which the console page and tests read. */
const RECENT_MAX = 50;
const LEVELS_MAX = 25;

export function describe(context: SandboxContext, addresses: object): object {
	const { exchange, faults, requests, clockKind, clock } = context;
	const { engine, production, dialect } = exchange;
	const { state } = engine;
	return {
		ready: true,
		production,
		dialect,
		...addresses,
		now: timestamp(state.now),
		clock: clockKind,
		clock_advance: advanceRecord(clock),
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
		faults: { kinds: faultTexts, armed: faults.armed, fired: faults.fired.slice(-RECENT_MAX) },
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
		requests: requests.entries.length,
		recent_requests: recentRequests(context),
	};
}

/** Start and end of a running advance of the clock; null while none runs. */
export const advanceRecord = ({ advancing }: SandboxContext['clock']) =>
	advancing ? { from: timestamp(advancing.from), to: timestamp(advancing.to) } : null;

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

function describeAccount(engine: Engine, account: AccountView): object {
	const { state } = engine;
	const { open, closed } = latestOrders(state, account);
	const record = (order: Order) => orderRecord(order, marketOf(engine, order.pairId).rules);
	return {
		email: account.email,
		name: account.name,
		kyb: account.kyb,
		...overview(account, state.now),
		open_orders: open.length,
		orders: [...open, ...closed].map(record),
		transactions: account.transactions
			.slice(-RECENT_MAX)
			.reverse()
			.map((id) => transactionRecord(state.transactions.get(id) as Transaction)),
		recipients: [...account.recipients.values()].slice(-RECENT_MAX).reverse().map(recipientRecord),
		notifications: account.notifications.slice(-RECENT_MAX).map(notificationRecord),
	};
}

/** Latest orders searched for open ones; older ones are on other pages of the console. */
const LOOKED_THROUGH_MAX = 5_000;
const OPEN_MAX = 200;

/** The open orders and the latest finished ones, newest first. */
function latestOrders({ orders }: StateView, account: AccountView): { open: Order[]; closed: Order[] } {
	const [open, closed]: [Order[], Order[]] = [[], []];
	for (const id of account.orders.slice(-LOOKED_THROUGH_MAX).reverse()) {
		const order = orders.get(id);
		if (order && isOpen(order) && open.length < OPEN_MAX) open.push(order);
		if (order && !isOpen(order) && closed.length < RECENT_MAX) closed.push(order);
	}
	return { open, closed };
}

export function closedOrders(engine: Engine, account: AccountView, query: URLSearchParams) {
	const part = partOf(query, { standard: RECENT_MAX, max: OPEN_MAX });
	const { count, orders } = ordersOf(engine, account, { isFinished: true }, part);
	return { count, orders: orders.map((order) => orderRecord(order, marketOf(engine, order.pairId).rules)) };
}
