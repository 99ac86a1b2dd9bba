import { parseOrder, type Fields } from './order-request';
import { storedAnswer, storeAnswer } from './idempotency';
import { requestCancel, requestReplace } from './order-changes';
import { startMarketMaker, stopMarketMaker } from './market-maker';
import { placeOrder } from './orders';
import { issueKey, type KeyGrant } from './seed';
import { drawUuid } from './random';
import { createRecipient, deleteRecipient, updateRecipient } from './recipients';
import { recipientRecord, transactionRecord, notificationRecord } from './records';
import { startScenario, stopScenario, type ScenarioName } from './scenarios';
import { startTransaction, type Movement } from './transactions';
import type { Account, Settings } from './state';
import type { Order } from './order';
import { accountOf, marketOf, timestamp, type World } from './world';

/** Every external change of the exchange, as data. The journal is a list of timed actions. */
export type Action =
	| (OrderAction & { key: string; fingerprint: string })
	| { kind: 'recipient.create'; accountId: string; fields: Fields }
	| { kind: 'recipient.update'; accountId: string; recipientId: string; fields: Fields }
	| { kind: 'recipient.delete'; accountId: string; recipientId: string }
	| { kind: 'transaction'; accountId: string; movement: Movement; outcome?: Settings['transactionOutcome'] }
	| { kind: 'kyb'; accountId: string; status: Account['kyb'] }
	| { kind: 'notification'; accountId: string; title: string; body: string }
	| { kind: 'settings'; settings: Partial<Settings> }
	| { kind: 'key'; grant: KeyGrant }
	| { kind: 'market'; pairId: string; trading: boolean }
	| { kind: 'scenario'; name: ScenarioName; accountId: string }
	| { kind: 'scenario.stop'; name: ScenarioName };

/** Most notifications kept per account; the oldest are dropped first. */
const NOTIFICATIONS_MAX = 1_000;

interface OrderAction {
	kind: 'order_create' | 'order_cancel' | 'order_replace';
	accountId: string;
	fields: Fields;
}

export interface Outcome {
	data: object;
	/** The answer was stored by an earlier write; nothing changed. */
	repeated?: true;
}

export function perform(world: World, action: Action): Outcome {
	switch (action.kind) {
		case 'order_create':
		case 'order_cancel':
		case 'order_replace':
			return once(world, action);
		default:
			return { data: applyAction(world, action) };
	}
}

/** Executes an order write once; a repeat gets the stored answer. */
function once(world: World, action: OrderAction & { key: string; fingerprint: string }): Outcome {
	const account = accountOf(world, action.accountId);
	const stored = storedAnswer(world, account, action.key, action.fingerprint);
	if (stored) return { data: stored, repeated: true };
	const answer = orderActions[action.kind](world, account, action.fields);
	storeAnswer(world, account, action.key, { fingerprint: action.fingerprint, answer });
	return { data: answer };
}

const orderActions: Record<OrderAction['kind'], (world: World, account: Account, fields: Fields) => object> = {
	order_create(world, account, fields) {
		const { rules } = marketOf(world, fields.pair_id as string);
		const order = placeOrder(world, account, parseOrder(rules, fields));
		return { order_id: order.id, status: order.status, created_at: timestamp(order.createdAt) };
	},
	order_cancel(world, account, fields) {
		const order: Order = requestCancel(world, account, fields);
		return { order_id: order.id, status: 'cancelling', cancelled_at: timestamp(world.state.now) };
	},
	order_replace(world, account, fields) {
		const { original, replacement } = requestReplace(world, account, fields);
		return {
			original_order_id: original.id,
			new_order_id: replacement.id,
			status: 'replacing',
			replaced_at: timestamp(world.state.now),
		};
	},
};

function applyAction(world: World, action: Exclude<Action, OrderAction>): object {
	switch (action.kind) {
		case 'recipient.create':
			return recipientRecord(createRecipient(world, accountOf(world, action.accountId), action.fields));
		case 'recipient.update':
			return recipientRecord(
				updateRecipient(world, accountOf(world, action.accountId), action.recipientId, action.fields),
			);
		case 'recipient.delete':
			return { deleted: true, id: deleteRecipient(accountOf(world, action.accountId), action.recipientId).id };
		case 'transaction':
			return transactionRecord(
				startTransaction(world, accountOf(world, action.accountId), action.movement, action.outcome),
			);
		case 'notification':
			return notify(world, accountOf(world, action.accountId), action);
		case 'kyb': {
			const account = accountOf(world, action.accountId);
			account.kyb = action.status;
			return { email: account.email, status: account.kyb };
		}
		case 'settings':
			return changeSettings(world, action.settings);
		case 'key':
			return issueKey(world.state, action.grant);
		case 'market':
			return Object.assign(marketOf(world, action.pairId).rules, { trading: action.trading });
		case 'scenario':
			return startScenario(world, action.name, accountOf(world, action.accountId));
		case 'scenario.stop':
			return stopScenario(world, action.name);
		default:
			// An action without a case does not compile.
			return action satisfies never;
	}
}

function notify({ state }: World, account: Account, { title, body }: { title: string; body: string }): object {
	const notification = { id: drawUuid(state), title, body, at: state.now };
	account.notifications.push(notification);
	if (account.notifications.length > NOTIFICATIONS_MAX) account.notifications.shift();
	return notificationRecord(notification);
}

/** Starts or stops the seeded market when its setting changes; stopping also cancels its quotes. */
function changeSettings(world: World, changes: Partial<Settings>): object {
	const { settings } = world.state;
	const before = settings.marketMaker;
	Object.assign(settings, changes);
	if (before === 'off' && settings.marketMaker !== 'off') startMarketMaker(world);
	if (before !== 'off' && settings.marketMaker === 'off') stopMarketMaker(world);
	return settings;
}
