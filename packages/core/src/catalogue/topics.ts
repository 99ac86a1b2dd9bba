import type { Access } from './operation';

/** What the stream carries. A topic with `perPair` is completed by the pair key: `trades.USD_NGN`. (Interface, part 6.) */
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

export type TopicId = keyof typeof topics;

/** `USD/NGN` as topic names write it: `USD_NGN`. Commands and REST keep the slash. */
export const pairKey = (pairId: string): string => pairId.replaceAll('/', '_');

/** The exact topics of a choice of topics and pairs. */
export const exactTopics = (chosen: readonly TopicId[], pairs: readonly string[]): string[] =>
	chosen.flatMap((topic) => (topics[topic].perPair ? pairs.map((pair) => `${topic}.${pairKey(pair)}`) : [topic]));

/** `trades.USD_NGN` is about a pair, `user.fills` is not. */
export function splitTopic(topic: string): [name: string, pairKey: string | undefined] {
	const name = perPair.find((each) => topic.startsWith(`${each}.`) && topic.length > each.length + 1);
	return name === undefined ? [topic, undefined] : [name, topic.slice(name.length + 1)];
}

const ids = Object.keys(topics) as TopicId[];
const perPair = ids.filter((id) => topics[id].perPair);

/** The names to choose from, as people write them. */
export const topicNames = ids.map((id) => (topics[id].perPair ? `${id}.<PAIR_KEY>` : id)).join(', ');

/** Whether a topic needs the key. Unknown topics count as private: the key opens more, never less. */
export function isPrivate(topic: string): boolean {
	const [name, key] = splitTopic(topic);
	const known: { access: Access; perPair: boolean } | undefined = Object.hasOwn(topics, name)
		? topics[name as TopicId]
		: undefined;
	return known?.access !== 'public' || known.perPair !== (key !== undefined);
}

/** The field of a subscription that asks for what was missed. An account that maps it to an empty name asks for nothing. */
export const resume = {
	input: 'stream.resume',
	name: 'resume',
	assumed: 'The stream is resumed with a field of this name; its shape, { topic: { epoch, seq } }, is not shown',
} as const;
