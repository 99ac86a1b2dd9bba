import { isWildcard, mayMean } from '../../catalogue';
import type { DataFrame } from './frames';

/** The wildcards of one connection, whose messages carry other topics than theirs. */
interface Wildcards {
	/** Topics were added or removed. */
	update(): void;
	any(): boolean;
	/** Passes a message on to every wildcard that means its topic. */
	receive(frame: DataFrame, at: number): void;
}

/** What of a channel a wildcard needs. */
type Receiver = { readonly topic: string } & Pick<Wildcards, 'receive'>;

export function createWildcards(channels: ReadonlyMap<string, Receiver>): Wildcards {
	let receivers: Receiver[] = [];
	return {
		update: () => void (receivers = [...channels.values()].filter(({ topic }) => isWildcard(topic))),
		any: () => receivers.length > 0,
		receive: (frame, at) => {
			for (const channel of receivers) if (mayMean(channel.topic, frame.topic)) channel.receive(frame, at);
		},
	};
}

/** The topics a confirmation names, with the awaited wildcards: a service may confirm one by naming topics it means. */
export function withWildcards(topics: readonly string[], awaited: readonly string[]): string[] {
	const meant = awaited.filter((wildcard) => isWildcard(wildcard) && topics.some((topic) => mayMean(wildcard, topic)));
	return [...new Set([...topics, ...meant])];
}
