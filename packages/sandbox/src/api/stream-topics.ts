import { pairKey } from '@partner-exchange/core/catalogue';
import { logKey } from '../engine/events';
import { Refusal } from '../engine/refusal';
import type { WorldView } from '../engine/world';
import type { Caller } from './keys';

/** Resolves a topic to its log key, or refuses it. `trades.*` covers every pair. */
export function resolveTopic(world: WorldView, topic: string, caller: Caller | undefined): string {
	const [kind, rest] = splitOnce(topic);
	if (kind === 'user') return privateKey(topic, rest, caller);
	const pairs = [...world.state.markets.keys()].map(pairKey);
	if ((kind === 'trades' || kind === 'orderbook') && (rest === '*' || pairs.includes(rest))) return topic;
	throw new Refusal('not_found', 'unknown_topic', 'There is no such topic.');
}

function privateKey(topic: string, name: string, caller: Caller | undefined): string {
	if (!caller) throw new Refusal('unauthorized', 'unauthorized', 'This topic needs a connection with a valid key.');
	if (!['orders', 'fills', '*'].includes(name))
		throw new Refusal('not_found', 'unknown_topic', 'There is no such topic.');
	// Interface, part 6: user.orders takes any key, user.fills one with exchange-read access.
	if (name !== 'orders' && !caller.key.access.includes('exchangeRead')) {
		throw new Refusal('forbidden', 'forbidden', 'The key is not enabled for exchange reads.');
	}
	return logKey(topic, caller.account.id);
}

function splitOnce(topic: string): [string, string] {
	const dot = topic.indexOf('.');
	return dot < 0 ? [topic, ''] : [topic.slice(0, dot), topic.slice(dot + 1)];
}
