import { pairKey, splitTopic, type topics, type TopicId } from '@partner-exchange/core/catalogue';
import { logKey } from '../engine/events';
import { isOpen } from '../engine/order-life';
import { bookRecord, fillRecord, orderRecord, tradeRecord } from '../engine/records';
import { Refusal } from '../engine/refusal';
import type { AccountView, KeyAccess, MarketView } from '../engine/state';
import { marketOf, type WorldView } from '../engine/world';
import type { Caller } from './keys';

const LEVELS_MAX = 100;
const RECENT_MAX = 50;
const OPEN_ORDERS_MAX = 200;

type PairTopicId = { [Id in TopicId]: (typeof topics)[Id]['perPair'] extends true ? Id : never }[TopicId];

/** What the topics of a pair begin with. A missing topic does not compile. */
const ofPair: Record<PairTopicId, (market: MarketView, now: number) => object> = {
	orderbook: (market, now) => bookRecord(market, now, LEVELS_MAX),
	trades: ({ trades, rules }) => ({ trades: trades.slice(-RECENT_MAX).map((trade) => tradeRecord(trade, rules)) }),
};

interface AccountTopic {
	/** What the key has to be good for; without it, any key will do. */
	access?: KeyAccess;
	/** What the topic begins with: the present state, or null where it has none. */
	snapshot(world: WorldView, account: AccountView): object | null;
}

/** The topics of an account. A missing topic does not compile. (Interface, part 6.) */
const ofAccount: Record<Exclude<TopicId, PairTopicId>, AccountTopic> = {
	'user.orders': { snapshot: openOrders },
	'user.fills': {
		access: 'exchangeRead',
		snapshot: (world, { fills }) => ({
			fills: fills.slice(-RECENT_MAX).map((fill) => fillRecord(fill, marketOf(world, fill.pairId).rules)),
		}),
	},
};

/** Resolves a topic to its log key, or refuses it. `trades.*` covers every pair, `user.*` all of the account. */
export function resolveTopic(world: WorldView, topic: string, caller: Caller | undefined): string {
	if (topic.startsWith('user.')) return privateKey(topic, caller);
	const [name, pair] = splitTopic(topic);
	const pairs = ['*', ...[...world.state.markets.keys()].map(pairKey)];
	if (Object.hasOwn(ofPair, name) && pair !== undefined && pairs.includes(pair)) return topic;
	throw unknownTopic();
}

function privateKey(topic: string, caller: Caller | undefined): string {
	if (!caller) throw new Refusal('unauthorized', 'unauthorized', 'This topic needs a connection with a valid key.');
	const one = accountTopic(topic);
	const meant = topic === 'user.*' ? Object.values(ofAccount) : one ? [one] : [];
	if (meant.length === 0) throw unknownTopic();
	if (meant.some(({ access }) => access && !caller.key.access.includes(access)))
		throw new Refusal('forbidden', 'forbidden', 'The key is not enabled for what this topic shows.');
	return logKey(topic, caller.account.id);
}

const unknownTopic = () => new Refusal('not_found', 'unknown_topic', 'There is no such topic.');

const accountTopic = (topic: string): AccountTopic | undefined =>
	Object.hasOwn(ofAccount, topic) ? ofAccount[topic as keyof typeof ofAccount] : undefined;

/** The snapshot of a topic. Wildcards have none. */
export function snapshotOf(world: WorldView, topic: string, account: AccountView | undefined): object | null {
	const [name, pair] = splitTopic(topic);
	const market = [...world.state.markets.values()].find(({ rules }) => pairKey(rules.pairId) === pair);
	if (market && Object.hasOwn(ofPair, name)) return ofPair[name as PairTopicId](market, world.state.now);
	return (account && accountTopic(topic)?.snapshot(world, account)) ?? null;
}

function openOrders(world: WorldView, account: AccountView): object {
	const orders = [];
	for (let index = account.orders.length - 1; index >= 0 && orders.length < OPEN_ORDERS_MAX; index--) {
		const order = world.state.orders.get(account.orders[index] as string);
		if (order && isOpen(order)) orders.push(orderRecord(order, marketOf(world, order.pairId).rules));
	}
	return { orders };
}
