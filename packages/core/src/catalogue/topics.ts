import type { Access } from './operation';

/**
 * The topics of the stream. A topic with `perPair` is completed by the pair key: `trades.USD_NGN`. (Interface, part 6.)
 */
export const topics = {
	'user.orders': {
		label: 'Order Updates',
		help: "Updates of the account's orders",
		access: 'exchangeRead',
		perPair: false,
	},
	'user.fills': { label: 'Fills', help: "Updates of the account's fills", access: 'exchangeRead', perPair: false },
	trades: { label: 'Public Trades', help: 'Every trade of a pair', access: 'public', perPair: true },
	orderbook: { label: 'Order Book', help: 'Order book updates of a pair', access: 'public', perPair: true },
} as const satisfies Record<string, { label: string; help: string; access: Access; perPair: boolean }>;

/** The name of a topic without its pair: `user.orders`, `trades`. (Interface, part 6.) */
export type TopicId = keyof typeof topics;

/** The pair key of topic names: `USD/NGN` becomes `USD_NGN`. Commands and REST keep the slash. */
export const pairKey = (pairId: string): string => pairId.replaceAll('/', '_');

/**
 * The full topic names of the chosen topics and pairs.
 *
 * @example
 * exactTopics(['user.fills', 'trades'], ['USD/NGN']); // ['user.fills', 'trades.USD_NGN']
 */
export const exactTopics = (chosen: readonly TopicId[], pairs: readonly string[]): string[] =>
	chosen.flatMap((topic) => (topics[topic].perPair ? pairs.map((pair) => `${topic}.${pairKey(pair)}`) : [topic]));

/** Splits a topic into its name and pair key; `user.fills` has no pair key. */
export function splitTopic(topic: string): [name: string, pairKey: string | undefined] {
	const name = perPair.find((each) => topic.startsWith(`${each}.`) && topic.length > each.length + 1);
	return name === undefined ? [topic, undefined] : [name, topic.slice(name.length + 1)];
}

/** Topics of one stream connection. (Interface, part 8.) */
export const TOPICS_PER_CONNECTION_MAX = 50;

/**
 * A wildcard topic means many topics at once. The interface says that such topics exist and does not show their syntax,
 * so every text with one of these signs is one, and it is sent as it was typed. (Interface, part 6.)
 */
export const wildcard = {
	input: 'stream.wildcard',
	name: '*',
	assumed:
		'Topics of all pairs are written trades.* and orderbook.*; the syntax is not shown, so any other pattern can be typed instead of a pair',
} as const;

const WILDCARD = /^[\w .:*#>?%+-]{1,64}$/;
const signs = /[*#>?%+]+/;

/** Whether a topic is a wildcard, such as `trades.*`. (Interface, part 6.) */
export const isWildcard = (topic: string): boolean => WILDCARD.test(topic) && signs.test(topic);

/** Whether an exact topic may be one that a wildcard topic means: each sign is taken for any text. */
export function mayMean(wildcardTopic: string, topic: string): boolean {
	const parts = wildcardTopic.split(signs);
	const [first = '', last = ''] = [parts[0], parts.at(-1)];
	if (!topic.startsWith(first) || !topic.slice(first.length).endsWith(last)) return false;
	let at = first.length;
	for (const part of parts.slice(1, -1)) {
		const start = topic.indexOf(part, at);
		if (start < 0) return false;
		at = start + part.length;
	}
	return at <= topic.length - last.length;
}

const ids = Object.keys(topics) as TopicId[];
const perPair = ids.filter((id) => topics[id].perPair);

/** The topic names for texts and errors. */
export const topicNames = ids.map((id) => (topics[id].perPair ? `${id}.<PAIR_KEY>` : id)).join(', ');

/** Whether a topic needs the key. Unknown topics count as private: the key only adds access. */
export function isPrivate(topic: string): boolean {
	const [name, key] = splitTopic(topic);
	const listed: { access: Access; perPair: boolean } | undefined = Object.hasOwn(topics, name)
		? topics[name as TopicId]
		: undefined;
	return listed?.access !== 'public' || listed.perPair !== (key !== undefined);
}

/**
 * The field of a subscription that requests missed messages. An account that maps it to an empty name requests none.
 */
export const resume = {
	input: 'stream.resume',
	name: 'resume',
	assumed: 'The stream is resumed with a field of this name; its shape, { topic: { epoch, seq } }, is not shown',
} as const;
