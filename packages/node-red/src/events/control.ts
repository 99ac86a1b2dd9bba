/** Control messages of an events node: start, stop, change or show its subscription. Pure. */
import { ExchangeError } from '@partner-exchange/core';
import { topics, type TopicId } from '@partner-exchange/core/catalogue';
import type { Message, Settings } from '../host/types';

const controlActions = ['start', 'stop', 'change', 'show'] as const;
export type ControlAction = (typeof controlActions)[number];

/** The topics and pairs a node subscribes to: at first those of the form, later those of the last control message. */
export interface TopicChoice {
	topics: string[];
	pairs: string[];
	isStopped: boolean;
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export const choiceOfForm = (settings: Settings): TopicChoice => ({
	topics: listOf(settings.topics),
	pairs: listOf(settings.pairs),
	isStopped: false,
});

export const withChoice = (settings: Settings, { topics, pairs }: TopicChoice): Settings => ({
	...settings,
	topics,
	pairs,
});

export const sameChoice = (choice: TopicChoice, other: TopicChoice): boolean =>
	JSON.stringify([choice.topics, choice.pairs, choice.isStopped]) ===
	JSON.stringify([other.topics, other.pairs, other.isStopped]);

/** Whether a stored value is a choice in the format of this version. */
export function isChoice(stored: unknown): stored is TopicChoice {
	const { topics: names, pairs, isStopped } = (stored ?? {}) as Partial<Record<keyof TopicChoice, unknown>>;
	return Array.isArray(names) && Array.isArray(pairs) && typeof isStopped === 'boolean';
}

/** The action in the message. Throws on an unknown one, so that no control message is ignored silently. */
export function actionOf(message: Message): ControlAction {
	const { action } = message as { action?: unknown };
	const command = controlActions.find((each) => each === String(action).trim().toLowerCase());
	if (command) return command;
	const what = action === undefined ? 'A control message has no msg.action' : `There is no action ${excerpt(action)}`;
	throw refusal('action', what, `Set msg.action to one of ${controlActions.join(', ')}`);
}

/** The choice after the message; fields the message lacks stay unchanged. */
export function choiceAfter(before: TopicChoice, action: ControlAction, { payload }: Message): TopicChoice {
	if (action === 'show') return before;
	if (action === 'stop') return { ...before, isStopped: true };
	const choice = givenIn(payload);
	if (action === 'change' && !('topics' in choice) && !('pairs' in choice))
		throw refusal('topics', 'The message changes nothing', 'Give it topics, pairs or both in msg.payload');
	const after: TopicChoice = {
		topics: 'topics' in choice ? namesIn('topics', choice.topics).map(topicNamed) : before.topics,
		pairs: 'pairs' in choice ? namesIn('pairs', choice.pairs) : before.pairs,
		isStopped: action === 'start' ? false : before.isStopped,
	};
	return complete(after);
}

/** The choice with its pairs spelled as the service lists them, taken from the accepted topics. */
export function asListed(choice: TopicChoice, accepted: readonly string[]): TopicChoice {
	const pairs = accepted
		.filter((topic) => !Object.hasOwn(topics, topic))
		.map((topic) => topic.slice(topic.indexOf('.') + 1).replaceAll('_', '/'));
	return pairs.length === 0 ? choice : { ...choice, pairs: [...new Set(pairs)] };
}

/** The payload of an inject node is a time stamp; like anything that is no object, it changes nothing. */
function givenIn(payload: unknown): { topics?: unknown; pairs?: unknown } {
	if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return {};
	const stranger = Object.keys(payload).find((name) => name !== 'topics' && name !== 'pairs');
	if (stranger === undefined) return payload;
	throw refusal(
		stranger.slice(0, SHOWN_MAX),
		`There is no setting ${excerpt(stranger)} to change`,
		'Give it topics, pairs or both',
	);
}

/** Names from a list or a comma-separated text. */
function namesIn(field: string, value: unknown): string[] {
	const list = typeof value === 'string' ? value.split(',') : value;
	if (!Array.isArray(list) || list.some((name) => typeof name !== 'string'))
		throw refusal(field, `The setting ${field} is no list of names`, 'Give it names as a list, or as text with commas');
	return [...new Set((list as string[]).map((name) => name.trim()).filter((name) => name !== ''))];
}

function topicNamed(name: string): TopicId {
	const plain = ids.find((id) => id === name.toLowerCase());
	if (plain) return plain;
	const [topic, pair] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
	const isExact = ids.some((id) => id === topic && topics[id].perPair);
	const advice = isExact
		? `Name the topic ${topic}, and the pair ${pair.slice(0, SHOWN_MAX).replaceAll('_', '/')} in pairs`
		: `Name some of ${ids.join(', ')}`;
	throw refusal('topics', `There is no topic ${excerpt(name)}`, advice);
}

const ids = Object.keys(topics) as TopicId[];

function complete(choice: TopicChoice): TopicChoice {
	if (choice.topics.length === 0)
		throw refusal('topics', 'Nothing is left to listen to', 'Name a topic, or send the action stop');
	const perPair = choice.topics.find((topic) => topics[topic as TopicId]?.perPair);
	if (perPair !== undefined && choice.pairs.length === 0)
		throw refusal(
			'pairs',
			`The topic ${perPair} is about a pair, and no pair is given`,
			'Name the pairs, such as USD/NGN',
		);
	return choice;
}

/** Most characters of a refused value that an error quotes. */
const SHOWN_MAX = 60;
const excerpt = (value: unknown): string => JSON.stringify(String(value).slice(0, SHOWN_MAX));

const refusal = (field: string, what: string, advice: string): ExchangeError =>
	new ExchangeError('invalid_input', { field, what, advice: `${advice}; what it listens to stays as it was` });
