import type { MessageHabits } from './habits';

/** The topics of a connection so far, and the position of each. */
export interface Confirming {
	topics(): string[];
	positionOf(topic: string): object;
}

interface Confirmation {
	topics: string[];
	positions: Record<string, object>;
	snapshots?: Record<string, object>;
}

/** A confirmation of the sandbox in the form this service sends it, possibly in parts. */
export function confirmationsOf(text: string, habits: MessageHabits, active: Confirming): string[] {
	const { positions, snapshots, ...message } = JSON.parse(text) as Confirmation;
	const say = (topics: string[]): string =>
		JSON.stringify({
			...message,
			topics,
			...(habits.tellsHead ? { positions: only(topics, positions, active) } : {}),
			...(habits.tellsBook && snapshots ? { snapshots: only(topics, snapshots) } : {}),
		});
	switch (habits.confirms) {
		case 'asked':
			return [say(message.topics)];
		case 'active':
			return [say(active.topics())];
		case 'one by one':
			return message.topics.map((topic) => say([topic]));
		case 'nothing':
			return [JSON.stringify({ ...(JSON.parse(say(message.topics)) as object), topics: [] })];
	}
}

const only = (topics: string[], of: Record<string, object>, active?: Confirming) =>
	Object.fromEntries(
		topics.flatMap((topic) => {
			const value = of[topic] ?? active?.positionOf(topic);
			return value ? [[topic, value]] : [];
		}),
	);
